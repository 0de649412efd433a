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
                           const sc_core::sc_time &period, std::uint64_t page_bytes, const timing::Jitter &jitter)
    : sc_module(name), config_(config), period_(period.value()), page_bytes_(page_bytes),
      bandwidth_(checked_bandwidth(config)), jitter_(jitter) {
    socket.on_request<&GlobalMemory::request>(this);
    socket.on_blocking<&GlobalMemory::blocking>(this);
    socket.on_debug<&GlobalMemory::debug>(this);
    socket.on_dmi<&GlobalMemory::direct>(this);
}

void GlobalMemory::map(std::uint64_t base, std::uint64_t bytes, const std::string &region_name) {
    if (bytes > config_.bytes || base > config_.bytes - bytes) {
        throw InputError(fmt::format("global memory: region '{}' of {} bytes at {:#x} leaves the address window; "
                                     "expected addresses below {:#x} (global.bytes)",
                                     region_name, bytes, base, config_.bytes));
    }
    map_anywhere(base, bytes, region_name);
}

void GlobalMemory::map_anywhere(std::uint64_t base, std::uint64_t bytes, const std::string &region_name) {
    if (bytes == 0) {
        throw InputError(fmt::format("global memory: region '{}' is empty; expected at least 1 byte", region_name));
    }
    if (base > ~std::uint64_t{0} - bytes) {
        throw InputError(
            fmt::format("global memory: region '{}' of {} bytes at {:#x} wraps", region_name, bytes, base));
    }
    const auto next = std::ranges::upper_bound(regions_, base, {}, &Region::base);
    const Region *clash = nullptr;
    if (next != regions_.end() && next->base - base < bytes) {
        clash = &*next;
    } else if (next != regions_.begin() && base - (next - 1)->base < (next - 1)->bytes) {
        clash = &*(next - 1);
    }
    if (clash != nullptr) {
        throw InputError(fmt::format("global memory: region '{}' of {} bytes at {:#x} overlaps region '{}' of {} bytes "
                                     "at {:#x}; expected disjoint regions",
                                     region_name, bytes, base, clash->name, clash->bytes, clash->base));
    }
    add_ranges(*regions_.insert(next, {base, bytes, region_name}));
}

void GlobalMemory::unmap(std::uint64_t base) {
    if (std::erase_if(regions_, [base](const Region &region) { return region.base == base; }) != 0) {
        exact_ = {};
        pages_ = {};
        std::ranges::for_each(regions_, [this](const Region &region) { add_ranges(region); });
    }
}

void GlobalMemory::add_ranges(const Region &region) {
    const std::uint64_t last = region.base + (region.bytes - 1);
    exact_.add(region.base, last);
    pages_.add(region.base & ~(page_bytes_ - 1), last | (page_bytes_ - 1));
}

void GlobalMemory::read(std::uint64_t address, std::span<std::uint8_t> to) const {
    if (!in_region(address, to.size())) {
        throw InputError(fmt::format("global memory: {} bytes at {:#x} are not mapped; expected one region around them",
                                     to.size(), address));
    }
    store_.read(address, to.data(), to.size());
}

void GlobalMemory::write(std::uint64_t address, std::span<const std::uint8_t> from) {
    if (!in_region(address, from.size())) {
        throw InputError(fmt::format("global memory: {} bytes at {:#x} are not mapped; expected one region around them",
                                     from.size(), address));
    }
    store_.write(address, from.data(), from.size());
}

tlm::tlm_sync_enum GlobalMemory::request(unsigned, Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
    if (phase != tlm::BEGIN_REQ) {
        return not_a_request(name(), phase);
    }
    const RawTime now = raw_now();
    delay = sc_core::sc_time::from_value(access(payload, now, now + delay.value()) - now);
    return tlm::TLM_COMPLETED;
}

void GlobalMemory::blocking(unsigned, Payload &payload, sc_core::sc_time &delay) {
    const RawTime now = raw_now();
    delay = sc_core::sc_time::from_value(access(payload, now, now + delay.value()) - now);
}

RawTime GlobalMemory::access(Payload &payload, RawTime now, RawTime arrival) {
    const tlm::tlm_response_status status = perform_access(payload);
    payload.set_response_status(status);
    const Cycle arrival_cycle = (arrival + period_ - 1) / period_;
    const bool is_atomic = payload.get_command() == tlm::TLM_IGNORE_COMMAND && atomic_of(payload) != nullptr;
    if (status != tlm::TLM_OK_RESPONSE || (payload.get_command() == tlm::TLM_IGNORE_COMMAND && !is_atomic)) {
        return (arrival_cycle + config_.latency) * period_;
    }
    payload.set_dmi_allowed(true);
    const Cycle last = bandwidth_.reserve(now / period_, arrival_cycle, payload.get_data_length());
    const Cycle extra = (is_atomic ? config_.atomic_latency : 0) + jitter_(arrival_cycle, payload.get_address());
    return (last + config_.latency + extra) * period_;
}

tlm::tlm_response_status GlobalMemory::perform_access(Payload &payload) {
    protocol::AtomicExtension *atomic = atomic_of(payload);
    const tlm::tlm_response_status status = atomic != nullptr ? check_atomic(payload, *atomic) : check_fields(payload);
    if (status != tlm::TLM_OK_RESPONSE || (atomic == nullptr && payload.get_command() == tlm::TLM_IGNORE_COMMAND)) {
        return status;
    }
    if (!is_mapped(payload.get_address(), span_of(payload))) {
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
}

void GlobalMemory::collect(GlobalMemoryStats &stats) const {
    stats.reads += stats_.reads;
    stats.writes += stats_.writes;
    stats.atomics += stats_.atomics;
    stats.read_bytes += stats_.read_bytes;
    stats.write_bytes += stats_.write_bytes;
    stats.busy_cycles += bandwidth_.busy_cycles();
}

unsigned GlobalMemory::debug(unsigned, Payload &payload) {
    const AddressRanges::Range *pages = pages_.find(payload.get_address());
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
    const AddressRanges::Range *pages = pages_.find(address);
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
