// YIELD, NANOSLEEP, EXIT.
#include "bru/engines/convergence_barrier/turns.h"

#include <algorithm>

#include "bru/engines/convergence_barrier/election.h"

namespace smsim::bru::convergence_barrier {
namespace {

void hand_over(WarpControl &warp, bool yields, const BruConfig &config, StepResult &result) {
    const bool asleep = give_turn(warp, yields, config);
    warp.turn_given = true;
    result.outcome = asleep ? Outcome::kSleep : Outcome::kContinue;
}

} // namespace

void yield(WarpControl &warp, const BruConfig &config, StepResult &result) {
    if (warp.state.valid == warp.state.active) {
        result.event.kind = StepEvent::Kind::kYieldConverged;
        next_instruction(warp.state);
        return;
    }
    result.event.kind = StepEvent::Kind::kYield;
    hand_over(warp, true, config, result);
}

std::uint32_t sleep_time(const isa::Instruction &insn, const Operands &operands, LaneMask active) {
    switch (insn.form) {
    case isa::Form::kR: {
        std::uint32_t shortest = ~std::uint32_t{0};
        for_each_lane(active, [&](unsigned lane) {
            shortest = std::min(shortest, static_cast<std::uint32_t>(operands.lanes[lane]));
        });
        return shortest;
    }
    case isa::Form::kI:
        return static_cast<std::uint32_t>(insn.imm);
    default: // U, C
        return static_cast<std::uint32_t>(operands.scalar);
    }
}

void nanosleep(WarpControl &warp, const isa::Instruction &insn, const Operands &operands, const BruConfig &config,
               StepResult &result) {
    ControlState &state = warp.state;
    const std::uint32_t time = sleep_time(insn, operands, state.active);
    if (time == 0) {
        next_instruction(state);
        return;
    }
    result.event.kind = StepEvent::Kind::kSleep;
    result.sleep_ns = time;
    if (!config.literal.d12) {
        state.sleep |= state.active; // before the others are chosen (bru.md "Fine points")
    }
    if (state.valid == state.active) {
        next_instruction(state);
        result.outcome = Outcome::kSleep;
        return;
    }
    hand_over(warp, config.nanosleep_sets_yield, config, result);
}

void exit_threads(WarpControl &warp, LaneMask pmask, const BruConfig &config, StepResult &result) {
    ControlState &state = warp.state;
    result.event.kind = StepEvent::Kind::kExit;
    remove_threads(state, pmask, config.literal.d2);
    if (state.active.any()) {
        next_instruction(state);
    } else if (state.valid.none()) {
        result.outcome = Outcome::kExited;
    } else {
        result.outcome = elect(warp, state.valid, state.valid, config) ? Outcome::kSleep : Outcome::kContinue;
    }
}

} // namespace smsim::bru::convergence_barrier
