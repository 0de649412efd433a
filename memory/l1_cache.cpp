// L1 data cache: what a request becomes, and when.
#include "memory/l1_cache.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "model/error.h"

namespace smsim::memory {
namespace {

const L1Config &checked(const L1Config &config, std::uint32_t front) {
    if (config.ways == 0 || config.latency <= front || config.mshrs == 0) {
        throw InputError(fmt::format("l1.ways, l1.latency, l1.mshrs: 0 is not allowed, nor a latency up to the {} "
                                     "cycles before the cache",
                                     front));
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

/// All present lines as a store, for writes: bytes of absent lines are left to memory.
struct PresentLines {
    l1::Lines &lines;

    void read(std::uint64_t, std::uint8_t *, std::uint64_t) const {}
    void write(std::uint64_t address, const std::uint8_t *from, std::uint64_t count) {
        lines.update(address, from, count);
    }
};

/// Answers a read whose bytes are in `data`, those of `line`.
void read_from(Payload &payload, std::uint64_t line, const std::uint8_t *data) {
    LineBytes bytes{line, data};
    transfer(payload, bytes);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

} // namespace

L1Cache::L1Cache(const sc_core::sc_module_name &name, const L1Config &config, const sc_core::sc_time &period,
                 std::uint32_t front)
    : sc_module(name), target_("socket", wake_, FourPhaseTarget::Telling::kAtItsTime, period.value()),
      size_(checked(config, front).line_bytes), period_(period.value()),
      latency_((config.latency - front) * period.value()), port_("memory", period),
      lines_(config.bytes, size_, config.ways), mshrs_(config.mshrs, size_), fills_(config.mshrs) {
    SC_HAS_PROCESS(L1Cache);
    SC_METHOD(run);
    sensitive << wake_;
    dont_initialize();
    target_.on_request<&L1Cache::request>(this);
    socket.on_blocking<&L1Cache::blocking>(this);
    socket.on_debug<&L1Cache::debug>(this);
    port_.on_done<&L1Cache::answered>(this);
}

L1Cache::~L1Cache() = default;

void L1Cache::run() {
    const RawTime now = raw_now();
    run_due(now);
    target_.run();
    if (!due_.empty()) {
        wake_.notify(sc_core::sc_time::from_value(due_.top().when - now));
    }
}

// --- meaning of a request ------------------------------------------------------------------------------------------

L1Cache::Answer L1Cache::request(unsigned, Payload &payload, RawTime arrival) {
    const RawTime now = raw_now();
    run_due(now);
    return handle(payload, now, arrival);
}

bool L1Cache::is_cacheable_read(const Payload &payload) const {
    if (!payload.is_read() || payload.get_streaming_width() < payload.get_data_length() ||
        !size_.in_one_line(payload.get_address(), payload.get_data_length())) {
        return false;
    }
    const auto *group = payload.get_extension<protocol::AccessGroupExtension>();
    return group == nullptr || !group->bypass_l1;
}

L1Cache::Answer L1Cache::handle(Payload &payload, RawTime now, RawTime arrival) {
    const tlm::tlm_response_status status = check_fields(payload);
    if (status != tlm::TLM_OK_RESPONSE) {
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
    if (read_present(payload, line)) {
        return {Answer::Kind::kDone, arrival + latency_};
    }
    const Mshrs::Place place =
        mshrs_.wait_for(line, {&payload, payload.get_address(), payload.get_data_length(), arrival});
    switch (place.outcome) {
    case Mshrs::Outcome::kFull:
        return {Answer::Kind::kHeld};
    case Mshrs::Outcome::kJoined:
        ++stats_.l1_mshr_merges;
        break;
    case Mshrs::Outcome::kNew:
        ++stats_.l1_misses;
        start_fill(place.index, line, now, arrival);
        break;
    }
    return {Answer::Kind::kLater};
}

/// Answers a read whose line is present.
bool L1Cache::read_present(Payload &payload, std::uint64_t line) {
    const std::uint8_t *data = lines_.use(line);
    if (data == nullptr) {
        return false;
    }
    ++stats_.l1_hits;
    read_from(payload, line, data);
    return true;
}

/// Keeps lines and fills right for a write or IGNORE command that is about to go down.
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

// --- downstream ----------------------------------------------------------------------------------------------------

L1Cache::Answer L1Cache::pass_down(Payload &payload, RawTime now, RawTime arrival) {
    passing_ = &payload;
    passed_at_.reset();
    if (payload.is_write()) {
        line_order_.sent(payload, payload.get_address());
    }
    port_.send(payload, sc_core::sc_time::from_value(std::max(arrival, now) - now));
    passing_ = nullptr;
    if (passed_at_) {
        return {Answer::Kind::kDone, *passed_at_};
    }
    return {Answer::Kind::kLater};
}

void L1Cache::prepare_fill(Payload &fill, std::uint64_t line, std::uint8_t *data) const {
    fill.set_command(tlm::TLM_READ_COMMAND);
    fill.set_address(line);
    fill.set_data_ptr(data);
    fill.set_data_length(size_.bytes());
    fill.set_streaming_width(size_.bytes());
}

void L1Cache::start_fill(Mshrs::Index index, std::uint64_t line, RawTime now, RawTime arrival) {
    Payload &fill = pool_.acquire();
    fills_[index] = &fill;
    auto *extension = protocol::extension_of<FillExtension>(fill);
    extension->owner = this;
    extension->mshr = index;
    prepare_fill(fill, line, mshrs_.data(index));
    filling_ = index;
    port_.send(fill, sc_core::sc_time::from_value(std::max(arrival, now) - now));
    filling_.reset();
}

/// The memory has told the end of a transaction; takes effect at `when`, one cycle from now at the earliest.
void L1Cache::answered(Payload &payload, const sc_core::sc_time &when) {
    const RawTime now = raw_now();
    const RawTime effect = std::max(when.value(), now + period_);
    const auto *fill = payload.get_extension<FillExtension>();
    if (fill != nullptr && fill->owner == this) {
        if (filling_ == fill->mshr && payload.is_response_ok()) {
            mshrs_.data_in_hand(fill->mshr);
        }
        due_.push({effect, ++order_, fill->mshr});
        wake_.notify(sc_core::sc_time::from_value(effect - now));
        return;
    }
    if (payload.is_write()) {
        write_answered(payload, effect);
    }
    if (passing_ == &payload) {
        passed_at_ = effect;
    } else {
        target_.respond(payload, effect, ++order_);
    }
}

/// A write has come back, which takes effect at `effect`.
void L1Cache::write_answered(Payload &payload, RawTime effect) {
    const std::optional<std::uint64_t> address = line_order_.ended(payload);
    if (!address) {
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        SC_REPORT_ERROR(name(), "the memory answered as a write what was not sent as one");
    } else if (!payload.is_response_ok()) {
        refused_.push_back({effect, *address, span_of(payload)});
    }
}

/// Drops the lines of refused writes whose answers have taken effect by now.
void L1Cache::drop_refused(RawTime now) {
    std::erase_if(refused_, [&](const Refused &write) {
        if (write.when <= now) {
            line_order_.change_unseen(write.address, write.span);
        }
        return write.when <= now;
    });
}

/// Everything that answers from below have made due by now. Called before anything else looks at lines or MSHRs.
void L1Cache::run_due(RawTime now) {
    if (!refused_.empty()) {
        drop_refused(now);
    }
    while (!due_.empty() && due_.top().when <= now) {
        const Mshrs::Index index = due_.top().mshr;
        due_.pop();
        complete_fill(index, now);
        retry_held(now);
    }
}

void L1Cache::complete_fill(Mshrs::Index index, RawTime now) {
    const bool filled = fills_[index]->is_response_ok();
    const std::uint64_t line = mshrs_.line(index);
    if (filled && mshrs_.is_open(index)) {
        lines_.install(line, mshrs_.data(index));
    }
    for (const Mshrs::Waiter &waiter : mshrs_.waiters(index)) {
        RawTime ready = std::max(now, waiter.arrival + latency_);
        if (filled) {
            read_from(*waiter.request, line, mshrs_.data(index));
        } else {
            const Answer answer = pass_down(*waiter.request, now, waiter.arrival);
            if (answer.kind == Answer::Kind::kLater) {
                continue; // `answered` responds
            }
            ready = std::max(ready, answer.when);
        }
        target_.respond(*waiter.request, ready, ++order_);
    }
    mshrs_.release(index);
    fills_[index]->release();
    fills_[index] = nullptr;
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
    run_due(raw_now());
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
    } else if (read_present(payload, line)) {
        delay += sc_core::sc_time::from_value(latency_);
    } else {
        blocking_miss(payload, line, delay);
    }
    payload.set_dmi_allowed(false);
}

void L1Cache::blocking_miss(Payload &payload, std::uint64_t line, sc_core::sc_time &delay) {
    ++stats_.l1_misses;
    std::vector<std::uint8_t> data(size_.bytes());
    const std::uint64_t changes = line_order_.changes();
    Payload &fill = pool_.acquire();
    prepare_fill(fill, line, data.data());
    port_.socket->b_transport(fill, delay);
    const bool filled = fill.is_response_ok();
    fill.release();
    if (!filled) {
        port_.socket->b_transport(payload, delay);
        return;
    }
    // The memory may have waited: what was written meanwhile is not in this data.
    if (changes == line_order_.changes() && !lines_.holds(line)) {
        lines_.install(line, data.data());
    }
    read_from(payload, line, data.data());
}

unsigned L1Cache::debug(unsigned, Payload &payload) {
    const std::uint64_t address = payload.get_address();
    const unsigned count = std::min(port_.socket->transport_dbg(payload), payload.get_data_length());
    if (payload.is_write() && count != 0) {
        line_order_.write(address, count);
        lines_.update(address, payload.get_data_ptr(), count);
    }
    return count;
}

void L1Cache::invalidate() {
    line_order_.change_all();
}

void L1Cache::collect(GlobalMemoryStats &stats) const {
    stats.l1_hits += stats_.l1_hits;
    stats.l1_misses += stats_.l1_misses;
    stats.l1_mshr_merges += stats_.l1_mshr_merges;
}

} // namespace smsim::memory
