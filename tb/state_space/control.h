// The control state of one warp, for any engine, and the rules that change it: the plain rules of the engines, each
// with its second implementation in tb/independent_rules.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "bru/engines/convergence_barrier/warp_control.h"
#include "bru/engines/simt_stack/engine.h"
#include "bru/engines/token_stack/engine.h"
#include "bru/reconvergence_engine.h"
#include "model/config/sections/bru.h"
#include "model/program/program.h"
#include "tb/independent_rules/rejected_readings.h"

namespace smsim::state_space {

using Control = std::variant<bru::convergence_barrier::WarpControl, bru::simt_stack::Warp, bru::token_stack::Warp>;

/// A warp of the threads `valid` at the start of `program`, which must outlive it, under the engine that the program
/// names.
/// Throws InputError if there is no engine of that name.
Control control_at_start(const Program &program, Pc entry, LaneMask valid);

/// The place of the active threads.
Pc pc_of(const Control &control);
/// The threads that execute; none if the warp has exited.
LaneMask active_in(const Control &control);

/// An instruction of another unit has been executed, and the active threads are at `next`.
void catch_up(Control &control, Pc next);
/// The sleep timer has fired.
void timer_fires(Control &control);

/// Threads that were awake and not blocked in `before` and did not execute `insn`: if it puts the warp to sleep, they
/// could have run. Threads that wait on a stack cannot.
LaneMask could_run_beside(const Control &before, const isa::Instruction &insn);

/// How control instructions are executed.
struct ControlRules {
    const BruConfig &bru;
    const independent_rules::RejectedReadings &readings;
    bool other_rules =
        false; ///< a reading of the branch unit is in force: only the rules of tb/independent_rules are executed
};
/// The results of both implementations for an instruction.
struct ControlStep {
    bru::StepResult result;
    std::optional<std::string> dispute; ///< how they differ
};
/// Executes the control instruction `insn` on `control` in a program of `program_bytes` bytes.
ControlStep execute_control(Control &control, const isa::Instruction &insn, const bru::Operands &operands,
                            const ControlRules &rules, Pc program_bytes);

/// What is wrong with the masks of a warp that began with the threads `started` and has `exited` or not: masks and B
/// registers outside ValidMask, an alive warp without an active thread, WaitBarMask outside WaitMask; on the stacks a
/// thread that is neither active nor waiting, or one that is not of the warp; for simt_stack an empty stack while not
/// all threads are active; for token_stack a token of a region that does not hold the active threads or a DIV that
/// does.
std::optional<std::string> violation_of(const Control &control, LaneMask started, bool exited);

/// Which threads are where, in one line.
std::string text_of(const Control &control);

} // namespace smsim::state_space
