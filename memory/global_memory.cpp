// Global memory: regions, transfers and their time.
#include "memory/global_memory.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/error.h"

namespace smsim::memory {
namespace {

std::uint32_t checked_bandwidth(const GlobalMemoryConfig &config) {
    if (config.bytes_per_cycle == 0 || config.latency == 0) {
        throw InputError("global.bytes_per_cycle, global.latency: 0 is not allowed; expected at least 1");
    }
    return config.bytes_per_cycle;
}

} // namespace

GlobalMemory::GlobalMemory(const sc_core::sc_module_name &name, const GlobalMemoryConfig &config,
                           const sc_core::sc_time &period, std::uint64_t page_bytes, const timing::Jitter &jitter,
                           const L2Config &l2)
    : sc_module(name), config_(config), clock_(period), period_(period.value()), regions_(config.bytes, page_bytes),
      bandwidth_(checked_bandwidth(config)), jitter_(jitter) {
    if (l2.bytes != 0) {
        l2_.emplace(l2);
    }
    socket.on_request<&GlobalMemory::request>(this);
    socket.on_blocking<&GlobalMemory::blocking>(this);
    socket.on_debug<&GlobalMemory::debug>(this);
    socket.on_dmi<&GlobalMemory::direct>(this);
}

void GlobalMemory::read(std::uint64_t address, std::span<std::uint8_t> to) const {
    regions_.require(address, to.size());
    store_.read(address, to.data(), to.size());
}

void GlobalMemory::write(std::uint64_t address, std::span<const std::uint8_t> from) {
    regions_.require(address, from.size());
    store_.write(address, from.data(), from.size());
    if (l2_) {
        l2_->hold(address, from.size());
    }
}

tlm::tlm_sync_enum GlobalMemory::request(unsigned, Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
    if (phase != tlm::BEGIN_REQ) {
        return not_a_request(name(), phase);
    }
    const RawTime now = time_.raw();
    delay = spans_.of(access(payload, now + delay.value()) - now);
    return tlm::TLM_COMPLETED;
}

void GlobalMemory::blocking(unsigned, Payload &payload, sc_core::sc_time &delay) {
    const RawTime now = time_.raw();
    delay = sc_core::sc_time::from_value(access(payload, now + delay.value()) - now);
}

RawTime GlobalMemory::access(Payload &payload, RawTime arrival) {
    const tlm::tlm_response_status status = perform_access(payload);
    payload.set_response_status(status);
    const Cycle cycle = clock_.now();
    const Cycle arrival_cycle = clock_.first_from(arrival);
    const bool is_atomic = payload.get_command() == tlm::TLM_IGNORE_COMMAND && atomic_of(payload) != nullptr;
    if (status != tlm::TLM_OK_RESPONSE || (payload.get_command() == tlm::TLM_IGNORE_COMMAND && !is_atomic)) {
        return (arrival_cycle + config_.latency) * period_;
    }
    payload.set_dmi_allowed(true);
    Cycle last = bandwidth_.reserve(cycle, arrival_cycle, payload.get_data_length());
    bandwidth_.count_last(cycle, path_use_);
    if (l2_) {
        const std::uint64_t span = span_of(payload);
        if (payload.is_write()) {
            l2_->write(payload.get_address(), span, cycle, arrival_cycle);
        } else {
            last = std::max(last, l2_->read(payload.get_address(), span, cycle, arrival_cycle));
        }
    }
    const Cycle extra = (is_atomic ? config_.atomic_latency : 0) + jitter_(arrival_cycle, payload.get_address());
    return (last + config_.latency + extra) * period_;
}

tlm::tlm_response_status GlobalMemory::perform_access(Payload &payload) {
    protocol::AtomicExtension *atomic = atomic_of(payload);
    const tlm::tlm_response_status status = atomic != nullptr ? check_atomic(payload, *atomic) : check_fields(payload);
    if (status != tlm::TLM_OK_RESPONSE || (atomic == nullptr && payload.get_command() == tlm::TLM_IGNORE_COMMAND)) {
        return status;
    }
    if (!regions_.is_mapped(payload.get_address(), span_of(payload))) {
        return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    }
    if (atomic != nullptr) {
        perform(payload, *atomic, store_);
        ++stats_.atomics;
    } else {
        transfer(payload, store_);
        ++(payload.is_read() ? stats_.reads : stats_.writes);
        (payload.is_read() ? stats_.read_bytes : stats_.write_bytes) += payload.get_data_length();
    }
    return tlm::TLM_OK_RESPONSE;
}

void GlobalMemory::clear_statistics() {
    stats_ = {};
    bandwidth_.clear_count();
    const Cycle now = clock_.now();
    path_use_.clear(now);
    if (l2_) {
        l2_->clear_statistics(now);
    }
}

void GlobalMemory::add_use(Cycle end, UnitUses &uses) const {
    smsim::add_use(uses, UsedUnit::kGlobalPath, bandwidth_.bytes_per_cycle(), path_use_.until(end));
    if (l2_) {
        l2_->add_use(end, uses);
    }
}

void GlobalMemory::collect(GlobalMemoryStats &stats) const {
    stats.reads += stats_.reads;
    stats.writes += stats_.writes;
    stats.atomics += stats_.atomics;
    stats.read_bytes += stats_.read_bytes;
    stats.write_bytes += stats_.write_bytes;
    stats.busy_cycles += bandwidth_.busy_cycles();
    if (l2_) {
        l2_->collect(stats);
    }
}

unsigned GlobalMemory::debug(unsigned, Payload &payload) {
    const AddressRanges::Range *pages = regions_.pages_of(payload.get_address());
    if (pages == nullptr || payload.get_data_ptr() == nullptr || payload.get_data_length() == 0) {
        return 0;
    }
    const std::uint64_t most = pages->last - payload.get_address(); // less one
    const auto count = static_cast<unsigned>(std::min<std::uint64_t>(payload.get_data_length() - 1, most)) + 1;
    if (payload.is_read()) {
        store_.read(payload.get_address(), payload.get_data_ptr(), count);
    } else if (payload.is_write()) {
        store_.write(payload.get_address(), payload.get_data_ptr(), count);
    } else {
        return 0;
    }
    return count;
}

bool GlobalMemory::direct(unsigned, Payload &payload, tlm::tlm_dmi &dmi) {
    const std::uint64_t address = payload.get_address();
    const AddressRanges::Range *pages = regions_.pages_of(address);
    dmi.init();
    if (pages == nullptr) {
        dmi.allow_none();
        dmi.set_start_address(address);
        dmi.set_end_address(address);
        return false;
    }
    const std::uint64_t page = address - address % PagedStore::kPageBytes;
    const std::uint64_t first = std::max(page, pages->first);
    const std::uint64_t last = std::min(page + (PagedStore::kPageBytes - 1), pages->last);
    dmi.set_dmi_ptr(store_.page_at(address) + (first - page));
    dmi.set_start_address(first);
    dmi.set_end_address(last);
    dmi.set_read_latency(sc_core::sc_time::from_value(config_.latency * period_));
    dmi.set_write_latency(sc_core::sc_time::from_value(config_.latency * period_));
    dmi.allow_read_write();
    return true;
}

} // namespace smsim::memory
