// L1 data cache: lines and their order below, the four phases above.
#include "memory/l1_cache.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "model/error.h"

namespace smsim::memory {
namespace {

const L1Config &checked(const L1Config &config) {
    if (config.ways == 0 || config.latency == 0 || config.mshrs == 0) {
        throw InputError("l1.ways, l1.latency, l1.mshrs: 0 is not allowed; expected at least 1");
    }
    if (!std::has_single_bit(config.line_bytes) || config.line_bytes < 2) {
        throw InputError(fmt::format("l1.line_bytes: {}; expected a power of two from 2", config.line_bytes));
    }
    if (config.bytes / config.line_bytes < config.ways) {
        throw InputError(fmt::format("l1.bytes: {} holds no set of {} lines of {} bytes", config.bytes, config.ways,
                                     config.line_bytes));
    }
    return config;
}

/// One line as a store, for reads.
struct LineBytes {
    std::uint64_t base;
    const std::uint8_t *data;

    void read(std::uint64_t address, std::uint8_t *to, std::uint64_t count) const {
        std::memcpy(to, data + (address - base), count);
    }
    void write(std::uint64_t, const std::uint8_t *, std::uint64_t) {}
};

} // namespace

/// All present lines as a store, for writes: bytes of absent lines are left to memory.
struct PresentLines {
    L1Cache &cache;

    void read(std::uint64_t, std::uint8_t *, std::uint64_t) const {}
    void write(std::uint64_t address, const std::uint8_t *from, std::uint64_t count) {
        while (count != 0) {
            const std::uint64_t line = cache.line_of(address);
            const std::uint64_t part = std::min(count, line + cache.config_.line_bytes - address);
            if (std::uint8_t *data = cache.find_line(line, false)) {
                std::memcpy(data + (address - line), from, part);
            }
            address += part;
            from += part;
            count -= part;
        }
    }
};

L1Cache::L1Cache(const sc_core::sc_module_name &name, const L1Config &config, const sc_core::sc_time &period)
    : sc_module(name), config_(checked(config)), period_(period.value()), latency_(config.latency * period.value()),
      sets_(config.bytes / config.line_bytes / config.ways), port_("memory", period), tags_(sets_ * config.ways),
      lines_(sets_ * config.ways * config.line_bytes), mshrs_(config.mshrs) {
    SC_HAS_PROCESS(L1Cache);
    SC_METHOD(run);
    sensitive << wake_;
    dont_initialize();
    socket.on_request<&L1Cache::forward_path>(this);
    socket.on_blocking<&L1Cache::blocking>(this);
    socket.on_debug<&L1Cache::debug>(this);
    port_.on_done<&L1Cache::answered>(this);
    for (Mshr &mshr : mshrs_) {
        mshr.data.resize(config.line_bytes);
    }
}

L1Cache::~L1Cache() = default;

// --- upstream: four phases -----------------------------------------------------------------------------------------

tlm::tlm_sync_enum L1Cache::forward_path(unsigned, Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
    if (phase == tlm::BEGIN_REQ) {
        return begin_request(payload, phase, delay);
    }
    if (phase == tlm::END_RESP && responding_ == &payload) {
        // Told on the forward path: the next response leaves one cycle later at the earliest.
        const RawTime now = raw_now();
        return end_response(payload, std::max(now + delay.value(), now + period_));
    }
    return not_a_request(name(), phase);
}

tlm::tlm_sync_enum L1Cache::begin_request(Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
    if (!payload.has_mm()) {
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        SC_REPORT_ERROR(name(), "non-blocking transaction without a memory manager");
        return tlm::TLM_COMPLETED;
    }
    if (held_ || accept_) {
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        SC_REPORT_ERROR(name(), "BEGIN_REQ before the END_REQ of the request before");
        return tlm::TLM_COMPLETED;
    }
    const RawTime now = raw_now();
    const RawTime arrival = now + delay.value();
    run_due(now);
    payload.acquire();
    const Verdict verdict = handle(payload, now, arrival);
    switch (verdict.kind) {
    case Verdict::Kind::kDone:
        payload.set_dmi_allowed(false);
        payload.release();
        delay = sc_core::sc_time::from_value(verdict.when - now);
        return tlm::TLM_COMPLETED;
    case Verdict::Kind::kHeld:
        held_ = Waiter{&payload, arrival};
        return tlm::TLM_ACCEPTED;
    case Verdict::Kind::kLater:
        break;
    }
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
}

tlm::tlm_sync_enum L1Cache::end_response(Payload &payload, RawTime when) {
    responding_ = nullptr;
    response_free_at_ = when;
    payload.release();
    if (!responses_.empty()) {
        const RawTime now = raw_now();
        wake_.notify(sc_core::sc_time::from_value(std::max({when, responses_.top().when, now}) - now));
    }
    return tlm::TLM_COMPLETED;
}

void L1Cache::schedule_response(Payload &payload, RawTime when) {
    responses_.push({when, ++order_, &payload});
    wake_.notify(sc_core::sc_time::from_value(when - raw_now()));
}

void L1Cache::run() {
    const RawTime now = raw_now();
    run_due(now);
    if (accept_) {
        const Waiter accepted = *accept_;
        accept_.reset();
        tlm::tlm_phase phase = tlm::END_REQ;
        sc_core::sc_time delay = sc_core::sc_time::from_value(std::max(accepted.arrival, now) - now);
        socket->nb_transport_bw(*accepted.payload, phase, delay);
    }
    send_responses(now);
    if (!due_.empty()) {
        wake_.notify(sc_core::sc_time::from_value(due_.top().when - now));
    }
    if (!responses_.empty() && responding_ == nullptr) {
        wake_.notify(sc_core::sc_time::from_value(std::max(responses_.top().when, response_free_at_) - now));
    }
}

void L1Cache::send_responses(RawTime now) {
    while (responding_ == nullptr && !responses_.empty() && responses_.top().when <= now && response_free_at_ <= now) {
        Payload &payload = *responses_.top().payload;
        responses_.pop();
        responding_ = &payload;
        payload.set_dmi_allowed(false);
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        const tlm::tlm_sync_enum answer = socket->nb_transport_bw(payload, phase, delay);
        if (answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::END_RESP)) {
            if (responding_ == &payload) {
                end_response(payload, now + delay.value());
            }
        } else if (answer == tlm::TLM_UPDATED) {
            SC_REPORT_ERROR(name(), "initiator answered BEGIN_RESP with TLM_UPDATED and a phase other than END_RESP");
        }
    }
}

