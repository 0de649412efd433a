// Shared memory: what a transaction does (transfer.h) and the timing of its passes.
#include "memory/shared_memory.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "model/config/validate.h"
#include "model/error.h"
#include "model/protocol/rows.h"

namespace smsim::memory {

namespace {

/// The bytes that a transaction moves, without disabled ones.
std::uint64_t enabled_bytes(const Payload &payload) {
    const unsigned char *const enables = payload.get_byte_enable_ptr();
    const std::uint64_t bytes = payload.get_data_length();
    if (enables == nullptr || payload.get_byte_enable_length() == 0) {
        return bytes;
    }
    const std::span pattern(enables, payload.get_byte_enable_length());
    const std::uint64_t rounds = bytes / pattern.size();
    const auto in = [](std::span<const unsigned char> part) {
        return static_cast<std::uint64_t>(std::ranges::count(part, TLM_BYTE_ENABLED));
    };
    return rounds * in(pattern) + in(pattern.first(bytes % pattern.size()));
}

/// Phases that a transaction covers after its first.
std::uint32_t further_phases(const protocol::AccessGroupExtension *group) {
    return group != nullptr && group->phased ? group->phases - 1 : 0;
}

} // namespace

SharedMemory::SharedMemory(const sc_core::sc_module_name &name, const SharedMemoryConfig &config,
                           const sc_core::sc_time &period, std::uint32_t front)
    : sc_module(name_if_valid(name, config)), config_(config), clock_(period), period_(period.value()),
      latency_((config.latency - front) * period.value()), store_(config.bytes),
      conflicts_(config.banks, config.bank_bytes, config.conflict_free) {
    if (config.bytes == 0 || config.latency <= front) {
        throw InputError(
            fmt::format("shared.bytes: 0 is not allowed, nor a shared.latency up to the {} cycles before the "
                        "memory",
                        front));
    }
    if (config.pass_interval > 1) {
        calendar_.emplace(config.pass_interval);
    }
    socket.on_request<&SharedMemory::request>(this);
    socket.on_blocking<&SharedMemory::blocking>(this);
    socket.on_debug<&SharedMemory::debug>(this);
    socket.on_dmi<&SharedMemory::direct>(this);
}

tlm::tlm_sync_enum SharedMemory::request(unsigned, Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
    if (phase != tlm::BEGIN_REQ) [[unlikely]] {
        return not_a_request(name(), phase);
    }
    const RawTime now = time_.raw();
    const RawTime arrival = now + delay.value();
    delay = spans_.of(access(payload, arrival) - now);
    if (auto *rows = protocol::rows_for(socket.identity(), payload); rows != nullptr && payload.is_response_ok()) {
        rows->taken = perform_rows(payload, rows->offered, arrival);
    }
    return tlm::TLM_COMPLETED;
}

void SharedMemory::blocking(unsigned, Payload &payload, sc_core::sc_time &delay) {
    const RawTime now = time_.raw();
    delay = sc_core::sc_time::from_value(access(payload, now + delay.value()) - now);
}

inline void SharedMemory::open_access(const protocol::AccessGroupExtension *group, RawTime arrival) {
    const std::uint32_t phase = group != nullptr && group->phased ? group->phase : 0;
    // A transaction that arrives after the first pass has begun is too late to share it, whatever its group.
    if (open_ && grouped_ && group != nullptr && group->group == group_ && arrival <= start_) {
        if (phase != phase_) {
            phase_ = phase;
            phases_passes_ += conflicts_.passes();
            phases_least_ += conflicts_.least_passes();
            scheduled_ = 0;
            conflicts_.begin();
        }
        return;
    }
    count_open_access(stats_);
    open_ = true;
    grouped_ = group != nullptr;
    group_ = grouped_ ? group->group : 0;
    phase_ = phase;
    phases_passes_ = 0;
    phases_least_ = 0;
    scheduled_ = 0;
    conflicts_.begin();
    if (calendar_) {
        const unsigned port = group != nullptr ? group->port : 0;
        const Cycle cycle = clock_.first_from(arrival);
        const Cycle path_cycles = group != nullptr ? group->path_cycles : 0;
        short_phases_ = group != nullptr && group->phased && !group->full_passes;
        start_ = calendar_->begin(port, cycle, clock_.now(), short_phases_, path_cycles) * period_;
        scheduled_ = 1;
    } else {
        start_ = free_at_ = std::max(arrival, free_at_);
    }
}

inline RawTime SharedMemory::pass_of(std::uint32_t pass, std::uint32_t further) {
    const std::uint32_t passes = conflicts_.passes();
    phases_passes_ += further;
    phases_least_ += further;
    if (!calendar_) {
        return start_ + (phases_passes_ + pass - 1) * period_;
    }
    for (; scheduled_ < passes; ++scheduled_) {
        calendar_->next(scheduled_ == 0 && short_phases_);
    }
    for (std::uint32_t phase = 0; phase < further; ++phase) {
        calendar_->next(short_phases_);
    }
    return calendar_->taken() * period_;
}

inline void SharedMemory::tell_passes(protocol::AccessGroupExtension *group) {
    const std::uint32_t passes = phases_passes_ + conflicts_.passes();
    if (!calendar_) {
        const RawTime end = start_ + passes * period_;
        array_use_.add(clock_.now(), clock_.complete(free_at_), clock_.complete(end));
        free_at_ = end;
    }
    if (group != nullptr) {
        group->passes = passes;
        group->conflicts = passes - phases_least_ - conflicts_.least_passes();
        if (calendar_) {
            group->begins = time_.get() + spans_.of(start_ - time_.raw());
        }
    }
}

RawTime SharedMemory::access(Payload &payload, RawTime arrival) {
    protocol::AtomicExtension *atomic = atomic_of(payload);
    const tlm::tlm_response_status status = atomic != nullptr ? check_atomic(payload, *atomic) : check_fields(payload);
    if (status != tlm::TLM_OK_RESPONSE) [[unlikely]] {
        payload.set_response_status(status);
        return arrival + latency_;
    }
    if (atomic == nullptr && payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return arrival + latency_;
    }
    if (!store_.contains(payload.get_address(), span_of(payload))) [[unlikely]] {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return arrival + latency_;
    }

    auto *group = protocol::extension_of<protocol::AccessGroupExtension>(payload);
    open_access(group, arrival);
    std::uint32_t pass = 0;
    RawTime extra = 0;
    if (atomic != nullptr) {
        perform(payload, *atomic, store_);
        pass = conflicts_.add_exclusive(payload.get_address(), payload.get_data_length());
        extra = config_.atomic_latency * period_;
        ++stats_.atomics;
    } else {
        transfer(payload, store_);
        pass = payload.get_byte_enable_ptr() == nullptr ? conflicts_.add(payload.get_address(), span_of(payload))
                                                        : enabled_passes(payload);
        (payload.is_read() ? stats_.read_bytes : stats_.write_bytes) += enabled_bytes(payload);
    }
    payload.set_dmi_allowed(true);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    const RawTime served = pass_of(std::max(pass, 1U), further_phases(group));
    tell_passes(group);
    return served + latency_ + extra;
}

/// Performs the reads and writes among rows, with the command of `payload` and in its access, which is still open, up
/// to the first that would be refused as a transaction. None if each of them has several phases.
std::size_t SharedMemory::perform_rows(Payload &payload, std::span<MemoryRow> rows, RawTime arrival) {
    auto *group = protocol::extension_of<protocol::AccessGroupExtension>(payload);
    if (payload.get_command() == tlm::TLM_IGNORE_COMMAND || group == nullptr || further_phases(group) != 0) {
        return 0;
    }
    open_access(group, arrival);
    const bool read = payload.is_read();
    std::uint64_t &bytes = read ? stats_.read_bytes : stats_.write_bytes;
    std::size_t taken = 0;
    for (MemoryRow &row : rows) {
        if (!store_.contains(row.address, row.bytes)) [[unlikely]] {
            break;
        }
        std::uint32_t pass = 1;
        for_each_enabled(row, [&](std::uint32_t begin, std::uint32_t count) {
            if (read) {
                store_.read(row.address + begin, row.data + begin, count);
            } else {
                store_.write(row.address + begin, row.data + begin, count);
            }
            pass = std::max(pass, conflicts_.add(row.address + begin, count));
            bytes += count;
        });
        row.when = pass_of(pass, 0) + latency_;
        ++taken;
    }
    tell_passes(group);
    return taken;
}

/// Places only words with an enabled byte. Streaming beats hit the same words and share their pass.
std::uint32_t SharedMemory::enabled_passes(const Payload &payload) {
    const std::uint64_t width = span_of(payload);
    std::uint32_t pass = 0;
    std::uint64_t run = 0; // enabled bytes in a row that end before i
    for (std::uint64_t i = 0; i <= payload.get_data_length(); ++i) {
        const bool enabled = i < payload.get_data_length() && byte_enabled(payload, i);
        if (run != 0 && (!enabled || i % width == 0)) {
            pass = std::max(pass, conflicts_.add(payload.get_address() + (i - run) % width, run));
            run = 0;
        }
        run += enabled ? 1 : 0;
    }
    return pass;
}

void SharedMemory::count_open_access(SharedMemoryStats &stats) const {
    if (open_) {
        const std::uint32_t passes = phases_passes_ + conflicts_.passes();
        ++stats.accesses;
        stats.passes += passes;
        stats.conflicts += passes - phases_least_ - conflicts_.least_passes();
        ++stats.ways[std::min<std::size_t>(passes, stats.ways.size() - 1)];
    }
}

SharedMemoryStats SharedMemory::stats() const {
    SharedMemoryStats result = stats_;
    count_open_access(result);
    return result;
}

void SharedMemory::clear_statistics() {
    stats_ = {};
    open_ = false;
    const Cycle now = clock_.now();
    array_use_.clear(now);
    if (calendar_) {
        calendar_->clear_use(now);
    }
}

void SharedMemory::add_use(Cycle end, UnitUses &uses) const {
    smsim::add_use(uses, UsedUnit::kSharedArray, 1, calendar_ ? calendar_->use(end) : array_use_.until(end));
    for (unsigned port = 0; calendar_ && port < calendar_->ports(); ++port) {
        smsim::add_use(uses, UsedUnit::kSharedPath, 1, calendar_->path_use(port, end));
    }
}

unsigned SharedMemory::debug(unsigned, Payload &payload) {
    if (payload.get_data_ptr() == nullptr || payload.get_address() >= store_.size()) {
        return 0;
    }
    const auto count = static_cast<unsigned>(
        std::min<std::uint64_t>(payload.get_data_length(), store_.size() - payload.get_address()));
    if (payload.is_read()) {
        store_.read(payload.get_address(), payload.get_data_ptr(), count);
    } else if (payload.is_write()) {
        store_.write(payload.get_address(), payload.get_data_ptr(), count);
    } else {
        return 0;
    }
    return count;
}

bool SharedMemory::direct(unsigned, Payload &payload, tlm::tlm_dmi &dmi) {
    dmi.init();
    if (payload.get_address() >= store_.size()) {
        dmi.allow_none();
        dmi.set_start_address(store_.size());
        return false;
    }
    dmi.set_dmi_ptr(store_.data());
    dmi.set_start_address(0);
    dmi.set_end_address(store_.size() - 1);
    dmi.set_read_latency(sc_core::sc_time::from_value(latency_));
    dmi.set_write_latency(sc_core::sc_time::from_value(latency_));
    dmi.allow_read_write();
    return true;
}

} // namespace smsim::memory
