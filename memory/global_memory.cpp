// Global memory: regions, transfers and their timing.
#include "memory/global_memory.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/config/validate.h"
#include "model/error.h"

namespace smsim::memory {
namespace {

/// Whether this is an IGNORE command that is no atomic.
bool is_nothing(Payload &payload) {
    return payload.get_command() == tlm::TLM_IGNORE_COMMAND && atomic_of(payload) == nullptr;
}

} // namespace

GlobalMemory::GlobalMemory(const sc_core::sc_module_name &name, const GlobalMemoryConfig &config,
                           const sc_core::sc_time &period, std::uint64_t page_bytes, const timing::Jitter &jitter,
                           const L2Config &l2)
    : sc_module(name_if_valid(name, config)), config_(config), clock_(period), period_(period.value()),
      regions_(config.bytes, page_bytes), bandwidth_(config.bytes_per_cycle), jitter_(jitter) {
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
    store_.fill(address, from.data(), from.size());
    if (l2_) {
        l2_->hold(address, from.size());
    }
}

tlm::tlm_sync_enum GlobalMemory::request(unsigned, Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
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

void GlobalMemory::blocking(unsigned, Payload &payload, sc_core::sc_time &delay) {
    const RawTime now = time_.raw();
    delay = sc_core::sc_time::from_value(access(payload, now + delay.value()) - now);
}

RawTime GlobalMemory::done_at(const Move &move, Cycle arrival) {
    const Cycle now = clock_.now();
    Cycle last = bandwidth_.reserve(now, arrival, move.bytes);
    bandwidth_.count_last(now, path_use_);
    if (l2_) {
        if (move.kind == Move::Kind::kWrite) {
            l2_->write(move.address, move.span, now, arrival);
        } else {
            last = std::max(last, l2_->read(move.address, move.span, now, arrival));
        }
    }
    const Cycle extra =
        (move.kind == Move::Kind::kAtomic ? config_.atomic_latency : 0) + jitter_(arrival, move.address);
    return (last + config_.latency + extra) * period_;
}

inline tlm::tlm_response_status GlobalMemory::perform_access(Payload &payload) {
    protocol::AtomicExtension *atomic = atomic_of(payload);
    const tlm::tlm_response_status status = atomic != nullptr ? check_atomic(payload, *atomic) : check_fields(payload);
    if (status != tlm::TLM_OK_RESPONSE || (atomic == nullptr && payload.get_command() == tlm::TLM_IGNORE_COMMAND))
        [[unlikely]] {
        return status;
    }
    if (!regions_.is_mapped(payload.get_address(), span_of(payload))) [[unlikely]] {
        return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    }
    if (atomic != nullptr) {
        perform(payload, *atomic, store_);
    } else {
        transfer(payload, store_);
    }
    count(kind_of(payload), 1, payload.get_data_length());
    return tlm::TLM_OK_RESPONSE;
}

RawTime GlobalMemory::access(Payload &payload, RawTime arrival) {
    const tlm::tlm_response_status status = perform_access(payload);
    payload.set_response_status(status);
    const Cycle arrival_cycle = clock_.first_from(arrival);
    if (status != tlm::TLM_OK_RESPONSE || is_nothing(payload)) [[unlikely]] {
        return (arrival_cycle + config_.latency) * period_;
    }
    payload.set_dmi_allowed(true);
    return done_at({kind_of(payload), payload.get_address(), span_of(payload), payload.get_data_length()},
                   arrival_cycle);
}

/// The kind of a payload that reads, writes or is an atomic.
GlobalMemory::Move::Kind GlobalMemory::kind_of(const Payload &payload) {
    return payload.is_read() ? Move::Kind::kRead : payload.is_write() ? Move::Kind::kWrite : Move::Kind::kAtomic;
}

/// Performs rows, with the command of `payload`, up to the first that would be refused as a transaction.
std::size_t GlobalMemory::perform_rows(Payload &payload, std::span<MemoryRow> rows, RawTime arrival) {
    if (is_nothing(payload)) {
        return 0;
    }
    const Move::Kind kind = kind_of(payload);
    const protocol::AtomicExtension *atomic = atomic_of(payload);
    const auto refused = std::ranges::find_if(rows, [&](const MemoryRow &row) {
        return !regions_.is_mapped(row.address, row.bytes) || (atomic != nullptr && !is_atomic_row(row, *atomic));
    });
    const std::span<MemoryRow> mapped = rows.first(static_cast<std::size_t>(refused - rows.begin()));
    switch (kind) {
    case Move::Kind::kRead:
        for (const MemoryRow &row : mapped) {
            for_each_enabled(row, [&](std::uint32_t begin, std::uint32_t bytes) {
                store_.read(row.address + begin, row.data + begin, bytes);
            });
        }
        break;
    case Move::Kind::kWrite:
        for (const MemoryRow &row : mapped) {
            for_each_enabled(row, [&](std::uint32_t begin, std::uint32_t bytes) {
                store_.write(row.address + begin, row.data + begin, bytes);
            });
        }
        break;
    case Move::Kind::kAtomic:
        for (const MemoryRow &row : mapped) {
            perform_at(row.address, row.data, *atomic, row.operand, row.compare, store_);
        }
        break;
    }
    const Cycle arrival_cycle = clock_.first_from(arrival);
    std::uint64_t bytes = 0;
    for (MemoryRow &row : mapped) {
        bytes += row.bytes;
        row.when = done_at({kind, row.address, row.bytes, row.bytes}, arrival_cycle);
    }
    count(kind, mapped.size(), bytes);
    return mapped.size();
}

void GlobalMemory::count(Move::Kind kind, std::uint64_t moves, std::uint64_t bytes) {
    switch (kind) {
    case Move::Kind::kRead:
        stats_.reads += moves;
        stats_.read_bytes += bytes;
        break;
    case Move::Kind::kWrite:
        stats_.writes += moves;
        stats_.write_bytes += bytes;
        break;
    case Move::Kind::kAtomic:
        stats_.atomics += moves;
        break;
    }
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