// --- meaning of a request ------------------------------------------------------------------------------------------

bool L1Cache::is_cacheable_read(const Payload &payload) const {
    if (!payload.is_read() || payload.get_streaming_width() < payload.get_data_length() ||
        !range_touches(line_of(payload.get_address()), payload.get_address() + payload.get_data_length() - 1, 1)) {
        return false;
    }
    const auto *group = payload.get_extension<protocol::AccessGroupExtension>();
    return group == nullptr || !group->bypass_l1;
}

L1Cache::Verdict L1Cache::handle(Payload &payload, RawTime now, RawTime arrival) {
    const tlm::tlm_response_status status = check_fields(payload);
    if (status != tlm::TLM_OK_RESPONSE) {
        payload.set_response_status(status);
        return {Verdict::Kind::kDone, arrival + latency_};
    }
    if (is_cacheable_read(payload)) {
        return handle_read(payload, line_of(payload.get_address()), now, arrival);
    }
    if (!payload.is_read()) {
        if (overlaps_waiting_read(payload.get_address(), span_of(payload))) {
            return {Verdict::Kind::kHeld};
        }
        before_change(payload);
    }
    return pass_down(payload, now, arrival);
}

L1Cache::Verdict L1Cache::handle_read(Payload &payload, std::uint64_t line, RawTime now, RawTime arrival) {
    if (const std::uint8_t *data = find_line(line, true)) {
        ++stats_.l1_hits;
        LineBytes bytes{line, data};
        transfer(payload, bytes);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return {Verdict::Kind::kDone, arrival + latency_};
    }
    if (mshrs_in_use_ != 0) {
        for (Mshr &mshr : mshrs_) {
            if (mshr.open && mshr.line == line) {
                ++stats_.l1_mshr_merges;
                mshr.waiters.push_back({&payload, arrival});
                return {Verdict::Kind::kLater};
            }
        }
        if (mshrs_in_use_ == mshrs_.size()) {
            return {Verdict::Kind::kHeld};
        }
    }
    const auto unused = std::ranges::find(mshrs_, false, &Mshr::in_use);
    ++stats_.l1_misses;
    unused->waiters.push_back({&payload, arrival});
    start_fill(static_cast<std::uint32_t>(unused - mshrs_.begin()), line, now, arrival);
    return {Verdict::Kind::kLater};
}

