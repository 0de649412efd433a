// YIELD, NANOSLEEP, EXIT.
#include "bru/engines/convergence_barrier/yield_and_exit.h"

#include "bru/engines/common/values.h"
#include "bru/engines/convergence_barrier/election.h"

namespace smsim::bru::convergence_barrier {
namespace {

void hand_over(WarpControl &warp, bool yields, const Rules &rules, StepResult &result) {
    const bool asleep = give_turn(warp, yields, rules);
    warp.turn_given = true;
    result.outcome = asleep ? Outcome::kSleep : Outcome::kContinue;
}

} // namespace

void yield(WarpControl &warp, const Rules &rules, StepResult &result) {
    if (warp.state.valid == warp.state.active) {
        result.event.kind = StepEvent::Kind::kYieldConverged;
        next_instruction(warp.state);
        return;
    }
    result.event.kind = StepEvent::Kind::kYield;
    hand_over(warp, true, rules, result);
}

void nanosleep(WarpControl &warp, const isa::Instruction &insn, const Operands &operands, const Rules &rules,
               StepResult &result) {
    ControlState &state = warp.state;
    const std::uint32_t time = sleep_time(insn, operands, state.active);
    if (time == 0) {
        next_instruction(state);
        return;
    }
    result.event.kind = StepEvent::Kind::kSleep;
    result.sleep_ns = time;
    state.sleep |= state.active; // before the others are chosen (bru.md "Fine points")
    if (state.valid == state.active) {
        next_instruction(state);
        result.outcome = Outcome::kSleep;
        return;
    }
    hand_over(warp, rules.config.nanosleep_sets_yield, rules, result);
}

void exit_threads(WarpControl &warp, LaneMask pmask, const Rules &rules, StepResult &result) {
    ControlState &state = warp.state;
    result.event.kind = StepEvent::Kind::kExit;
    remove_threads(state, pmask);
    if (state.active.any()) {
        next_instruction(state);
    } else if (state.valid.none()) {
        result.outcome = Outcome::kExited;
    } else {
        result.outcome = elect(warp, state.valid, state.valid, rules) ? Outcome::kSleep : Outcome::kContinue;
    }
}

} // namespace smsim::bru::convergence_barrier
