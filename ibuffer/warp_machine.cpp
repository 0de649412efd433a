// The transitions, by event. Events not in the table leave the state unchanged.
//
//   state             | issue of a branch | of an arrival     | of a fence
//   Running           | BranchUnanswered  | ArrivalUnanswered | Fenced
//
//   state             | answer: continue | sleep, exited  | blocked                      | wake
//   BranchUnanswered  | BranchAnswered   | BranchAnswered |                              | keeps the wake
//   BranchAnswered    |                  |                |                              | keeps the wake
//   ArrivalUnanswered | LeavingBarrier   |                | Blocked, or LeavingBarrier   | keeps the wake
//                     |                  |                | if the wake has come         |
//   Blocked           |                  |                |                              | LeavingBarrier
//   Sleeping          |                  |                |                              | WakingUp
//
//   state             | its cycle is reached
//   NotStarted        | Running; Blocked if it waits at a barrier, unless the wake has come
//   BranchAnswered    | Running; Sleeping, or WakingUp if the wake has come; Exiting
//   LeavingBarrier    | Running
//   WakingUp          | Running
//   Fenced            | Running
#include "ibuffer/warp_machine.h"

#include <algorithm>
#include <array>
#include <utility>

namespace smsim::ibuffer {
namespace {

constexpr Charge kBranch{WarpState::kBranch, StallReason::kBranchResolve, false};
constexpr Charge kBarrier{WarpState::kBarrier, StallReason::kBarrier, true};
constexpr Charge kSleep{WarpState::kSleeping, StallReason::kSleeping, true};
constexpr Charge kFence{WarpState::kMemoryDrain, StallReason::kMembar, true};
constexpr Charge kExit{WarpState::kMemoryDrain, StallReason::kDrain, false};

/// Charges of a warp, by the index of a state in MachineState.
constexpr auto kCharges = [] {
    std::array<std::optional<Charge>, std::variant_size_v<MachineState>> charges{};
    const auto set = [&]<typename State>(std::in_place_type_t<State>, const Charge &charge) {
        charges[MachineState(State{}).index()] = charge;
    };
    set(std::in_place_type<BranchUnanswered>, kBranch);
    set(std::in_place_type<BranchAnswered>, kBranch);
    set(std::in_place_type<ArrivalUnanswered>, kBarrier);
    set(std::in_place_type<Blocked>, kBarrier);
    set(std::in_place_type<LeavingBarrier>, kBarrier);
    set(std::in_place_type<Sleeping>, kSleep);
    set(std::in_place_type<WakingUp>, kSleep);
    set(std::in_place_type<Fenced>, kFence);
    set(std::in_place_type<Exiting>, kExit);
    return charges;
}();

} // namespace

// --- what a state means --------------------------------------------------------------------------------------------

bool WarpMachine::may_fetch() const {
    return is_resident() && !std::holds_alternative<NotStarted>(state_) && !is_exiting();
}

std::optional<Charge> WarpMachine::charge() const {
    return kCharges[state_.index()];
}

// --- issue ---------------------------------------------------------------------------------------------------------

void WarpMachine::branch_issued() {
    if (is_running()) {
        become(BranchUnanswered{});
    }
}

void WarpMachine::arrival_issued() {
    if (is_running()) {
        become(ArrivalUnanswered{});
    }
}

void WarpMachine::fence_issued(Cycle until) {
    if (is_running()) {
        become(Fenced{until});
    }
}

// --- messages ------------------------------------------------------------------------------------------------------

void WarpMachine::branch_answered(Cycle at, Outcome outcome, bool leaves) {
    if (const auto *branch = std::get_if<BranchUnanswered>(&state_)) {
        become(BranchAnswered{at, outcome, leaves, branch->wake});
    }
}

void WarpMachine::arrival_answered(Cycle at, Outcome outcome) {
    if (const auto *arrival = std::get_if<ArrivalUnanswered>(&state_)) {
        if (outcome != Outcome::kBlocked) {
            become(LeavingBarrier{at});
        } else if (arrival->wake == kNever) {
            become(Blocked{at});
        } else {
            become(LeavingBarrier{std::max(at, arrival->wake)});
        }
    }
}

void WarpMachine::wake(Cycle at) {
    if (auto *unanswered = std::get_if<BranchUnanswered>(&state_)) {
        unanswered->wake = at;
    } else if (auto *answered = std::get_if<BranchAnswered>(&state_)) {
        answered->wake = at;
    } else if (auto *arrival = std::get_if<ArrivalUnanswered>(&state_)) {
        arrival->wake = at;
    } else if (const auto *starting = std::get_if<NotStarted>(&state_); starting != nullptr && starting->waits) {
        become(LeavingBarrier{std::max(at, starting->at)});
    } else if (const auto *blocked = std::get_if<Blocked>(&state_)) {
        become(LeavingBarrier{std::max(at, blocked->since)});
    } else if (const auto *sleeping = std::get_if<Sleeping>(&state_)) {
        become(WakingUp{std::max(at, sleeping->since)});
    }
}

// --- time ----------------------------------------------------------------------------------------------------------

/// A branch whose cycle has been reached.
void WarpMachine::go_on_behind(const BranchAnswered &branch) {
    if (branch.outcome == Outcome::kExited) {
        become(Exiting{});
    } else if (branch.outcome != Outcome::kSleep) {
        become(Running{});
    } else if (branch.wake == kNever) {
        become(Sleeping{branch.at});
    } else {
        become(WakingUp{std::max(branch.at, branch.wake)});
    }
}

bool WarpMachine::reach(Cycle now) {
    bool drop = false;
    while (until() <= now) {
        const auto *branch = std::get_if<BranchAnswered>(&state_);
        if (branch == nullptr) {
            const auto *starting = std::get_if<NotStarted>(&state_);
            if (starting != nullptr && starting->waits) {
                become(Blocked{starting->at});
            } else {
                become(Running{});
            }
            continue;
        }
        drop = branch->leaves;
        go_on_behind(BranchAnswered(*branch));
    }
    return drop;
}

} // namespace smsim::ibuffer