bool L1Cache::overlaps_waiting_read(std::uint64_t address, std::uint64_t span) const {
    if (mshrs_in_use_ == 0) {
        return false;
    }
    const auto reads_these = [&](const Waiter &waiter) {
        const std::uint64_t first = waiter.payload->get_address();
        return first - address < span || address - first < waiter.payload->get_data_length();
    };
    return std::ranges::any_of(mshrs_, [&](const Mshr &mshr) {
        return mshr.in_use && !mshr.in_hand && range_touches(mshr.line, address, span) &&
               std::ranges::any_of(mshr.waiters, reads_these);
    });
}

/// Keeps lines and fills right for a write or IGNORE command that is about to go down.
void L1Cache::before_change(Payload &payload) {
    ++changes_;
    detach_fills(payload.get_address(), span_of(payload));
    if (payload.is_write()) {
        PresentLines lines{*this};
        transfer(payload, lines);
    } else {
        drop_lines(payload.get_address(), span_of(payload));
    }
}

// --- downstream ----------------------------------------------------------------------------------------------------

L1Cache::Verdict L1Cache::pass_down(Payload &payload, RawTime now, RawTime arrival) {
    passing_ = &payload;
    passed_at_.reset();
    if (payload.is_write()) {
        writes_below_.push_back({&payload, payload.get_address()});
    }
    port_.send(payload, sc_core::sc_time::from_value(std::max(arrival, now) - now));
    passing_ = nullptr;
    if (passed_at_) {
        return {Verdict::Kind::kDone, *passed_at_};
    }
    return {Verdict::Kind::kLater};
}

void L1Cache::prepare_fill(Payload &fill, std::uint64_t line, std::uint8_t *data) const {
    fill.set_command(tlm::TLM_READ_COMMAND);
    fill.set_address(line);
    fill.set_data_ptr(data);
    fill.set_data_length(config_.line_bytes);
    fill.set_streaming_width(config_.line_bytes);
}

void L1Cache::start_fill(std::uint32_t index, std::uint64_t line, RawTime now, RawTime arrival) {
    Mshr &mshr = mshrs_[index];
    mshr.in_use = true;
    mshr.open = true;
    mshr.in_hand = false;
    mshr.line = line;
    mshr.fill = &fills_.acquire();
    ++mshrs_in_use_;
    auto *extension = protocol::extension_of<FillExtension>(*mshr.fill);
    extension->owner = this;
    extension->mshr = index;
    prepare_fill(*mshr.fill, line, mshr.data.data());
    filling_ = index;
    port_.send(*mshr.fill, sc_core::sc_time::from_value(std::max(arrival, now) - now));
    filling_.reset();
}

/// The memory has told the end of a transaction; takes effect at `when`, one cycle from now at the earliest.
void L1Cache::answered(Payload &payload, const sc_core::sc_time &when) {
    const RawTime now = raw_now();
    const RawTime effect = std::max(when.value(), now + period_);
    const auto *fill = payload.get_extension<FillExtension>();
    if (fill != nullptr && fill->owner == this) {
        mshrs_[fill->mshr].in_hand = filling_ == fill->mshr && payload.is_response_ok();
        due_.push({effect, ++order_, fill->mshr});
        wake_.notify(sc_core::sc_time::from_value(effect - now));
        return;
    }
    if (payload.is_write()) {
        const std::uint64_t address = take_write(payload);
        if (!payload.is_response_ok()) {
            ++changes_;
            detach_fills(address, span_of(payload));
            drop_lines(address, span_of(payload));
        }
    }
    if (passing_ == &payload) {
        passed_at_ = effect;
    } else {
        schedule_response(payload, effect);
    }
}

