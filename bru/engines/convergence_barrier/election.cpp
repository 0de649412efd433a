// Election of the next path.
#include "bru/engines/convergence_barrier/election.h"

namespace smsim::bru::convergence_barrier {
namespace {

unsigned leader_of_most(const ControlState &state, LaneMask candidates) {
    unsigned leader = candidates.lowest();
    unsigned most = 0;
    for (LaneMask rest = candidates; rest.any();) {
        const unsigned lane = rest.lowest();
        const LaneMask path = with_rpc(state, state.rpc[lane], rest);
        if (path.count() > most) { // not on a tie: paths are in the order of their lowest lanes
            most = path.count();
            leader = lane;
        }
        rest &= ~path;
    }
    return leader;
}

unsigned leader_of_oldest(const WarpControl &warp, LaneMask candidates) {
    unsigned leader = candidates.lowest();
    for_each_lane(candidates, [&](unsigned lane) {
        leader = warp.waiting_place[lane] < warp.waiting_place[leader] ? lane : leader;
    });
    return leader;
}

} // namespace

unsigned leader(const WarpControl &warp, LaneMask candidates, ElectionPolicy policy) {
    switch (policy) {
    case ElectionPolicy::kMostThreads:
        return leader_of_most(warp.state, candidates);
    case ElectionPolicy::kOldest:
        return leader_of_oldest(warp, candidates);
    default:
        return candidates.lowest();
    }
}

bool only_sleepers(const ControlState &state, LaneMask pool) {
    return state.sleep.contains(pool);
}

bool elect(WarpControl &warp, LaneMask pool, std::optional<LaneMask> widen, const BruConfig &config) {
    ControlState &state = warp.state;
    const bool asleep = only_sleepers(state, pool);
    if (!asleep) {
        pool &= ~state.sleep;
    }
    LaneMask preferred = pool & ~state.yield;
    if (preferred.none()) {
        preferred = pool;
    }
    const Pc pc = state.rpc[leader(warp, preferred, config.election)];
    LaneMask joining = preferred;
    if (widen) {
        joining = asleep ? *widen : *widen & ~state.sleep;
    }
    state.active_pc = pc;
    state.active = with_rpc(state, pc, joining);
    return asleep;
}

bool give_turn(WarpControl &warp, bool yields, const BruConfig &config) {
    ControlState &state = warp.state;
    const LaneMask old = state.active;
    const LaneMask others = state.valid & ~old;
    state.switch_set &= others;
    if (state.switch_set.none()) {
        state.switch_set = others;
    }
    LaneMask pool = state.switch_set;
    // The warp sleeps only when no other thread is awake, not when merely those whose turn it is are asleep [D-9].
    if (only_sleepers(state, pool) && !only_sleepers(state, others)) {
        pool = others;
    }
    park(state, old, state.active_pc + kInstructionBytes); // [D-10]
    if (yields) {
        state.yield |= old;
    }
    const bool asleep = elect(warp, pool, others, config);
    const LaneMask waiting = state.valid & ~state.active;
    state.switch_set &= waiting;
    if (state.switch_set.none()) {
        state.switch_set = waiting;
    }
    return asleep;
}

} // namespace smsim::bru::convergence_barrier
