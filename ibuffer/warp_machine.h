// What a warp does when it does not look at its next instruction, as one explicit state machine: it has not started,
// its control instruction or barrier arrival is under way, it sleeps, a fence holds it, it has run its last
// instruction.
//
// Four kinds of event change the state: an issue, an answer of a unit, a wake, and a cycle that is reached. Messages
// say in which cycle they take effect; in whatever order answer and wake of one instruction come, before or after the
// cycle in which they are sent is stepped, the warp goes on in the same cycle. An event that a state does not name
// leaves it as it is: nobody waits for it. The table of transitions stands in warp_machine.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "model/state/warp_life.h"
#include "model/stats/stall.h"
#include "model/types.h"

namespace smsim::ibuffer {

// --- the states, each with what belongs to it ----------------------------------------------------------------------

/// The slot holds no warp.
struct Absent {
    bool operator==(const Absent &) const = default;
};
/// The warp's life begins at `at`.
struct NotStarted {
    Cycle at = kNever;
    bool waits = false; ///< at a CTA barrier, at which it has arrived before its time began
    bool operator==(const NotStarted &) const = default;
};
/// The warp looks at its next instruction: what it waits for is up to buffer, scoreboards and units.
struct Running {
    bool operator==(const Running &) const = default;
};
/// A control instruction is in the branch unit, and its answer is not here.
struct BranchUnanswered {
    Cycle wake = kNever; ///< of the sleep that the answer will tell of; kNever: none has come
    bool operator==(const BranchUnanswered &) const = default;
};
/// The answer of the control instruction is known and takes effect at `at`.
struct BranchAnswered {
    Cycle at = kNever;
    Outcome outcome = Outcome::kContinue; ///< kContinue, kSleep or kExited
    bool leaves = false;                  ///< what has been fetched behind it is dropped then
    Cycle wake = kNever;                  ///< as in BranchUnanswered
    bool operator==(const BranchAnswered &) const = default;
};
/// A barrier arrival is in the barrier unit, and whether it blocks is not known.
struct ArrivalUnanswered {
    Cycle wake = kNever; ///< of the block that the answer will tell of; kNever: none has come
    bool operator==(const ArrivalUnanswered &) const = default;
};
/// Blocked at a CTA barrier since `since`; a wake ends it.
struct Blocked {
    Cycle since = kNever;
    bool operator==(const Blocked &) const = default;
};
/// The barrier is complete, and the warp goes on at `at`.
struct LeavingBarrier {
    Cycle at = kNever;
    bool operator==(const LeavingBarrier &) const = default;
};
/// All threads sleep since `since`; a wake ends it.
struct Sleeping {
    Cycle since = kNever;
    bool operator==(const Sleeping &) const = default;
};
/// The wake has come and takes effect at `at`.
struct WakingUp {
    Cycle at = kNever;
    bool operator==(const WakingUp &) const = default;
};
/// A memory fence holds the warp until `at`.
struct Fenced {
    Cycle at = kNever;
    bool operator==(const Fenced &) const = default;
};
/// No thread is left; the warp ends when everything that it has issued is done.
struct Exiting {
    bool operator==(const Exiting &) const = default;
};

using MachineState = std::variant<Running, Absent, NotStarted, BranchUnanswered, BranchAnswered, ArrivalUnanswered,
                                  Blocked, LeavingBarrier, Sleeping, WakingUp, Fenced, Exiting>;

/// What a warp is charged with that does not look at its next instruction.
struct Charge {
    WarpState state;
    StallReason reason;
    bool is_long; ///< long enough for the two-level policy to replace the warp
};

// --- the machine ---------------------------------------------------------------------------------------------------

/// The state machine of one warp.
class WarpMachine {
  public:
    const MachineState &state() const { return state_; }
    bool is_running() const { return std::holds_alternative<Running>(state_); }
    bool is_resident() const { return !std::holds_alternative<Absent>(state_); }
    bool is_exiting() const { return std::holds_alternative<Exiting>(state_); }
    /// Waits at a CTA barrier, and no wake is on its way.
    bool is_blocked() const { return std::holds_alternative<Blocked>(state_); }
    /// True when the warp's next instructions may be fetched.
    bool may_fetch() const;
    /// The cycle that changes the state; kNever when only a message does.
    Cycle until() const { return until_; }
    /// What the warp is charged with; nothing when it runs or has no life yet.
    std::optional<Charge> charge() const;

    // --- events: the warp's life -----------------------------------------------------------------------------------
    /// A warp begins its life at `at` in this slot, whatever was there; one that `waits` is blocked at a CTA barrier.
    void start(Cycle at, bool waits = false) { become(NotStarted{at, waits}); }
    /// Everything that the warp has issued is done, or the run has been cut short.
    void end() { become(Absent{}); }

    // --- events: issue -----------------------------------------------------------------------------------------------
    /// A control instruction that may jump is handed to its unit.
    void branch_issued();
    /// A barrier arrival that waits is handed to its unit.
    void arrival_issued();
    /// A memory fence is issued that holds the warp until `until`.
    void fence_issued(Cycle until);

    // --- events: messages --------------------------------------------------------------------------------------------
    /// The outcome of the control instruction takes effect at `at`. A warp that `leaves` goes on elsewhere than with
    /// the instructions fetched behind it, or not at all (kExited); `reach` says when to drop these.
    void branch_answered(Cycle at, Outcome outcome, bool leaves);
    /// What the barrier unit says takes effect at `at`: kContinue or kBlocked.
    void arrival_answered(Cycle at, Outcome outcome);
    /// A sleeping or blocked warp may go on at `at`.
    void wake(Cycle at);

    // --- events: time ------------------------------------------------------------------------------------------------
    /// Cycle `now` is reached: every change due by now happens. True when what has been fetched must be dropped.
    bool reach(Cycle now);

  private:
    template <typename State> void become(const State &state) {
        state_ = state;
        if constexpr (requires { state.at; }) {
            until_ = state.at;
        } else {
            until_ = kNever;
        }
    }
    void go_on_behind(const BranchAnswered &branch);

    MachineState state_ = Absent{};
    Cycle until_ = kNever; ///< of that state
};

} // namespace smsim::ibuffer
