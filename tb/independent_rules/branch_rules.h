// The rules of bru.md written a second time, from the specification and independently of the branch unit, with the
// rejected readings as switches. Without a reading they must do what the branch unit does, step by step: a second
// proof of its rules. With a reading they show its consequences, and the branch unit needs no switch for it.
//
// They work on the branch unit's plain data, so that states can be compared. Besides bru.md they implement the free
// choices of docs/branch-unit.md (`bru.election`, `bru.branch_order`).
#pragma once

#include "bru/engines/convergence_barrier/warp_control.h"
#include "bru/reconvergence_engine.h"
#include "model/config/sections/bru.h"
#include "model/isa/instruction.h"
#include "tb/independent_rules/rejected_readings.h"

namespace smsim::independent_rules {

using bru::convergence_barrier::WarpControl;

/// Executes the control instruction `insn` (at `insn.pc`) with the active threads of `warp`, in a program of
/// `program_bytes` bytes. A fault has the cause of bru.md and no detail, and leaves the state unchanged; data that
/// WarpControl keeps only for reports (`awaited`) is not updated.
bru::StepResult execute_step(WarpControl &warp, const isa::Instruction &insn, const bru::Operands &operands,
                             const BruConfig &config, Pc program_bytes, const RejectedReadings &readings = {});

/// The warp's sleep timer has fired (bru.md NANOSLEEP, Progress).
void timer_fires(WarpControl &warp);

} // namespace smsim::independent_rules
