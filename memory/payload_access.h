// What every memory target does with a generic payload and the rows that come with it: check the standard fields, move
// the bytes, perform an atomic.
//
// Generic over anything that reads and writes bytes (`Store`), so that byte enables and streaming mean the same in
// shared memory, global memory and cache lines.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include <systemc>
#include <tlm>

#include "model/protocol/memory.h"
#include "model/state/memory_row.h"

namespace smsim::memory {

using Payload = tlm::tlm_generic_payload;

/// Raw time, in units of the time resolution.
using RawTime = sc_core::sc_time::value_type;

/// Present simulation time as a raw value, for code that needs it rarely; other code keeps a protocol::PresentTime.
inline RawTime raw_now() {
    return sc_core::sc_time_stamp().value();
}

/// Addresses that a payload touches, counted from its address: a streaming transfer touches `streaming_width` bytes.
inline std::uint64_t span_of(const Payload &payload) {
    return std::min<std::uint64_t>(payload.get_streaming_width(), payload.get_data_length());
}

/// Checks the standard fields of a request that reads or writes (TLM-2.0 generic payload). Returns
/// - TLM_COMMAND_ERROR_RESPONSE for a command that is none of the three standard ones,
/// - TLM_BURST_ERROR_RESPONSE for data length 0 or streaming width 0,
/// - TLM_GENERIC_ERROR_RESPONSE for a null data pointer,
/// - TLM_BYTE_ENABLE_ERROR_RESPONSE for byte enables of length 0 or with values other than 0x00 and 0xff,
/// - TLM_OK_RESPONSE otherwise. An IGNORE command needs no data and is always OK.
inline tlm::tlm_response_status check_fields(const Payload &payload) {
    const tlm::tlm_command command = payload.get_command();
    if (command == tlm::TLM_IGNORE_COMMAND) [[unlikely]] {
        return tlm::TLM_OK_RESPONSE;
    }
    if (command != tlm::TLM_READ_COMMAND && command != tlm::TLM_WRITE_COMMAND) [[unlikely]] {
        return tlm::TLM_COMMAND_ERROR_RESPONSE;
    }
    if (payload.get_data_length() == 0 || payload.get_streaming_width() == 0) [[unlikely]] {
        return tlm::TLM_BURST_ERROR_RESPONSE;
    }
    if (payload.get_data_ptr() == nullptr) [[unlikely]] {
        return tlm::TLM_GENERIC_ERROR_RESPONSE;
    }
    if (const unsigned char *enables = payload.get_byte_enable_ptr()) {
        const unsigned length = payload.get_byte_enable_length();
        if (length == 0 || !std::all_of(enables, enables + length, [](unsigned char enable) {
                return enable == TLM_BYTE_ENABLED || enable == TLM_BYTE_DISABLED;
            })) {
            return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
        }
    }
    return tlm::TLM_OK_RESPONSE;
}

/// True when data byte `index` takes part.
inline bool byte_enabled(const Payload &payload, std::uint64_t index) {
    const unsigned char *enables = payload.get_byte_enable_ptr();
    return enables == nullptr || enables[index % payload.get_byte_enable_length()] == TLM_BYTE_ENABLED;
}

/// Moves the bytes of a read or write whose fields are valid and whose addresses are inside `store`. Bytes that are not
/// enabled stay as they are on both sides; a streaming transfer wraps to its address every `streaming_width` bytes.
template <typename Store> void transfer(Payload &payload, Store &store) {
    const std::uint64_t address = payload.get_address();
    const std::uint64_t length = payload.get_data_length();
    const std::uint64_t width = span_of(payload);
    unsigned char *data = payload.get_data_ptr();
    const bool is_read = payload.is_read();
    if (payload.get_byte_enable_ptr() == nullptr && width == length) {
        if (is_read) {
            store.read(address, data, length);
        } else {
            store.write(address, data, length);
        }
        return;
    }
    for (std::uint64_t i = 0; i < length; ++i) {
        if (!byte_enabled(payload, i)) {
            continue;
        }
        if (is_read) {
            store.read(address + i % width, data + i, 1);
        } else {
            store.write(address + i % width, data + i, 1);
        }
    }
}

/// Calls `use(begin, bytes)` for each stretch of enabled bytes of a row; `begin` counts from the first byte of the row.
template <typename Use> void for_each_enabled(const MemoryRow &row, const Use &use) {
    if (row.enables == nullptr) {
        use(0, row.bytes);
        return;
    }
    for (std::uint32_t begin = 0; begin < row.bytes;) {
        const bool enabled = row.enables[begin] == TLM_BYTE_ENABLED;
        std::uint32_t end = begin + 1;
        while (end < row.bytes && (row.enables[end] == TLM_BYTE_ENABLED) == enabled) {
            ++end;
        }
        if (enabled) {
            use(begin, end - begin);
        }
        begin = end;
    }
}

/// The atomic extension of a payload that is an atomic (IGNORE command with an active AtomicExtension), or null.
inline protocol::AtomicExtension *atomic_of(Payload &payload) {
    if (payload.get_command() != tlm::TLM_IGNORE_COMMAND) [[likely]] {
        return nullptr;
    }
    auto *atomic = protocol::extension_of<protocol::AtomicExtension>(payload);
    return atomic != nullptr && atomic->active ? atomic : nullptr;
}

/// Checks an atomic: 4 or 8 bytes as its type says (else TLM_BURST_ERROR_RESPONSE), a data pointer (else
/// TLM_GENERIC_ERROR_RESPONSE), no byte enables (else TLM_BYTE_ENABLE_ERROR_RESPONSE), naturally aligned (else
/// TLM_ADDRESS_ERROR_RESPONSE).
inline tlm::tlm_response_status check_atomic(const Payload &payload, const protocol::AtomicExtension &atomic) {
    const unsigned bytes = isa::atomic_bytes(atomic.type);
    if (payload.get_data_length() != bytes || payload.get_streaming_width() < bytes) {
        return tlm::TLM_BURST_ERROR_RESPONSE;
    }
    if (payload.get_data_ptr() == nullptr) {
        return tlm::TLM_GENERIC_ERROR_RESPONSE;
    }
    if (payload.get_byte_enable_ptr() != nullptr) {
        return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    }
    return (payload.get_address() & (bytes - 1)) == 0 ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE;
}

/// Whether a row can be an atomic of the type of `atomic`, by the rules of `check_atomic`.
inline bool is_atomic_row(const MemoryRow &row, const protocol::AtomicExtension &atomic) {
    return row.bytes == isa::atomic_bytes(atomic.type) && row.enables == nullptr &&
           (row.address & (row.bytes - 1)) == 0;
}

/// Performs an atomic of the operation and type of `atomic`: the old value goes to `data`.
template <typename Store>
void perform_at(std::uint64_t address, unsigned char *data, const protocol::AtomicExtension &atomic,
                std::uint64_t operand, std::uint64_t compare, Store &store) {
    const auto perform_on = [&]<typename Word>(
                                Word old) { // of its own width: nothing is read wider than it was written
        store.read(address, reinterpret_cast<std::uint8_t *>(&old), sizeof old);
        std::memcpy(data, &old, sizeof old);
        const auto value = static_cast<Word>(protocol::atomic_result(atomic.op, atomic.type, old, operand, compare));
        store.write(address, reinterpret_cast<const std::uint8_t *>(&value), sizeof value);
    };
    if (isa::atomic_bytes(atomic.type) == 8) {
        perform_on(std::uint64_t{0});
    } else {
        perform_on(std::uint32_t{0});
    }
}

/// Performs a checked atomic: the old value goes to the data pointer, `performed` is set.
template <typename Store> void perform(Payload &payload, protocol::AtomicExtension &atomic, Store &store) {
    perform_at(payload.get_address(), payload.get_data_ptr(), atomic, atomic.operand, atomic.compare, store);
    atomic.performed = true;
}

/// Answer to any other phase on the forward path of a target that completes every request on the call: a standard phase
/// violates the base protocol and is reported as an error, an extended phase is ignored.
inline tlm::tlm_sync_enum not_a_request(const char *target, const tlm::tlm_phase &phase) {
    if (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP || phase == tlm::END_RESP ||
        phase == tlm::UNINITIALIZED_PHASE) {
        SC_REPORT_ERROR(target, "phase on the forward path where only BEGIN_REQ is possible");
    }
    return tlm::TLM_ACCEPTED;
}

} // namespace smsim::memory
