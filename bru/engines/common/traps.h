// TRAP and RTT, whatever the engine: the way into a trap handler and back (bru.md "The others").
#pragma once

#include <cstdint>

#include "bru/reconvergence_engine.h"
#include "model/isa/instruction.h"
#include "model/types.h"

namespace smsim::bru {

/// A trap whose handler is running (bru.md TRAP, RTT).
struct TrapState {
    bool in_handler = false;
    Pc return_pc = 0;        ///< address after the TRAP
    std::uint32_t index = 0; ///< operand of the TRAP
};

/// TRAP at `pc`: with a handler (byte address; negative: none) the active threads go there, and the address after the
/// TRAP and its index are kept. A trap is an event of the warp: one thread of `pmask` is enough, and the index is that
/// of the lowest thread; with no thread it is a NOP. Returns the next address, or `pc` with a fault. Faults:
/// Trap(index) without a handler; IllegalTrap inside a handler; IllegalTarget when the handler is no address of the
/// program.
Pc trap(TrapState &state, Pc pc, const isa::Instruction &insn, const Operands &operands, LaneMask pmask,
        std::int64_t handler, Pc program_bytes, StepResult &result);

/// RTT at `pc`: returns to the address after the TRAP with the active threads; a NOP when `pmask` is empty. Returns the
/// next address, or `pc` with a fault. Fault: IllegalTrap outside a handler.
Pc return_from_trap(TrapState &state, Pc pc, LaneMask pmask, StepResult &result);

} // namespace smsim::bru
