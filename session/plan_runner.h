// Runs a plan, a launch file of several launches, in a session: step after step, on buffers that the steps share.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "model/launch/plan.h"
#include "model/program/program.h"
#include "session/session.h"

namespace smsim::session {

/// A launch of a plan that has run. References are valid only during the call of the observer.
struct PlanLaunch {
    std::size_t number = 0;     ///< of the launch, from 0, in the order in which they ran
    const std::string &name;    ///< of its step; may be empty
    std::uint64_t round = 0;    ///< of the innermost repeat around it
    const launch::Launch &what; ///< with the scalars of this round
    const Program &program;
    const Kernel &kernel;
    const LaunchResult &result;
};

/// A check of a plan that has been made.
struct PlanCheck {
    std::string step; ///< name; may be empty
    std::size_t launches_before = 0;
    launch::CheckResult result;
};

/// The outcome of a plan.
struct PlanResult {
    std::size_t launches = 0;      ///< that have run, including one that did not complete
    std::vector<PlanCheck> checks; ///< all checks made, if `PlanHost::checked` is empty
    std::string error; ///< why the plan ended before its last step although every launch completed; empty: it did not
    bool stopped =
        false; ///< ended between two steps, or within one that is no launch, because `PlanHost::stop` said so
    std::vector<std::uint64_t> addresses{}; ///< of the buffers in the session, index = buffer of the plan
};

/// What a plan needs from its caller, and its observers.
struct PlanHost {
    /// The program and kernel of a launch step, the same ones each time; they outlive the session.
    std::function<std::pair<const Program *, const Kernel *>(const launch::LaunchStep &)> program_of;
    /// Called after each launch; may be empty.
    std::function<void(const PlanLaunch &)> launched;
    /// Polled before each step and between pieces of what a step copies; true ends the plan. May be empty:
    /// `Options::stop` is polled only within launches and fills.
    std::function<bool()> stop;
    /// Called after each check; empty: PlanResult keeps them all.
    std::function<void(const PlanCheck &)> checked;
};

/// Maps and fills the buffers of `plan`, places its programs, finds out whether each of its launches can run, and runs
/// its steps. Copies, fills and checks take no time. The first launch that does not complete is the last one; a repeat
/// whose condition still holds after its bound ends the plan with an `error`. Throws what `Session::require` throws,
/// before the first step.
PlanResult run_plan(Session &session, const launch::Plan &plan, const PlanHost &host);

} // namespace smsim::session
