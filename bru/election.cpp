// Election of the next path.
#include "bru/election.h"

#include "bru/warp_control.h"

namespace smsim::bru {

bool only_sleepers(const ControlState &state, LaneMask pool, const BruLiteral &literal) {
    return literal.d3 ? pool.contains(state.sleep) : state.sleep.contains(pool);
}

bool elect(ControlState &state, LaneMask pool, std::optional<LaneMask> widen, const BruLiteral &literal) {
    const bool asleep = only_sleepers(state, pool, literal);
    if (!asleep) {
        pool &= ~state.sleep;
    }
    LaneMask preferred = pool & ~state.yield;
    if (preferred.none()) {
        preferred = pool;
    }
    const Pc pc = state.rpc[preferred.lowest()];
    LaneMask joining = preferred;
    if (widen) {
        joining = asleep || literal.d4 ? *widen : *widen & ~state.sleep;
    }
    state.active_pc = pc;
    state.active = with_rpc(state, pc, joining);
    return asleep;
}

bool give_turn(ControlState &state, bool yields, const BruLiteral &literal) {
    const LaneMask old = state.active;
    const LaneMask others = state.valid & ~old;
    state.switch_set &= others;
    if (state.switch_set.none()) {
        state.switch_set = others;
    }
    LaneMask pool = state.switch_set;
    // The warp sleeps only when nobody else is awake, not when merely those whose turn it is are asleep [D-9].
    if (!literal.d9 && (pool & ~state.sleep).none() && (others & ~state.sleep).any()) {
        pool = others;
    }
    park(state, old, literal.d10 ? state.active_pc : state.active_pc + kInstructionBytes); // [D-10]
    if (yields) {
        state.yield |= old;
    }
    const bool asleep = elect(state, pool, others, literal);
    const LaneMask waiting = state.valid & ~state.active;
    state.switch_set &= waiting;
    if (state.switch_set.none()) {
        state.switch_set = waiting;
    }
    return asleep;
}

} // namespace smsim::bru
