// The transitions, by event. What is not in the table leaves the state as it is.
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
//   NotStarted        | Running
//   BranchAnswered    | Running; Sleeping, or WakingUp if the wake has come; Exiting
//   LeavingBarrier    | Running
//   WakingUp          | Running
//   Fenced            | Running
#include "ibuffer/warp_machine.h"

#include <algorithm>

namespace smsim::ibuffer {
namespace {

/// One function for each kind of state that is treated differently.
template <typename... Functions> struct Cases : Functions... { using Functions::operator()...; };
template <typename... Functions> Cases(Functions...) -> Cases<Functions...>;

constexpr Charge kBranch{WarpState::kBranch, StallReason::kBranchResolve, false};
constexpr Charge kBarrier{WarpState::kBarrier, StallReason::kBarrier, true};
constexpr Charge kSleep{WarpState::kSleeping, StallReason::kSleeping, true};
constexpr Charge kFence{WarpState::kMemoryDrain, StallReason::kMembar, true};
constexpr Charge kExit{WarpState::kMemoryDrain, StallReason::kDrain, false};

/// The state behind a branch whose cycle has been reached.
MachineState behind(const BranchAnswered &branch) {
    switch (branch.outcome) {
    case Outcome::kSleep:
        return branch.wake == kNever ? MachineState(Sleeping{branch.at})
                                     : MachineState(WakingUp{std::max(branch.at, branch.wake)});
    case Outcome::kExited:
        return Exiting{};
    default:
        return Running{};
    }
}

} // namespace

// --- what a state means --------------------------------------------------------------------------------------------

bool WarpMachine::may_fetch() const {
    return std::visit(Cases{[](Absent) { return false; }, [](NotStarted) { return false; },
                            [](Exiting) { return false; }, [](const auto &) { return true; }},
                      state_);
}

Cycle WarpMachine::until() const {
    return std::visit(
        [](const auto &state) {
            if constexpr (requires { state.at; }) {
                return state.at;
            } else {
                return kNever;
            }
        },
        state_);
}

std::optional<Charge> WarpMachine::charge() const {
    using Maybe = std::optional<Charge>;
    return std::visit(Cases{[](Running) -> Maybe { return std::nullopt; }, [](Absent) -> Maybe { return std::nullopt; },
                            [](NotStarted) -> Maybe { return std::nullopt; },
                            [](BranchUnanswered) -> Maybe { return kBranch; },
                            [](const BranchAnswered &) -> Maybe { return kBranch; },
                            [](ArrivalUnanswered) -> Maybe { return kBarrier; },
                            [](Blocked) -> Maybe { return kBarrier; }, [](LeavingBarrier) -> Maybe { return kBarrier; },
                            [](Sleeping) -> Maybe { return kSleep; }, [](WakingUp) -> Maybe { return kSleep; },
                            [](Fenced) -> Maybe { return kFence; }, [](Exiting) -> Maybe { return kExit; }},
                      state_);
}

// --- issue ---------------------------------------------------------------------------------------------------------

void WarpMachine::branch_issued() {
    if (is_running()) {
        state_ = BranchUnanswered{};
    }
}

void WarpMachine::arrival_issued() {
    if (is_running()) {
        state_ = ArrivalUnanswered{};
    }
}

void WarpMachine::fence_issued(Cycle until) {
    if (is_running()) {
        state_ = Fenced{until};
    }
}

// --- messages ------------------------------------------------------------------------------------------------------

void WarpMachine::branch_answered(Cycle at, Outcome outcome, bool leaves) {
    if (const auto *branch = std::get_if<BranchUnanswered>(&state_)) {
        state_ = BranchAnswered{at, outcome, leaves, branch->wake};
    }
}

void WarpMachine::arrival_answered(Cycle at, Outcome outcome) {
    if (const auto *arrival = std::get_if<ArrivalUnanswered>(&state_)) {
        if (outcome != Outcome::kBlocked) {
            state_ = LeavingBarrier{at};
        } else if (arrival->wake == kNever) {
            state_ = Blocked{at};
        } else {
            state_ = LeavingBarrier{std::max(at, arrival->wake)};
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
    } else if (const auto *blocked = std::get_if<Blocked>(&state_)) {
        state_ = LeavingBarrier{std::max(at, blocked->since)};
    } else if (const auto *sleeping = std::get_if<Sleeping>(&state_)) {
        state_ = WakingUp{std::max(at, sleeping->since)};
    }
}

// --- time ----------------------------------------------------------------------------------------------------------

bool WarpMachine::reach(Cycle now) {
    bool drop = false;
    while (until() <= now) {
        const auto *branch = std::get_if<BranchAnswered>(&state_);
        if (branch == nullptr) {
            state_ = Running{};
            continue;
        }
        drop = branch->leaves;
        state_ = behind(*branch);
    }
    return drop;
}

} // namespace smsim::ibuffer
