// Convergence-barrier registers and the join at BSYNC.
#include "bru/engines/convergence_barrier/barrier_registers.h"

#include "bru/engines/convergence_barrier/election.h"

namespace smsim::bru::convergence_barrier {
namespace {

// Threads at the join continue together; they are synchronised, so their turns are forgotten [D-18].
void pass(ControlState &state, LaneMask arrive, ReleaseKind kind, StepResult &result) {
    state.active = arrive;
    next_instruction(state);
    state.yield &= ~arrive;
    state.turn &= ~arrive;
    result.event.passed = true;
    result.event.release = kind;
}

// bru.md BSYNC `switch(m)`: the active threads stay at the join, a path of `candidates` continues.
void switch_to(WarpControl &warp, LaneMask candidates, LaneMask awaited, const Rules &rules) {
    ControlState &state = warp.state;
    park(state, state.active, state.active_pc);
    for_each_lane(state.active, [&](unsigned lane) { warp.awaited[lane] = awaited; });
    state.wait |= state.active;
    state.wait_bar |= state.active;
    state.active_pc = state.rpc[leader(warp, candidates, rules)];
    state.active = with_rpc(state, state.active_pc, candidates);
}

} // namespace

void bssy(ControlState &state, const isa::Instruction &insn, LaneMask pmask) {
    state.b[insn.breg] |= pmask;
    next_instruction(state);
}

void break_barrier(ControlState &state, const isa::Instruction &insn, LaneMask pmask) {
    state.b[insn.breg] &= ~pmask;
    next_instruction(state);
}

void bmov(ControlState &state, const isa::Instruction &insn, const Operands &operands, LaneMask pmask,
          StepResult &result) {
    LaneMask &barrier = state.b[insn.breg];
    if (insn.form == isa::Form::kX) {
        result.write_lanes = pmask;
        result.value = barrier.bits();
        if (insn.mod[0] != 0 && pmask.any()) {
            barrier = LaneMask();
        }
    } else if (pmask.any()) {
        barrier = LaneMask(static_cast<std::uint32_t>(operands.vectors[0][pmask.lowest()])) & state.valid;
    }
    next_instruction(state);
}

ReleaseKind release_kind(const ControlState &state, LaneMask missing) {
    // A thread in NANOSLEEP is in YieldMask too by default, so sleep is checked first.
    if ((missing & state.sleep).any()) {
        return ReleaseKind::kSleep;
    }
    return (missing & state.yield).any() ? ReleaseKind::kYield : ReleaseKind::kBlocked;
}

void bsync(WarpControl &warp, const isa::Instruction &insn, bool first_after_turn, const Rules &rules,
           StepResult &result) {
    ControlState &state = warp.state;
    result.event.kind = StepEvent::Kind::kSync;
    LaneMask &barrier = state.b[insn.breg];
    const LaneMask arrive = state.active | arriving(state);
    barrier &= ~arrive; // [D-7]
    if (barrier.none()) {
        pass(state, arrive, ReleaseKind::kComplete, result);
        return;
    }
    if (first_after_turn && !rules.config.bsync_spec_literal) { // [D-14]
        if ((state.active & state.turn).any()) {
            pass(state, arrive, ReleaseKind::kTurn, result);
            return;
        }
        state.turn |= state.active;
    }
    LaneMask candidates = state.valid & ~arrive & ~state.yield & ~state.sleep;
    if (!rules.config.bsync_spec_literal) {
        candidates &= ~state.wait; // [D-1, D-8]
    }
    if ((candidates & barrier).any()) {
        switch_to(warp, candidates & barrier, barrier, rules);
    } else if (candidates.any()) {
        switch_to(warp, candidates, barrier, rules);
    } else {
        pass(state, arrive, release_kind(state, barrier), result);
    }
}

} // namespace smsim::bru::convergence_barrier
