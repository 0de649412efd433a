// L1 data cache: the meaning of requests, and their timing.
#include "memory/l1_cache.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "model/bits.h"
#include "model/config/validate.h"
#include "model/copy_bytes.h"
#include "model/error.h"
#include "model/protocol/unanswered.h"

namespace smsim::memory {
namespace {

constexpr std::uint64_t kWord = 32;     ///< bytes; unit of the data array
constexpr std::uint64_t kDataRow = 128; ///< bytes; what a wavefront moves at most

/// Whether the initiator wants this cache not to answer this read (.CG).
bool bypasses(const Payload &payload) {
    const auto *group = payload.get_extension<protocol::AccessGroupExtension>();
    return group != nullptr && group->bypass_l1;
}

/// A line is one sector when the configuration has none.
std::uint32_t sector_bytes(const L1Config &config) {
    return config.sector_bytes != 0 ? config.sector_bytes : config.line_bytes;
}

std::uint64_t sets_of(const L1Config &config, const l1::LineSize &size) {
    return l1::Lines::sets_of(config.bytes, size, config.ways);
}

const L1Config &checked(const L1Config &config, std::uint32_t front) {
    if (config.latency <= front) {
        throw InputError(
            fmt::format("l1.latency ({}) must exceed the {} cycles before the cache", config.latency, front));
    }
    return config;
}

/// Some sectors of one line as a store, for reads in that line: skips bytes of the others.
struct SectorBytes {
    const l1::LineSize &size;
    std::uint64_t line;
    l1::Sectors sectors;
    const std::uint8_t *data; ///< of the line

    void read(std::uint64_t address, std::uint8_t *to, std::uint64_t count) const {
        if ((size.touched_in_line(address, count) & ~sectors) == 0) [[likely]] {
            copy_bytes(to, data + (address - line), count);
            return;
        }
        size.for_each_part(line, sectors, address, count, [&](std::uint64_t at, std::uint64_t bytes) {
            copy_bytes(to + (at - address), data + (at - line), bytes);
        });
    }
    void write(std::uint64_t, const std::uint8_t *, std::uint64_t) {}
};

/// All present sectors as a store, for writes: skips bytes of absent ones, which are left to memory.
struct PresentLines {
    l1::Lines &lines;

