// The rules of bru.md a second time, written from the specification and apart from the branch unit, with the rejected
// readings as switches. Without a reading they must do what the branch unit does, step by step: a second proof of its
// rules. With one they show what it leads to, and the branch unit needs no switch for it.
//
// They work on the branch unit's plain data, so that states can be compared. Beside what bru.md says they know the free
// choices of docs/branch-unit.md (`bru.election`, `bru.branch_order`).
#pragma once

#include "bru/engines/convergence_barrier/warp_control.h"
#include "bru/reconvergence_engine.h"
#include "model/config/config.h"
#include "model/isa/instruction.h"
#include "tb/readings/readings.h"

namespace smsim::readings {

using bru::convergence_barrier::WarpControl;

/// Executes the control instruction `insn` (at `insn.pc`) with the active threads of `warp`, in a program of
/// `program_bytes` bytes. A fault has the cause of bru.md and no detail, and leaves the state as it was; what
/// WarpControl keeps for reports only (`awaited`) is not kept up.
bru::StepResult execute_step(WarpControl &warp, const isa::Instruction &insn, const bru::Operands &operands,
                             const BruConfig &config, Pc program_bytes, const Readings &readings = {});

/// The warp's sleep timer has fired (bru.md NANOSLEEP, Progress).
void timer_fires(WarpControl &warp);

} // namespace smsim::readings