/// Address with which the write `payload` went down; the write is forgotten.
std::uint64_t L1Cache::take_write(const Payload &payload) {
    // The newest is the likeliest: a memory that completes on the call leaves no other.
    std::size_t at = writes_below_.size() - 1;
    while (writes_below_[at].payload != &payload) {
        --at;
    }
    const std::uint64_t address = writes_below_[at].address;
    writes_below_[at] = writes_below_.back();
    writes_below_.pop_back();
    return address;
}

/// Everything that answers from below have made due by now. Called before anything else looks at lines or MSHRs.
void L1Cache::run_due(RawTime now) {
    while (!due_.empty() && due_.top().when <= now) {
        const std::uint32_t index = due_.top().mshr;
        due_.pop();
        complete_fill(index, now);
        retry_held(now);
    }
}

void L1Cache::complete_fill(std::uint32_t index, RawTime now) {
    Mshr &mshr = mshrs_[index];
    const bool filled = mshr.fill->is_response_ok();
    if (filled && mshr.open) {
        install(mshr.line, mshr.data.data());
    }
    LineBytes bytes{mshr.line, mshr.data.data()};
    for (const Waiter &waiter : mshr.waiters) {
        RawTime ready = std::max(now, waiter.arrival + latency_);
        if (filled) {
            transfer(*waiter.payload, bytes);
            waiter.payload->set_response_status(tlm::TLM_OK_RESPONSE);
        } else {
            const Verdict verdict = pass_down(*waiter.payload, now, waiter.arrival);
            if (verdict.kind == Verdict::Kind::kLater) {
                continue; // `answered` schedules the response
            }
            ready = std::max(ready, verdict.when);
        }
        schedule_response(*waiter.payload, ready);
    }
    mshr.waiters.clear();
    mshr.fill->release();
    mshr.fill = nullptr;
    mshr.in_use = false;
    mshr.open = false;
    --mshrs_in_use_;
}

void L1Cache::retry_held(RawTime now) {
    if (!held_) {
        return;
    }
    Payload &payload = *held_->payload;
    const Verdict verdict = handle(payload, now, std::max(now, held_->arrival));
    if (verdict.kind == Verdict::Kind::kHeld) {
        return;
    }
    accept_ = held_;
    held_.reset();
    wake_.notify(sc_core::SC_ZERO_TIME);
    if (verdict.kind == Verdict::Kind::kDone) {
        schedule_response(payload, verdict.when);
    }
}

// --- blocking and debug --------------------------------------------------------------------------------------------

void L1Cache::blocking(unsigned, Payload &payload, sc_core::sc_time &delay) {
    port_.wait_idle();
    run_due(raw_now());
    const tlm::tlm_response_status status = check_fields(payload);
    const std::uint64_t address = payload.get_address();
    const std::uint64_t line = line_of(address);
    if (status != tlm::TLM_OK_RESPONSE) {
        payload.set_response_status(status);
    } else if (!is_cacheable_read(payload)) {
        if (!payload.is_read()) {
            before_change(payload);
        }
        port_.socket->b_transport(payload, delay);
        if (payload.is_write() && !payload.is_response_ok()) {
            drop_lines(address, span_of(payload));
        }
    } else if (const std::uint8_t *data = find_line(line, true)) {
        ++stats_.l1_hits;
        LineBytes bytes{line, data};
        transfer(payload, bytes);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        delay += sc_core::sc_time::from_value(latency_);
    } else {
        blocking_miss(payload, line, delay);
    }
    payload.set_dmi_allowed(false);
}

