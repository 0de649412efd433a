// TRAP and RTT: the way into a trap handler and back (bru.md "The others").
#pragma once

#include <cstdint>

#include "bru/engines/convergence_barrier/warp_control.h"
#include "bru/reconvergence_engine.h"
#include "model/isa/instruction.h"

namespace smsim::bru::convergence_barrier {

/// TRAP: with a handler (byte address; negative: none) the active threads go there, and the address behind the TRAP
/// and its index are kept. A trap is an event of the warp: one thread of `pmask` is enough, and the index is that of
/// the lowest; with none it is a NOP.
/// Faults: Trap(index) without a handler; IllegalTrap inside a handler; IllegalTarget when the handler is no address
/// of the program.
void trap(WarpControl &warp, const isa::Instruction &insn, const Operands &operands, LaneMask pmask,
          std::int64_t handler, Pc program_bytes, StepResult &result);

/// RTT: back behind the TRAP with the threads that are active; a NOP when `pmask` is empty. Fault: IllegalTrap outside
/// a handler.
void return_from_trap(WarpControl &warp, LaneMask pmask, StepResult &result);

} // namespace smsim::bru::convergence_barrier
