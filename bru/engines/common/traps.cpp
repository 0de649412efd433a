// TRAP and RTT.
#include "bru/engines/common/traps.h"

#include <fmt/format.h>

#include "bru/engines/common/targets.h"
#include "bru/engines/common/values.h"

namespace smsim::bru {
namespace {

std::uint32_t trap_index(const isa::Instruction &insn, const Operands &operands, unsigned lane) {
    switch (insn.form) {
    case isa::Form::kR:
        return static_cast<std::uint32_t>(operands.vectors[0][lane]);
    case isa::Form::kI:
        return static_cast<std::uint32_t>(insn.imm);
    default: // C
        return static_cast<std::uint32_t>(operands.scalar);
    }
}

} // namespace

Pc trap(TrapState &state, Pc pc, const isa::Instruction &insn, const Operands &operands, LaneMask pmask,
        std::int64_t handler, Pc program_bytes, StepResult &result) {
    if (pmask.none()) {
        return pc + kInstructionBytes;
    }
    const std::uint32_t index = trap_index(insn, operands, pmask.lowest());
    result.fault_lane = pmask.lowest();
    result.fault_value = index;
    if (handler < 0) {
        result.fault =
            FaultReport{Fault::kTrap, fmt::format("Trap({}) by threads {}, and no trap handler is configured", index,
                                                  text_of(pmask))};
        return pc;
    }
    if (state.in_handler) {
        result.fault = FaultReport{Fault::kIllegalTrap,
                                   fmt::format("TRAP {} while the handler of TRAP {} is running", index, state.index)};
        return pc;
    }
    if (refused(pmask.lowest(), static_cast<Pc>(handler), program_bytes, result)) {
        return pc;
    }
    state = {true, pc + kInstructionBytes, index};
    return static_cast<Pc>(handler);
}

Pc return_from_trap(TrapState &state, Pc pc, LaneMask pmask, StepResult &result) {
    if (pmask.none()) {
        return pc + kInstructionBytes;
    }
    if (!state.in_handler) {
        result.fault = FaultReport{Fault::kIllegalTrap, "RTT outside a trap handler"};
        result.fault_lane = pmask.lowest();
        return pc;
    }
    const Pc behind = state.return_pc;
    state = TrapState{};
    return behind;
}

} // namespace smsim::bru