void L1Cache::blocking_miss(Payload &payload, std::uint64_t line, sc_core::sc_time &delay) {
    ++stats_.l1_misses;
    std::vector<std::uint8_t> data(config_.line_bytes);
    const std::uint64_t changes = changes_;
    Payload &fill = fills_.acquire();
    prepare_fill(fill, line, data.data());
    port_.socket->b_transport(fill, delay);
    const bool filled = fill.is_response_ok();
    fill.release();
    if (!filled) {
        port_.socket->b_transport(payload, delay);
        return;
    }
    // The memory may have waited: what was written meanwhile is not in this data.
    if (changes == changes_ && find_line(line, false) == nullptr) {
        install(line, data.data());
    }
    LineBytes bytes{line, data.data()};
    transfer(payload, bytes);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned L1Cache::debug(unsigned, Payload &payload) {
    const std::uint64_t address = payload.get_address();
    const unsigned count = std::min(port_.socket->transport_dbg(payload), payload.get_data_length());
    if (payload.is_write() && count != 0) {
        ++changes_;
        detach_fills(address, count);
        PresentLines{*this}.write(address, payload.get_data_ptr(), count);
    }
    return count;
}

// --- lines ---------------------------------------------------------------------------------------------------------

/// True when `line` holds some byte of `address .. address + span - 1`; does not overflow at the end of the addresses.
bool L1Cache::range_touches(std::uint64_t line, std::uint64_t address, std::uint64_t span) const {
    return span != 0 && (address - line < config_.line_bytes || line - address < span);
}

std::uint8_t *L1Cache::find_line(std::uint64_t line, bool touch) {
    const std::uint64_t first = line / config_.line_bytes % sets_ * config_.ways;
    for (std::uint64_t slot = first; slot < first + config_.ways; ++slot) {
        if (tags_[slot].line == line) {
            if (touch) {
                tags_[slot].used = ++uses_;
            }
            return lines_.data() + slot * config_.line_bytes;
        }
    }
    return nullptr;
}

void L1Cache::install(std::uint64_t line, const std::uint8_t *data) {
    const std::uint64_t first = line / config_.line_bytes % sets_ * config_.ways;
    const auto set = tags_.begin() + static_cast<std::ptrdiff_t>(first);
    const auto victim =
        std::min_element(set, set + config_.ways, [](const Tag &a, const Tag &b) { return a.used < b.used; });
    *victim = {line, ++uses_};
    std::memcpy(lines_.data() + static_cast<std::uint64_t>(victim - tags_.begin()) * config_.line_bytes, data,
                config_.line_bytes);
}

void L1Cache::drop_lines(std::uint64_t address, std::uint64_t span) {
    if (span > lines_.size()) { // longer than the cache: cheaper to look at every line
        for (Tag &tag : tags_) {
            if (range_touches(tag.line, address, span)) {
                tag = Tag{};
            }
        }
        return;
    }
    for (std::uint64_t done = 0; done < span;) {
        const std::uint64_t line = line_of(address + done);
        if (const std::uint8_t *data = find_line(line, false)) {
            tags_[static_cast<std::uint64_t>(data - lines_.data()) / config_.line_bytes] = Tag{};
        }
        done += line + config_.line_bytes - (address + done);
    }
}

void L1Cache::detach_fills(std::uint64_t address, std::uint64_t span) {
    if (mshrs_in_use_ == 0) {
        return;
    }
    for (Mshr &mshr : mshrs_) {
        if (mshr.open && range_touches(mshr.line, address, span)) {
            mshr.open = false;
        }
    }
}

void L1Cache::invalidate() {
    ++changes_;
    std::ranges::fill(tags_, Tag{});
    for (Mshr &mshr : mshrs_) {
        mshr.open = false;
    }
}

void L1Cache::collect(GlobalMemoryStats &stats) const {
    stats.l1_hits += stats_.l1_hits;
    stats.l1_misses += stats_.l1_misses;
    stats.l1_mshr_merges += stats_.l1_mshr_merges;
}

} // namespace smsim::memory
