// TRAP and RTT.
#include "bru/engines/convergence_barrier/traps.h"

#include <fmt/format.h>

#include "bru/engines/convergence_barrier/branches.h"

namespace smsim::bru::convergence_barrier {
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

void trap(WarpControl &warp, const isa::Instruction &insn, const Operands &operands, LaneMask pmask,
          std::int64_t handler, Pc program_bytes, StepResult &result) {
    ControlState &state = warp.state;
    if (pmask.none()) {
        next_instruction(state);
        return;
    }
    const std::uint32_t index = trap_index(insn, operands, pmask.lowest());
    result.fault_lane = pmask.lowest();
    result.fault_value = index;
    if (handler < 0) {
        result.fault =
            FaultReport{Fault::kTrap, fmt::format("Trap({}) by threads {}, and no trap handler is configured", index,
                                                  text_of(pmask))};
        return;
    }
    if (warp.trap.in_handler) {
        result.fault = FaultReport{Fault::kIllegalTrap, fmt::format("TRAP {} while the handler of TRAP {} is running",
                                                                    index, warp.trap.index)};
        return;
    }
    if (refused(pmask.lowest(), static_cast<Pc>(handler), program_bytes, result)) {
        return;
    }
    warp.trap = {true, state.active_pc + kInstructionBytes, index};
    state.active_pc = static_cast<Pc>(handler);
}

void return_from_trap(WarpControl &warp, LaneMask pmask, StepResult &result) {
    if (pmask.none()) {
        next_instruction(warp.state);
        return;
    }
    if (!warp.trap.in_handler) {
        result.fault = FaultReport{Fault::kIllegalTrap, "RTT outside a trap handler"};
        result.fault_lane = pmask.lowest();
        return;
    }
    warp.state.active_pc = warp.trap.return_pc;
    warp.trap = TrapState{};
}

} // namespace smsim::bru::convergence_barrier