    void read(std::uint64_t, std::uint8_t *, std::uint64_t) const {}
    void write(std::uint64_t address, const std::uint8_t *from, std::uint64_t count) {
        lines.update(address, from, count);
    }
};

void prepare_fill(Payload &fill, std::uint64_t address, std::uint8_t *data, unsigned bytes) {
    fill.set_command(tlm::TLM_READ_COMMAND);
    fill.set_address(address);
    fill.set_data_ptr(data);
    fill.set_data_length(bytes);
    fill.set_streaming_width(bytes);
}

} // namespace

L1Cache::L1Cache(const sc_core::sc_module_name &name, const L1Config &config, const sc_core::sc_time &period,
                 std::uint32_t front)
    : sc_module(name_if_valid(name, config)),
      target_("socket", wake_, FourPhaseTarget::Telling::kAtItsTime, period.value()),
      size_(checked(config, front).line_bytes, sector_bytes(config)), clock_(period), period_(period.value()),
      latency_((config.latency - front) * period.value()), bytes_per_cycle_(config.bytes_per_cycle),
      seen_(sector_bytes(config)), port_("memory", period, wake_),
      lines_(config.bytes, size_, config.ways, l1::make_replacement(config, sets_of(config, size_)), config.hash_sets),
      mshrs_(config.mshrs, size_), bypass_(l1::make_bypass(config, sets_of(config, size_))) {
    wake_.on_due<&L1Cache::run>(this);
    target_.on_request<&L1Cache::request>(this);
    socket.on_blocking<&L1Cache::blocking>(this);
    socket.on_debug<&L1Cache::debug>(this);
    port_.on_done<&L1Cache::answered>(this);
}

L1Cache::~L1Cache() = default;

void L1Cache::run() {
    const RawTime now = time_.raw();
    port_.run_due();
    target_.run_behind([&] { run_due(now); });
    if (mshrs_.waiting() != 0 || target_.held()) {
        wake_for_due();
    }
}

/// For a request that may wait for the next fill. A fill that no request waits for takes effect when the cache is
/// called again.
void L1Cache::wake_for_due() {
    if (!due_.empty()) {
        wake_.set(due_.front().when);
    }
}

// --- meaning of a request ------------------------------------------------------------------------------------------

L1Cache::Answer L1Cache::request(unsigned, Payload &payload, RawTime arrival) {
    settle_mshr_use(time_.raw());
    // Requests are taken one after the other. A request that waited, but was answered on the call, delays the next.
    const RawTime now = std::max(time_.raw(), free_at_);
    arrival = std::max(arrival, free_at_);
    looked_at_ = now;
    asked_ = false;
    run_due(now);
    protocol::RowsExtension *const rows = protocol::rows_for(socket.identity(), payload);
    Answer answer = rows != nullptr ? handle_rows(payload, *rows, now, arrival) : handle(payload, now, arrival);
    if (answer.kind == Answer::Kind::kHeld) {
        answer = handle_held(payload, arrival);
    }
    if (answer.kind == Answer::Kind::kLater) {
        free_at_ = std::max(free_at_, arrival);
        answer.when = free_at_;
    }
    return answer;
}

/// A request that must wait for a fill. If the results of all fills under way are known, and as no other request
/// arrives before this one has been taken, its result is known too; otherwise it is held.
L1Cache::Answer L1Cache::handle_held(Payload &payload, RawTime arrival) {
    if (auto *group = payload.get_extension<protocol::AccessGroupExtension>()) {
        group->waited = true;
    }
    while (!due_.empty() && refused_.empty() && port_.outstanding() == 0) {
        const Due due = due_.front();
        due_.pop_front();
        complete_fill(*due.fill, due.when);
        const RawTime taken = std::max(due.when, arrival);
        looked_at_ = due.when;
        const Answer answer = handle(payload, due.when, taken);
        if (answer.kind != Answer::Kind::kHeld) {
            free_at_ = std::max(taken, due.when + period_);
            return answer;
        }
    }
    wake_for_due();
    return {Answer::Kind::kHeld};
}

bool L1Cache::is_cacheable_read(const Payload &payload) const {
    return payload.is_read() && payload.get_streaming_width() >= payload.get_data_length() &&
           size_.in_one_line(payload.get_address(), payload.get_data_length()) && !bypasses(payload);
}

L1Cache::Answer L1Cache::handle(Payload &payload, RawTime now, RawTime arrival) {
    const tlm::tlm_response_status status = check_fields(payload);
    if (status != tlm::TLM_OK_RESPONSE) [[unlikely]] {
        payload.set_response_status(status);
        return {Answer::Kind::kDone, arrival + latency_};
    }
    if (is_cacheable_read(payload)) {
        return handle_read(payload, size_.line_of(payload.get_address()), now, arrival);
    }
    if (!payload.is_read()) {
        if (line_order_.must_wait(payload.get_address(), span_of(payload))) {
            return {Answer::Kind::kHeld};
        }
        change_lines(payload);
    }
    return pass_down(payload, now, arrival);
}

L1Cache::Answer L1Cache::handle_read(Payload &payload, std::uint64_t line, RawTime now, RawTime arrival) {
    const l1::Sectors touched = size_.touched_in_line(payload.get_address(), payload.get_data_length());
    const l1::Sectors missing = read_present(payload, line, touched);
    auto *group = payload.get_extension<protocol::AccessGroupExtension>();
    if (missing == 0) {
        ++stats_.l1_hits;
        count_sectors(touched, 0);
        if (group != nullptr) {
            group->cache_hit = true;
        }
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return {Answer::Kind::kDone,
                data_of_hit(group, payload.get_address(), payload.get_data_length(), arrival) + latency_};
    }
    if (bypass_ != nullptr && is_forwarded(payload, line, touched, missing)) [[unlikely]] {
        return pass_down(payload, now, arrival);
    }
    if (group != nullptr) {
        group->waited = true;
    }
    const Mshrs::Place place = mshrs_.reserve(line, missing);
    switch (place.outcome) {
    case Mshrs::Outcome::kFull:
        return {Answer::Kind::kHeld};
    case Mshrs::Outcome::kJoined:
        ++stats_.l1_mshr_merges;
        count_sectors(touched, 0);
        break;
    case Mshrs::Outcome::kNew:
        count_sectors(touched, place.sectors);
        note_mshr_use(now);
        free_at_ = std::max(free_at_, arrival);
        const std::optional<RawTime> filled = start_fills(place, line, now, arrival);
        if (filled && place.sectors == missing && port_.outstanding() == 0) { // the memory below has nothing more to
                                                                              // answer
            SectorBytes bytes{size_, line, missing, mshrs_.data(place.index)};
            transfer(payload, bytes);
            payload.set_response_status(tlm::TLM_OK_RESPONSE);
            return {Answer::Kind::kDone, std::max(*filled, arrival + latency_)};
        }
        break;
    }
    mshrs_.wait(line, missing, {&payload, payload.get_address(), payload.get_data_length(), arrival});
    wake_for_due();
    return {Answer::Kind::kLater};
}

/// Copies to a read, which needs the sectors `touched`, the bytes that are present in its line, as they are now;
/// returns the absent sectors. If none are absent, it is a hit.
l1::Sectors L1Cache::read_present(Payload &payload, std::uint64_t line, l1::Sectors touched) {
    const l1::Lines::Line there = lines_.use(line);
    if ((there.present & touched) != 0) {
        SectorBytes bytes{size_, line, there.present, there.data};
        transfer(payload, bytes);
    }
    return touched & ~there.present;
}

/// Whether the bypass policy, which there is, has a read of `touched` forwarded that misses `missing`. A request that
/// is held is handled again, but the policy is asked only once.
bool L1Cache::is_forwarded(const Payload &payload, std::uint64_t line, l1::Sectors touched, l1::Sectors missing) {
    const l1::Sectors fetched = mshrs_.to_fetch(line, missing);
    if (fetched == 0 || std::exchange(asked_, true)) {
        return false;
    }
    const auto *group = payload.get_extension<protocol::AccessGroupExtension>();
    const bool forwarded = bypass_->bypasses({.address = payload.get_address(),
                                              .bytes = payload.get_data_length(),
                                              .line = line,
                                              .touched = touched,
                                              .fetched = fetched,
                                              .stalls = mshrs_.is_full(),
                                              .transactions = group != nullptr ? group->transactions : 0,
                                              .port = group != nullptr ? group->port : 0});
    if (forwarded) {
        count_sectors(touched, fetched);
    }
    return forwarded;
}

/// Counts the look-up of a read of `touched` that fetches some of them. As profilers count look-ups of tags, sectors
/// under way for an earlier read are hits.
inline void L1Cache::count_sectors(l1::Sectors touched, l1::Sectors fetched) {
    const unsigned misses = bit_count(fetched);
    stats_.l1_sector_hits += bit_count(touched) - misses;
    stats_.l1_sector_misses += misses;
}

/// When the data array starts with a hit. `group`: of its access, or null.
RawTime L1Cache::data_of_hit(const protocol::AccessGroupExtension *group, std::uint64_t address, std::uint64_t bytes,
                             RawTime arrival) {
    if (bytes_per_cycle_ == 0) {
        return arrival;
    }
    if (group == nullptr || group->wavefronts == 0) {
        const std::uint64_t words = (address + (bytes - 1)) / kWord - address / kWord + 1;
        return take_array((words * kWord + bytes_per_cycle_ - 1) / bytes_per_cycle_, arrival);
    }
    if (group->group != served_group_) {
        const Cycle least = (group->ideal_wavefronts * kDataRow + bytes_per_cycle_ - 1) / bytes_per_cycle_;
        served_group_ = group->group;
        served_ = take_array(std::max<Cycle>(group->wavefronts, least), arrival);
    }
    return std::max(served_, arrival); // a transaction may come after the others had their data
}

/// Takes the data array for `cycles`; returns the beginning.
RawTime L1Cache::take_array(Cycle cycles, RawTime arrival) {
    const RawTime taken = cycles * period_;
    const RawTime now = time_.raw();
    const RawTime begin = array_.reserve(now, arrival, taken) - (taken - 1);
    const Cycle first = clock_.complete(begin);
    array_use_.add(clock_.complete(now), first, first + cycles);
    return begin;
}

/// Keeps lines and fills consistent for a write or IGNORE command that is about to be passed down.
void L1Cache::change_lines(Payload &payload) {
    const std::uint64_t span = span_of(payload);
    if (payload.is_write()) {
        line_order_.write(payload.get_address(), span);
        PresentLines present{lines_};
        transfer(payload, present);
    } else {
        line_order_.change_unseen(payload.get_address(), span);
    }
}

// --- rows that come with a request ---------------------------------------------------------------------------------

/// As `handle`, with the following rows as far as they can be done at once: hits, and what the memory below takes.
L1Cache::Answer L1Cache::handle_rows(Payload &payload, protocol::RowsExtension &rows, RawTime now, RawTime arrival) {
    rows.taken = 0;
    if (is_cacheable_read(payload)) {
        const Answer answer = handle(payload, now, arrival);
        if (answer.kind == Answer::Kind::kDone && free_at_ <= now && payload.is_response_ok()) {
            rows.taken = read_rows(payload, rows.offered, arrival);
        }
        return answer;
    }
    offer_below(payload, rows);
    const std::span<MemoryRow> offered = rows.offered;
    const Answer answer = handle(payload, now, arrival);
    rows.offered = {}; // a held request is passed down later, alone
    rows.taken = std::min(rows.taken, offered.size());
    rows_performed(payload, offered.first(rows.taken), now);
    return answer;
}

/// Reads the rows of the access of `payload` up to the first that is no hit.
std::size_t L1Cache::read_rows(const Payload &payload, std::span<MemoryRow> rows, RawTime arrival) {
    const auto *group = payload.get_extension<protocol::AccessGroupExtension>();
    std::size_t read = 0;
    for (MemoryRow &row : rows) {
        const std::uint64_t line = size_.line_of(row.address);
        if (row.enables != nullptr || !size_.in_one_line(row.address, row.bytes)) {
            break;
        }
        const l1::Sectors touched = size_.touched_in_line(row.address, row.bytes);
        const std::uint8_t *bytes = lines_.use_all(line, touched);
        if (bytes == nullptr) {
            break;
        }
        count_sectors(touched, 0);
        copy_bytes(row.data, bytes + (row.address - line), row.bytes);
        row.when = data_of_hit(group, row.address, row.bytes, arrival) + latency_;
        row.cache_hit = true;
        ++read;
    }
    stats_.l1_hits += read;
    return read;
}

/// Offers the memory the rows up to the first that must wait here or that this cache answers.
void L1Cache::offer_below(const Payload &payload, protocol::RowsExtension &rows) const {
    rows.to = port_.socket.peer();
    if (payload.is_read() && bypasses(payload)) {
        return;
    }
    const auto stays = [&](const MemoryRow &row) {
        return payload.is_read() ? size_.in_one_line(row.address, row.bytes)
                                 : line_order_.must_wait(row.address, row.bytes);
    };
    const auto first = std::ranges::find_if(rows.offered, stays);
    rows.offered = rows.offered.first(static_cast<std::size_t>(first - rows.offered.begin()));
}

/// Does here what a change and its answer do, for rows that the memory has performed.
void L1Cache::rows_performed(const Payload &payload, std::span<MemoryRow> rows, RawTime now) {
    const std::uint64_t earliest = now + period_;
    for (MemoryRow &row : rows) {
        row.when = std::max(row.when, earliest);
    }
    if (payload.is_write()) {
        for (const MemoryRow &row : rows) {
            line_order_.write(row.address, row.bytes);
            for_each_enabled(row, [&](std::uint32_t begin, std::uint32_t bytes) {
                lines_.update(row.address + begin, row.data + begin, bytes);
            });
        }
    } else if (!payload.is_read()) {
        for (const MemoryRow &row : rows) {
            line_order_.change_unseen(row.address, row.bytes);
        }
    }
}

// --- downstream ----------------------------------------------------------------------------------------------------

L1Cache::Answer L1Cache::pass_down(Payload &payload, RawTime now, RawTime arrival) {
    passing_ = &payload;
    passed_at_.reset();
    if (payload.is_write()) {
        line_order_.sent(payload, payload.get_address());
    }
    port_.send(payload, spans_.of(std::max(arrival, now) - time_.raw()));
    passing_ = nullptr;
    if (passed_at_) {
        return {Answer::Kind::kDone, *passed_at_};
    }
    return {Answer::Kind::kLater};
}

/// Returns when the last of them takes effect, if all have been completed on their calls.
std::optional<RawTime> L1Cache::start_fills(const Mshrs::Place &place, std::uint64_t line, RawTime now,
                                            RawTime arrival) {
    filled_at_ = 0;
    std::uint8_t *data = mshrs_.data(place.index);
    size_.for_each_part(line, place.sectors, line, size_.bytes(), [&](std::uint64_t address, std::uint64_t bytes) {
        ++stats_.l1_misses;
        stats_.l1_refetches += seen_.add(address) ? 1 : 0;
        auto &fill = pool_.acquire();
        auto *extension = protocol::extension_of(fill);
        extension->owner = this;
        extension->mshr = place.index;
        extension->sectors = size_.touched_in_line(address, bytes);
        prepare_fill(fill, address, data + (address - line), static_cast<unsigned>(bytes));
        filling_ = &fill;
        port_.send(fill, spans_.of(std::max(arrival, now) - time_.raw()));
        filling_ = nullptr;
    });
    return mshrs_.in_hand(place.index) == place.sectors ? std::optional(filled_at_) : std::nullopt;
}

/// The memory has reported the end of a transaction; takes effect at `when`, one cycle from now at the earliest.
void L1Cache::answered(Payload &payload, const sc_core::sc_time &when) {
    const RawTime effect = std::max(when.value(), std::max(time_.raw(), looked_at_) + period_);
    if (filling_ == &payload && payload.is_response_ok()) [[likely]] {
        const FillExtension &fill = pool_.own(payload).extension();
        mshrs_.data_in_hand(fill.mshr, fill.sectors);
        filled_at_ = std::max(filled_at_, effect);
        add_due({effect, &payload});
        return;
    }
    const bool is_passing = passing_ == &payload;
    const auto *fill = is_passing ? nullptr : payload.get_extension<FillExtension>();
    if (fill != nullptr && fill->owner == this) {
        add_due({effect, &payload});
        wake_.set(effect);
        return;
    }
    if (payload.is_write()) {
        write_answered(payload, effect);
    }
    if (is_passing) {
        passed_at_ = effect;
    } else {
        target_.respond(payload, effect, ++order_);
    }
}

/// A write has been answered; the answer takes effect at `effect`.
void L1Cache::write_answered(Payload &payload, RawTime effect) {
    const std::optional<std::uint64_t> address = line_order_.ended(payload);
    if (!address) {
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        SC_REPORT_ERROR(name(), "the memory answered a write that was not sent");
    } else if (!payload.is_response_ok()) {
        refused_.push_back({effect, *address, span_of(payload)});
    }
}

/// Drops the sectors of refused writes whose answers have taken effect by now.
void L1Cache::drop_refused(RawTime now) {
    std::erase_if(refused_, [&](const Refused &write) {
        if (write.when <= now) {
            line_order_.change_unseen(write.address, write.span);
        }
        return write.when <= now;
    });
}

/// Most answers arrive in the order of their times.
void L1Cache::add_due(const Due &due) {
    due_.push_back(due);
    for (std::size_t i = due_.size() - 1; i > 0 && due_[i - 1].when > due.when; --i) {
        std::swap(due_[i - 1], due_[i]);
    }
}

void L1Cache::take_effect(RawTime now) {
    if (!refused_.empty()) {
        drop_refused(now);
    }
    while (!due_.empty() && due_.front().when <= now) {
        const Due due = due_.front();
        due_.pop_front();
        complete_fill(*due.fill, due.when);
        retry_held(now);
    }
}

/// Completes a fill that takes effect at `when`; `when` has passed only if no request waits for it.
void L1Cache::complete_fill(Payload &fill, RawTime when) {
    const auto *extension = protocol::extension_of(pool_.own(fill)); // `answered` has checked whose it is
    const Mshrs::Index index = extension->mshr;
    const l1::Sectors sectors = extension->sectors;
    const bool filled = fill.is_response_ok();
    if (filled) {
        const std::uint64_t line = mshrs_.line(index);
        lines_.install(line, sectors & mshrs_.open(index), mshrs_.data(index));
        mshrs_.arrived(index, sectors, [&](const Mshrs::Waiter &waiter, l1::Sectors part, bool last) {
            SectorBytes bytes{size_, line, part, mshrs_.data(index)};
            transfer(*waiter.request, bytes);
            if (last) {
                waiter.request->set_response_status(tlm::TLM_OK_RESPONSE);
                target_.respond(*waiter.request, std::max(when, waiter.arrival + latency_), ++order_);
            }
        });
    } else {
        mshrs_.refused(index, sectors, [&](const Mshrs::Waiter &waiter) {
            const Answer answer = pass_down(*waiter.request, when, waiter.arrival);
            if (answer.kind == Answer::Kind::kDone) { // otherwise `answered` responds
                target_.respond(*waiter.request, std::max(std::max(when, waiter.arrival + latency_), answer.when),
                                ++order_);
            }
        });
    }
    note_mshr_use(when);
    fill.release();
}

void L1Cache::retry_held(RawTime now) {
    if (!target_.held()) {
        return;
    }
    const auto [payload, arrival] = *target_.held();
    const Answer answer = handle(*payload, now, std::max(now, arrival));
    if (answer.kind == Answer::Kind::kHeld) {
        return;
    }
    target_.accept();
    if (answer.kind == Answer::Kind::kDone) {
        target_.respond(*payload, answer.when, ++order_);
    }
}

// --- blocking and debug --------------------------------------------------------------------------------------------

void L1Cache::blocking(unsigned, Payload &payload, sc_core::sc_time &delay) {
    port_.wait_idle();
    run_due(time_.raw());
    const tlm::tlm_response_status status = check_fields(payload);
    const std::uint64_t address = payload.get_address();
    const std::uint64_t line = size_.line_of(address);
    if (status != tlm::TLM_OK_RESPONSE) {
        payload.set_response_status(status);
    } else if (!is_cacheable_read(payload)) {
        if (!payload.is_read()) {
            change_lines(payload);
        }
        port_.socket->b_transport(payload, delay);
        if (payload.is_write() && !payload.is_response_ok()) {
            line_order_.change_unseen(address, span_of(payload));
        }
    } else {
        blocking_read(payload, line, delay);
    }
    payload.set_dmi_allowed(false);
}

void L1Cache::blocking_read(Payload &payload, std::uint64_t line, sc_core::sc_time &delay) {
    const l1::Sectors touched = size_.touched_in_line(payload.get_address(), payload.get_data_length());
    const l1::Sectors missing = read_present(payload, line, touched);
    asked_ = false;
    if (missing != 0 && bypass_ != nullptr && is_forwarded(payload, line, touched, missing)) {
        port_.socket->b_transport(payload, delay);
        return;
    }
    count_sectors(touched, missing);
    if (missing == 0) {
        ++stats_.l1_hits;
        const RawTime now = time_.raw();
        const RawTime begin = data_of_hit(payload.get_extension<protocol::AccessGroupExtension>(),
                                          payload.get_address(), payload.get_data_length(), now + delay.value());
        delay = sc_core::sc_time::from_value(begin + latency_ - now);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return;
    }
    std::vector<std::uint8_t> data(size_.bytes());
    const std::uint64_t changes = line_order_.changes();
    bool filled = true;
    size_.for_each_part(line, missing, line, size_.bytes(), [&](std::uint64_t address, std::uint64_t count) {
        if (!filled) {
            return;
        }
        ++stats_.l1_misses;
        Payload &fill = pool_.acquire();
        prepare_fill(fill, address, data.data() + (address - line), static_cast<unsigned>(count));
        port_.socket->b_transport(fill, delay);
        filled = fill.is_response_ok();
        fill.release();
    });
    if (!filled) {
        port_.socket->b_transport(payload, delay);
        return;
    }
    // The memory may have waited: this data lacks what was written meanwhile.
    if (changes == line_order_.changes()) {
        lines_.install(line, missing, data.data());
    }
    SectorBytes bytes{size_, line, missing, data.data()};
    transfer(payload, bytes);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned L1Cache::debug(unsigned, Payload &payload) {
    run_due(time_.raw());
    const std::uint64_t address = payload.get_address();
    const unsigned count = std::min(port_.socket->transport_dbg(payload), payload.get_data_length());
    if (payload.is_write() && count != 0) {
        line_order_.write(address, count);
        lines_.update(address, payload.get_data_ptr(), count);
    }
    return count;
}

void L1Cache::invalidate() {
    run_due(time_.raw());
    line_order_.change_all();
}

void L1Cache::limit(std::uint64_t bytes) {
    invalidate();
    lines_.limit(bytes);
}

std::optional<parts::UnansweredRequest> L1Cache::unanswered() const {
    return protocol::oldest_unanswered(port_, clock_);
}

void L1Cache::collect(GlobalMemoryStats &stats) const {
    stats.l1_hits += stats_.l1_hits;
    stats.l1_misses += stats_.l1_misses;
    stats.l1_mshr_merges += stats_.l1_mshr_merges;
    stats.l1_refetches += stats_.l1_refetches;
    stats.l1_sector_hits += stats_.l1_sector_hits;
    stats.l1_sector_misses += stats_.l1_sector_misses;
}

void L1Cache::add_use(Cycle end, UnitUses &uses) const {
    if (bytes_per_cycle_ != 0) {
        smsim::add_use(uses, UsedUnit::kL1Data, 1, array_use_.until(end));
    }
    smsim::add_use(uses, UsedUnit::kMshrs, mshrs_.count(), mshr_use(end));
}

/// Registers in use change at `when`, which may be ahead of the present time, but not before an earlier change: fills
/// end in the order of their times, and everything due ends before a request is handled.
inline void L1Cache::note_mshr_use(RawTime when) {
    mshr_levels_.push_back({clock_.complete(when), mshrs_.in_use()});
}

inline void L1Cache::settle_mshr_use(RawTime now) {
    const Cycle cycle = clock_.complete(now);
    while (!mshr_levels_.empty() && mshr_levels_.front().cycle <= cycle) {
        mshr_use_.set(mshr_levels_.front().cycle, mshr_levels_.front().in_use);
        mshr_levels_.pop_front();
    }
}

/// Use up to cycle `end`, including fills that have taken effect without a call.
UseSeries L1Cache::mshr_use(Cycle end) const {
    LevelTime use = mshr_use_;
    for (std::size_t i = 0; i < mshr_levels_.size() && mshr_levels_[i].cycle <= end; ++i) {
        use.set(mshr_levels_[i].cycle, mshr_levels_[i].in_use);
    }
    std::size_t in_use = mshrs_.in_use();
    std::map<Mshrs::Index, l1::Sectors> ended;
    for (std::size_t i = 0; i < due_.size(); ++i) {
        const Cycle cycle = clock_.complete(due_[i].when);
        if (cycle > end) {
            break;
        }
        const auto *fill = due_[i].fill->get_extension<FillExtension>();
        l1::Sectors &sectors = ended[fill->mshr];
        sectors |= fill->sectors;
        in_use -= sectors == mshrs_.under_way(fill->mshr) ? 1 : 0;
        use.set(cycle, in_use);
    }
    return use.until(end);
}

void L1Cache::clear_statistics() {
    stats_ = {};
    seen_.clear();
    run_due(time_.raw());
    settle_mshr_use(time_.raw());
    const Cycle now = clock_.now();
    array_use_.clear(now);
    mshr_use_.clear(now);
}

} // namespace smsim::memory
