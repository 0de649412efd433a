// A plain memory, run beside a shared memory of RTL: what each slot of an access must return (docs/pins.md "Shared
// memory", "Effect"), when, and in which pass.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "memory/bank_conflicts.h"
#include "model/isa/isa.h"
#include "model/protocol/atomic.h"

namespace smsim::cosim {

class SharedMemoryReference {
  public:
    using Row = std::array<unsigned char, 16>;

    /// `bytes` bytes, all 0, a multiple of 16.
    explicit SharedMemoryReference(std::uint64_t bytes) : bytes_(bytes) {}

    /// Reads the bytes `enable` of the 16 at `address`; the others are 0.
    Row read(std::uint32_t address, std::uint32_t enable) const {
        Row row{};
        for (unsigned i = 0; i < row.size(); ++i) {
            if (((enable >> i) & 1U) != 0) {
                row[i] = bytes_.at(address + i);
            }
        }
        return row;
    }
    /// Writes the bytes `enable` of the 16 at `address`.
    void write(std::uint32_t address, std::uint32_t enable, const Row &data) {
        for (unsigned i = 0; i < data.size(); ++i) {
            if (((enable >> i) & 1U) != 0) {
                bytes_.at(address + i) = data[i];
            }
        }
    }
    /// Performs an atomic with operand and compare value in `data`; returns the old value, zero-extended.
    std::uint64_t atomic(std::uint32_t address, isa::AtomicOp op, isa::AtomicType type, const Row &data) {
        std::uint64_t old = 0;
        std::uint64_t operand = 0;
        std::uint64_t compare = 0;
        const unsigned size = isa::atomic_bytes(type);
        std::memcpy(&old, &bytes_.at(address), size);
        std::memcpy(&operand, data.data(), 8);
        std::memcpy(&compare, data.data() + 8, 8);
        const std::uint64_t value = protocol::atomic_result(op, type, old, operand, compare);
        std::memcpy(&bytes_.at(address), &value, size);
        return old;
    }

    /// All bytes.
    const std::vector<unsigned char> &bytes() const { return bytes_; }
    std::vector<unsigned char> &bytes() { return bytes_; }

  private:
    std::vector<unsigned char> bytes_;
};

/// Places a slot of an access that touches the bytes `enable` of those from `address` on (docs/pins.md "Passes").
/// Returns the pass in which the slot is complete, from 1.
inline std::uint32_t place_slot(memory::BankConflicts &conflicts, bool atomic, std::uint32_t address,
                                std::uint32_t enable) {
    if (atomic) {
        return conflicts.add_exclusive(address, static_cast<std::uint64_t>(std::popcount(enable)));
    }
    std::uint32_t pass = 0;
    for (std::uint32_t rest = enable; rest != 0; rest &= rest - 1) {
        const std::uint64_t byte = std::uint64_t{address} + static_cast<unsigned>(std::countr_zero(rest));
        pass = std::max(pass, conflicts.add(byte, 1));
    }
    return pass;
}

} // namespace smsim::cosim
