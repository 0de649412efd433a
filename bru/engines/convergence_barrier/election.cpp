// Election of the next path.
#include "bru/engines/convergence_barrier/election.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

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

/// The leader of the path that a library chooses; without a call when there is only one.
unsigned leader_of_library(const WarpControl &warp, LaneMask candidates, const Rules &rules) {
    std::array<Path, kLanes> paths;
    std::size_t count = 0;
    for (LaneMask rest = candidates; rest.any(); ++count) {
        const Pc pc = warp.state.rpc[rest.lowest()];
        Path &path = paths[count];
        path = {pc, with_rpc(warp.state, pc, rest), kLanes};
        for_each_lane(path.threads, [&](unsigned lane) {
            path.place = std::min<std::uint32_t>(path.place, warp.waiting_place[lane]);
        });
        rest &= ~path.threads;
    }
    if (count == 1) {
        return candidates.lowest();
    }
    const std::size_t chosen = rules.library->choose(rules.warp, std::span(paths).first(count));
    if (chosen >= count) {
        fail_for_policy("bru.election", fmt::format("chosen path {} of {}, counted from 0", chosen, count));
    }
    return paths[chosen].threads.lowest();
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

unsigned leader(const WarpControl &warp, LaneMask candidates, const Rules &rules) {
    if (rules.library != nullptr) [[unlikely]] {
        return leader_of_library(warp, candidates, rules);
    }
    return leader(warp, candidates, rules.config.election.own());
}

bool only_sleepers(const ControlState &state, LaneMask pool) {
    return state.sleep.contains(pool);
}

bool elect(WarpControl &warp, LaneMask pool, std::optional<LaneMask> widen, const Rules &rules) {
    ControlState &state = warp.state;
    const bool asleep = only_sleepers(state, pool);
    if (!asleep) {
        pool &= ~state.sleep;
    }
    LaneMask preferred = pool & ~state.yield;
    if (preferred.none()) {
        preferred = pool;
    }
    const Pc pc = state.rpc[leader(warp, preferred, rules)];
    LaneMask joining = preferred;
    if (widen) {
        joining = asleep ? *widen : *widen & ~state.sleep;
    }
    state.active_pc = pc;
    state.active = with_rpc(state, pc, joining);
    return asleep;
}

bool give_turn(WarpControl &warp, bool yields, const Rules &rules) {
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
    const bool asleep = elect(warp, pool, others, rules);
    const LaneMask waiting = state.valid & ~state.active;
    state.switch_set &= waiting;
    if (state.switch_set.none()) {
        state.switch_set = waiting;
    }
    return asleep;
}

} // namespace smsim::bru::convergence_barrier
