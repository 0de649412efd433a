// What a warp does while it does not consider its next instruction, as one explicit state machine: it has not started,
// its control instruction or barrier arrival is under way, it sleeps, a fence holds it, it has run its last
// instruction.
//
// Four kinds of event change the state: an issue, an answer of a unit, a wake, and a cycle that is reached. Messages
// say in which cycle they take effect; whatever the order of answer and wake of one instruction, and whether they
// arrive before or after the step of the cycle in which they are sent, the warp continues in the same cycle. An event
// that a state does not handle leaves it unchanged: nothing waits for it. The table of transitions is in
// warp_machine.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "model/state/warp_life.h"
#include "model/stats/stall.h"
#include "model/types.h"

namespace smsim::ibuffer {

// --- the states, each with its data --------------------------------------------------------------------------------

/// The slot holds no warp.
struct Absent {
    bool operator==(const Absent &) const = default;
};
/// The warp starts at `at`.
struct NotStarted {
    Cycle at = kNever;
    bool waits = false; ///< at a CTA barrier, at which it arrived before its time began
    bool operator==(const NotStarted &) const = default;
};
/// The warp considers its next instruction: buffer, scoreboards and units decide what it waits for.
struct Running {
    bool operator==(const Running &) const = default;
};
/// A control instruction is in the branch unit, and its answer has not arrived.
struct BranchUnanswered {
    Cycle wake = kNever; ///< end of the sleep that the answer will report; kNever: no wake has arrived
    bool operator==(const BranchUnanswered &) const = default;
};
/// The answer of the control instruction is known and takes effect at `at`.
struct BranchAnswered {
    Cycle at = kNever;
    Outcome outcome = Outcome::kContinue; ///< kContinue, kSleep or kExited
    bool leaves = false;                  ///< the instructions fetched after it are dropped then
    Cycle wake = kNever;                  ///< as in BranchUnanswered
    bool operator==(const BranchAnswered &) const = default;
};
/// A barrier arrival is in the barrier unit, and it is not known whether it blocks.
struct ArrivalUnanswered {
    Cycle wake = kNever; ///< end of the block that the answer will report; kNever: no wake has arrived
    bool operator==(const ArrivalUnanswered &) const = default;
};
/// Blocked at a CTA barrier since `since`; a wake ends it.
struct Blocked {
    Cycle since = kNever;
    bool operator==(const Blocked &) const = default;
};
/// The barrier is complete, and the warp continues at `at`.
struct LeavingBarrier {
    Cycle at = kNever;
    bool operator==(const LeavingBarrier &) const = default;
};
/// All threads sleep since `since`; a wake ends it.
struct Sleeping {
    Cycle since = kNever;
    bool operator==(const Sleeping &) const = default;
};
/// The wake has arrived and takes effect at `at`.
struct WakingUp {
    Cycle at = kNever;
    bool operator==(const WakingUp &) const = default;
};
/// A memory fence holds the warp until `at`.
struct Fenced {
    Cycle at = kNever;
    bool operator==(const Fenced &) const = default;
};
/// No thread is left; the warp ends when everything it has issued is done.
struct Exiting {
    bool operator==(const Exiting &) const = default;
};

using MachineState = std::variant<Running, Absent, NotStarted, BranchUnanswered, BranchAnswered, ArrivalUnanswered,
                                  Blocked, LeavingBarrier, Sleeping, WakingUp, Fenced, Exiting>;

/// The charge of a warp that does not consider its next instruction.
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
    /// Whether it waits at a CTA barrier with no wake on its way.
    bool is_blocked() const { return std::holds_alternative<Blocked>(state_); }
    /// Whether the warp's next instructions may be fetched.
    bool may_fetch() const;
    /// The cycle in which the state changes; kNever when only a message changes it.
    Cycle until() const { return until_; }
    /// The charge of the warp; none when it runs or has not started yet.
    std::optional<Charge> charge() const;

    // --- events: the warp's life -----------------------------------------------------------------------------------
    /// A warp starts at `at` in this slot, whatever was in it; a warp that `waits` is blocked at a CTA barrier.
    void start(Cycle at, bool waits = false) { become(NotStarted{at, waits}); }
    /// Everything that the warp has issued is done, or the run has been cut short.
    void end() { become(Absent{}); }

    // --- events: issue -----------------------------------------------------------------------------------------------
    /// A control instruction that may jump is sent to its unit.
    void branch_issued();
    /// A barrier arrival that waits is sent to its unit.
    void arrival_issued();
    /// A memory fence that holds the warp until `until` is issued.
    void fence_issued(Cycle until);

    // --- events: messages --------------------------------------------------------------------------------------------
    /// The outcome of the control instruction takes effect at `at`. A warp that `leaves` does not continue with the
    /// instructions fetched after it: it goes to another address, or has exited (kExited); `reach` says when to drop
    /// them.
    void branch_answered(Cycle at, Outcome outcome, bool leaves);
    /// The answer of the barrier unit takes effect at `at`: kContinue or kBlocked.
    void arrival_answered(Cycle at, Outcome outcome);
    /// A sleeping or blocked warp may continue at `at`.
    void wake(Cycle at);

    // --- events: time ------------------------------------------------------------------------------------------------
    /// Cycle `now` is reached: applies every change due by now. Returns whether fetched instructions must be dropped.
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
