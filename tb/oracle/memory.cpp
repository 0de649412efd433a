#include "tb/oracle/memory.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "tb/oracle/floating.h"

namespace smsim::oracle {
namespace {

using isa::Access;
using isa::AtomicOp;
using isa::AtomicType;
using isa::Op;

/// Bytes [0, size) of a window at address 0, or the fault.
std::uint8_t *in_window(Machine &machine, std::uint32_t thread, std::uint8_t *window, std::uint64_t size,
                        std::uint32_t address, unsigned bytes, const char *name) {
    if (std::uint64_t{address} + bytes > size) {
        machine.fault(thread, Fault::kIllegalAddress,
                      fmt::format("{} bytes at {:#x} of {} ({} bytes)", bytes, address, name, size));
    }
    return window + address;
}

bool holds(const Region &region, std::uint64_t address, unsigned bytes) {
    return address >= region.base && address - region.base < region.bytes.size() &&
           region.bytes.size() - (address - region.base) >= bytes;
}

std::uint8_t *in_global(Machine &machine, std::uint32_t thread, std::uint64_t address, unsigned bytes) {
    if (machine.last_region >= machine.regions.size() || !holds(machine.regions[machine.last_region], address, bytes)) {
        const auto behind = std::ranges::upper_bound(machine.sorted, address, {},
                                                     [&](std::uint32_t i) { return machine.regions[i].base; });
        if (behind == machine.sorted.begin() || !holds(machine.regions[*(behind - 1)], address, bytes)) {
            machine.fault(thread, Fault::kIllegalAddress,
                          fmt::format("{} bytes at {:#x} of global memory", bytes, address));
        }
        machine.last_region = *(behind - 1);
    }
    Region &region = machine.regions[machine.last_region];
    return region.bytes.data() + (address - region.base);
}

/// The bytes that the instruction's address operand names.
std::uint8_t *locate(Machine &machine, std::uint32_t thread, const Step &step, const std::uint32_t *row,
                     unsigned bytes) {
    const isa::OpSpec &spec = step.insn->spec();
    const bool global = spec.has(isa::kGlobal);
    const auto offset = static_cast<std::uint64_t>(step.insn->imm);
    const std::uint64_t address = global ? step.a64(row) + offset : static_cast<std::uint32_t>(step.a(row) + offset);
    if (address % bytes != 0) {
        machine.fault(thread, Fault::kMisalignedAddress, fmt::format("{:#x} is no multiple of {}", address, bytes));
    }
    if (global) {
        return in_global(machine, thread, address, bytes);
    }
    const auto low = static_cast<std::uint32_t>(address);
    if (spec.has(isa::kShared)) {
        const std::uint64_t size = machine.launch.shared_bytes;
        std::uint8_t *window = machine.shared.data() + machine.warp_of(thread).cta * size;
        return in_window(machine, thread, window, size, low, bytes, "shared memory");
    }
    const std::uint64_t size = machine.launch.local_bytes;
    return in_window(machine, thread, machine.local.data() + thread * size, size, low, bytes, "local memory");
}

/// c[bank][ra + offset]; the sum wraps at 32 bits.
const std::uint8_t *locate_constant(Machine &machine, std::uint32_t thread, const Step &step, const std::uint32_t *row,
                                    unsigned bytes) {
    const std::uint32_t address = step.a(row) + step.insn->const_offset;
    const std::vector<std::uint8_t> &bank = *machine.program.banks[step.insn->const_bank];
    if (address % bytes != 0) {
        machine.fault(thread, Fault::kMisalignedAddress, fmt::format("{:#x} is no multiple of {}", address, bytes));
    }
    if (std::uint64_t{address} + bytes > bank.size()) {
        machine.fault(thread, Fault::kIllegalAddress,
                      fmt::format("{} bytes at c[{:#x}][{:#x}], a bank of {} bytes", bytes, step.insn->const_bank,
                                  address, bank.size()));
    }
    return bank.data() + address;
}

template <typename T> std::uint32_t extended(const std::uint8_t *bytes) {
    T value{};
    std::memcpy(&value, bytes, sizeof(value));
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
}

void load(std::uint32_t *destination, const std::uint8_t *bytes, Access access) {
    switch (access) {
    case Access::kU8:
        *destination = *bytes;
        break;
    case Access::kS8:
        *destination = extended<std::int8_t>(bytes);
        break;
    case Access::kU16:
        *destination = extended<std::uint16_t>(bytes);
        break;
    case Access::kS16:
        *destination = extended<std::int16_t>(bytes);
        break;
    default:
        std::memcpy(destination, bytes, isa::access_bytes(access));
        break;
    }
}

std::int64_t as_signed(AtomicType type, std::uint64_t value) {
    return type == AtomicType::kS32 ? std::int64_t{static_cast<std::int32_t>(value)} : static_cast<std::int64_t>(value);
}

bool less(AtomicType type, std::uint64_t a, std::uint64_t b) {
    const bool is_signed = type == AtomicType::kS32 || type == AtomicType::kS64;
    return is_signed ? as_signed(type, a) < as_signed(type, b) : a < b;
}

std::uint64_t sum(AtomicType type, std::uint64_t a, std::uint64_t b) {
    if (type == AtomicType::kF32) {
        return float_bits(to_float(static_cast<std::uint32_t>(a)) + to_float(static_cast<std::uint32_t>(b)));
    }
    return type == AtomicType::kF64 ? double_bits(to_double(a) + to_double(b)) : a + b;
}

void atomic(Machine &machine, std::uint32_t thread, const Step &step, std::uint32_t *row) {
    const bool cas = step.op == Op::kAtomsCas || step.op == Op::kAtomgCas;
    const auto op = cas ? AtomicOp::kCas : static_cast<AtomicOp>(step.insn->mod[0]);
    const auto type = static_cast<AtomicType>(step.insn->mod[cas ? 0 : 1]);
    const unsigned bytes = isa::atomic_bytes(type);
    const auto source = [&](std::uint16_t slot) { return bytes == 8 ? Step::pair(row, slot) : row[slot]; };
    std::uint8_t *place = locate(machine, thread, step, row, bytes);
    std::uint64_t old = 0;
    std::memcpy(&old, place, bytes);
    // CAS: b is the expected value, c the new one.
    const std::uint64_t value = cas ? atomic_value(op, type, old, source(step.rc), source(step.rb))
                                    : atomic_value(op, type, old, source(step.rb), 0);
    std::memcpy(place, &value, bytes);
    if (step.op != Op::kRed) {
        std::memcpy(row + step.rd, &old, bytes);
    }
}

} // namespace

std::uint64_t atomic_value(AtomicOp op, AtomicType type, std::uint64_t old, std::uint64_t operand,
                           std::uint64_t compare) {
    std::uint64_t value = old;
    switch (op) {
    case AtomicOp::kAdd:
        value = sum(type, old, operand);
        break;
    case AtomicOp::kMin:
        value = less(type, operand, old) ? operand : old;
        break;
    case AtomicOp::kMax:
        value = less(type, old, operand) ? operand : old;
        break;
    case AtomicOp::kInc:
        value = old >= operand ? 0 : old + 1;
        break;
    case AtomicOp::kDec:
        value = old == 0 || old > operand ? operand : old - 1;
        break;
    case AtomicOp::kAnd:
        value = old & operand;
        break;
    case AtomicOp::kOr:
        value = old | operand;
        break;
    case AtomicOp::kXor:
        value = old ^ operand;
        break;
    case AtomicOp::kExch:
        value = operand;
        break;
    case AtomicOp::kCas:
        value = old == compare ? operand : old;
        break;
    }
    return isa::atomic_bytes(type) == 8 ? value : static_cast<std::uint32_t>(value);
}

void execute_memory(Machine &machine, std::uint32_t thread, const Step &step, std::uint32_t *row) {
    const auto access = static_cast<Access>(step.insn->mod[0]);
    const unsigned bytes = isa::access_bytes(access);
    switch (step.op) {
    case Op::kLdc:
        load(row + step.rd, locate_constant(machine, thread, step, row, bytes), access);
        break;
    case Op::kLds:
    case Op::kLdg:
    case Op::kLdl:
        load(row + step.rd, locate(machine, thread, step, row, bytes), access);
        break;
    case Op::kSts:
    case Op::kStg:
    case Op::kStl:
        std::memcpy(locate(machine, thread, step, row, bytes), row + step.rb, bytes);
        break;
    default:
        atomic(machine, thread, step, row);
        break;
    }
}

} // namespace smsim::oracle
