// Targets of jumps.
#include "bru/engines/common/targets.h"

#include <fmt/format.h>

namespace smsim::bru {
namespace {

using isa::Op;

constexpr std::uint8_t kAbsolute = 1; // CALL and RET, modifier 0

Pc offset_bytes(const isa::Instruction &insn) {
    return static_cast<Pc>(insn.imm) * kInstructionBytes;
}

std::uint64_t sign_extended(std::uint64_t value) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(value & 0xffffffffU)));
}

} // namespace

Pc target_of(const isa::Instruction &insn, std::uint64_t operand) {
    const Pc next = insn.pc + kInstructionBytes;
    const Pc offset = insn.form == isa::Form::kC ? 0 : offset_bytes(insn);
    switch (insn.op) {
    case Op::kBrx:
        return next + sign_extended(operand) + offset;
    case Op::kCall:
    case Op::kRet:
        return (insn.mod[0] == kAbsolute ? 0 : next) + operand + offset;
    default: // BRA, and branches without a further operand
        return next + offset;
    }
}

bool refused(unsigned lane, Pc target, Pc program_bytes, StepResult &result) {
    if (target % kInstructionBytes != 0) {
        result.fault =
            FaultReport{Fault::kIllegalTarget, fmt::format("thread {} would go to {:#x}, which is not a multiple of {}",
                                                           lane, target, kInstructionBytes)};
    } else if (target >= program_bytes) {
        result.fault = FaultReport{Fault::kIllegalTarget,
                                   fmt::format("thread {} would go to {:#x}, outside the program of {:#x} bytes", lane,
                                               target, program_bytes)};
    } else {
        return false;
    }
    result.fault_lane = lane;
    result.fault_value = target;
    return true;
}

Pc effective_pc(const isa::Instruction &insn, Pc pc) {
    return pc + offset_bytes(insn);
}

} // namespace smsim::bru
