// WARPSYNC: meeting of threads that name each other.
#include "bru/engines/convergence_barrier/warpsync.h"

#include <fmt/format.h>

#include "bru/engines/common/values.h"
#include "bru/engines/convergence_barrier/election.h"

namespace smsim::bru::convergence_barrier {
namespace {

using Members = std::array<LaneMask, kLanes>;

FaultReport not_a_member(unsigned lane, LaneMask mask) {
    return {
        Fault::kWarpSyncMembership,
        fmt::format("thread {} executes WARPSYNC with member mask {}, which does not name it", lane, text_of(mask))};
}

FaultReport inconsistent(const Members &members, LaneMask arrive) {
    std::string text =
        fmt::format("all named threads have arrived ({}), but their member masks form no group:", text_of(arrive));
    for_each_lane(arrive, [&](unsigned lane) { text += fmt::format(" thread {} {}", lane, text_of(members[lane])); });
    return {Fault::kWarpSyncMembership, text};
}

// The threads that a blocked thread misses: those of its mask that have not arrived, or are here with another mask.
LaneMask missing_members(const Members &members, unsigned lane, LaneMask arrive) {
    const LaneMask absent = members[lane] & ~arrive;
    if (absent.any()) {
        return absent;
    }
    LaneMask strangers;
    for_each_lane(members[lane], [&](unsigned other) {
        if (members[other] != members[lane]) {
            strangers |= LaneMask::lane(other);
        }
    });
    return strangers;
}

void let_pass(ControlState &state, LaneMask group, StepResult &result) {
    park(state, state.active & ~group, state.active_pc);
    state.active = group;
    next_instruction(state);
    result.event.passed = true;
}

void block(WarpControl &warp, const Members &members, LaneMask pool, LaneMask arrive, bool widen, const Rules &rules,
           StepResult &result) {
    ControlState &state = warp.state;
    for_each_lane(arrive, [&](unsigned lane) { warp.awaited[lane] = missing_members(members, lane, arrive); });
    const LaneMask wait = state.wait | state.active;
    const LaneMask next = successors_of_blocked(state, wait, pool, arrive);
    if (next.none()) {
        result.fault = FaultReport{Fault::kSyncDeadlock,
                                   "every thread of the warp waits for another: " + wait_relation(warp, state.valid)};
        result.fault_lane = state.active.lowest();
        return;
    }
    park(state, state.active, state.active_pc);
    state.wait = wait;
    const bool asleep = elect(warp, next, widen ? std::optional(state.valid) : std::nullopt, rules);
    result.outcome = asleep ? Outcome::kSleep : Outcome::kContinue;
}

} // namespace

std::optional<LaneMask> complete_group(const std::array<LaneMask, kLanes> &members, LaneMask arrive) {
    for (LaneMask rest = arrive; rest.any(); rest &= ~LaneMask::lane(rest.lowest())) {
        const unsigned lane = rest.lowest();
        const LaneMask group = members[lane];
        bool complete = group.test(lane) && arrive.contains(group);
        for_each_lane(group, [&](unsigned member) { complete = complete && members[member] == group; });
        if (complete) {
            return group;
        }
    }
    return std::nullopt;
}

LaneMask successors_of_blocked(const ControlState &state, LaneMask wait, LaneMask pool, LaneMask arrive) {
    const LaneMask fresh = state.valid & ~wait & ~state.sleep;
    const LaneMask at_bsync = state.wait_bar & ~state.sleep; // all have been tried: their BSYNC will release
    for (const LaneMask choice : {pool & fresh, fresh & ~arrive, pool & at_bsync, at_bsync, state.sleep}) {
        if (choice.any()) {
            return choice;
        }
    }
    return LaneMask();
}

void warpsync(WarpControl &warp, const isa::Instruction &insn, const Operands &operands, const Rules &rules,
              StepResult &result) {
    ControlState &state = warp.state;
    result.event.kind = StepEvent::Kind::kSync;
    const LaneMask guard = operands.guard & operands.guard_pp;
    const LaneMask arrive = state.active | (arriving(state) & guard); // [D-15]
    const Members members = member_masks(insn, operands, state.valid);
    for (LaneMask rest = state.active; rest.any(); rest &= ~LaneMask::lane(rest.lowest())) {
        const unsigned lane = rest.lowest();
        if (!members[lane].test(lane)) {
            result.fault = not_a_member(lane, members[lane]);
            result.fault_lane = lane;
            return;
        }
    }
    if (insn.form != isa::Form::kR) {
        const LaneMask group = members[0];
        if (arrive.contains(group)) {
            let_pass(state, group, result);
        } else {
            block(warp, members, group & ~arrive, arrive, false, rules, result);
        }
        return;
    }
    if (const auto group = complete_group(members, arrive)) {
        let_pass(state, *group, result);
        return;
    }
    LaneMask pool;
    for_each_lane(arrive, [&](unsigned lane) { pool |= members[lane]; });
    pool &= ~arrive;
    if (pool.none()) {
        result.fault = inconsistent(members, arrive);
        result.fault_lane = state.active.lowest();
        return;
    }
    block(warp, members, pool, arrive, true, rules, result);
}

} // namespace smsim::bru::convergence_barrier
