// Memory instructions on flat arrays.
#include "tb/state_space/flat_memory.h"

#include <array>
#include <cstring>

#include <fmt/format.h>

#include "model/isa/loaded.h"
#include "model/protocol/atomic.h"

namespace smsim::state_space {
namespace {

using isa::Op;

bool is_cas(const isa::Instruction &insn) {
    return insn.op == Op::kAtomsCas || insn.op == Op::kAtomgCas;
}

bool is_atomic(const isa::Instruction &insn) {
    return is_cas(insn) || insn.op == Op::kAtoms || insn.op == Op::kAtomg || insn.op == Op::kRed;
}

isa::AtomicType atomic_type(const isa::Instruction &insn) {
    return static_cast<isa::AtomicType>(insn.mod[is_cas(insn) ? 0 : 1]);
}

unsigned bytes_of(const isa::Instruction &insn) {
    return is_atomic(insn) ? isa::atomic_bytes(atomic_type(insn))
                           : isa::access_bytes(static_cast<isa::Access>(insn.mod[0]));
}

std::uint64_t address_of(const isa::Instruction &insn, const sm::compute::WarpRegisters &registers, unsigned lane) {
    const bool uniform = insn.form == isa::Form::kU;
    if (insn.spec().has(isa::kGlobal)) {
        const std::uint64_t base = uniform ? registers.uniform_pair(insn.ur) : registers.pair(insn.ra, lane);
        return base + static_cast<std::uint64_t>(insn.imm);
    }
    const std::uint32_t base = uniform ? registers.uniform(insn.ur) : registers.value(insn.ra, lane);
    return base + static_cast<std::uint32_t>(insn.imm);
}

std::optional<FaultReport> check(const isa::Instruction &insn, LaneMask lanes,
                                 const sm::compute::WarpRegisters &registers, const Window &window) {
    if (insn.spec().has(isa::kLocal)) {
        return FaultReport{Fault::kIllegalInstruction, "local memory is not part of the functional machine"};
    }
    std::optional<FaultReport> fault;
    const unsigned bytes = bytes_of(insn);
    for_each_lane(lanes, [&](unsigned lane) {
        const std::uint64_t address = address_of(insn, registers, lane);
        const std::uint64_t offset = address - window.base;
        if (address % bytes != 0) {
            fault = FaultReport{Fault::kMisalignedAddress, fmt::format("thread {} at {:#x}", lane, address)};
        } else if (offset >= window.bytes.size() || window.bytes.size() - offset < bytes) {
            fault = FaultReport{Fault::kIllegalAddress, fmt::format("thread {} at {:#x}", lane, address)};
        }
    });
    return fault;
}

std::uint64_t source(const sm::compute::WarpRegisters &registers, std::uint8_t reg, unsigned lane, unsigned bytes) {
    return bytes == 8 ? registers.pair(reg, lane) : registers.value(reg, lane);
}

void perform_atomic(const isa::Instruction &insn, unsigned lane, sm::compute::WarpRegisters &registers,
                    std::uint8_t *at) {
    const unsigned bytes = bytes_of(insn);
    std::uint64_t old = 0;
    std::memcpy(&old, at, bytes);
    const isa::AtomicOp op = is_cas(insn) ? isa::AtomicOp::kCas : static_cast<isa::AtomicOp>(insn.mod[0]);
    const std::uint64_t operand = source(registers, is_cas(insn) ? insn.rc : insn.rb, lane, bytes);
    const std::uint64_t compare = is_cas(insn) ? source(registers, insn.rb, lane, bytes) : 0;
    const std::uint64_t value = protocol::atomic_result(op, atomic_type(insn), old, operand, compare);
    std::memcpy(at, &value, bytes);
    if (insn.op == Op::kRed) {
        return;
    }
    if (bytes == 8) {
        registers.set_pair(insn.rd, lane, old);
    } else {
        registers.set(insn.rd, lane, static_cast<std::uint32_t>(old));
    }
}

void load(const isa::Instruction &insn, unsigned lane, sm::compute::WarpRegisters &registers, const std::uint8_t *at) {
    const unsigned bytes = bytes_of(insn);
    for (unsigned done = 0; done < bytes; done += 4) {
        std::uint32_t word = 0;
        std::memcpy(&word, at + done, std::min(4U, bytes - done));
        registers.set(insn.rd == isa::kRz ? isa::kRz : static_cast<std::uint8_t>(insn.rd + done / 4), lane,
                      isa::loaded(word, static_cast<isa::Access>(insn.mod[0])));
    }
}

void store(const isa::Instruction &insn, unsigned lane, const sm::compute::WarpRegisters &registers, std::uint8_t *at) {
    const unsigned bytes = bytes_of(insn);
    for (unsigned done = 0; done < bytes; done += 4) {
        const auto reg = insn.rb == isa::kRz ? isa::kRz : static_cast<std::uint8_t>(insn.rb + done / 4);
        const std::uint32_t word = registers.value(reg, lane);
        std::memcpy(at + done, &word, std::min(4U, bytes - done));
    }
}

} // namespace

std::optional<FaultReport> access(const isa::Instruction &insn, LaneMask lanes, sm::compute::WarpRegisters &registers,
                                  Window window) {
    if (auto fault = check(insn, lanes, registers, window)) {
        return fault;
    }
    // Addresses are read before a load can overwrite them: each lane reads its own register once.
    for_each_lane(lanes, [&](unsigned lane) {
        std::uint8_t *at = window.bytes.data() + (address_of(insn, registers, lane) - window.base);
        if (is_atomic(insn)) {
            perform_atomic(insn, lane, registers, at);
        } else if (insn.spec().has(isa::kReadsMemory)) {
            load(insn, lane, registers, at);
        } else {
            store(insn, lane, registers, at);
        }
    });
    return std::nullopt;
}

} // namespace smsim::state_space
