// RejectedReadings of the hardware descriptions that the model rejects, each under the tag of its decision
// (docs/branch-unit.md, docs/barrier-unit.md). The model contains none of them: they exist in the rules of this
// folder, so that the exploration can show what goes wrong with each.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace smsim::independent_rules {

/// The rejected readings in force. None: the rules of the model.
struct RejectedReadings {
    bool d2 = false;  ///< threads that exit stay in the B registers
    bool d3 = false;  ///< "all candidates sleep" is true when every sleeper is a candidate, even if no thread sleeps
    bool d4 = false;  ///< sleeping threads at the elected address run too
    bool d5 = false;  ///< jumps assign to all lanes, not only to active threads
    bool d6 = false;  ///< sleeping threads at a sync have arrived
    bool d7 = false;  ///< BSYNC clears only the bits of the threads that execute it
    bool d9 = false;  ///< YIELD and NANOSLEEP put the warp to sleep when those whose turn it is sleep
    bool d10 = false; ///< threads that yield resume at the YIELD, not after it
    bool d12 = false; ///< NANOSLEEP does not set SleepMask
    bool d13 = false; ///< LEPC ignores its offset
    bool d14 = false; ///< BSYNC has no turns
    bool d15 = false; ///< threads at a WARPSYNC have arrived, whatever their guard
    bool d16 = false; ///< a WARPSYNC group is ready when the threads of one member mask have arrived
    bool d17 = false; ///< a WARPSYNC that blocks hands over to the missing threads, blocked or not
    bool d18 = false; ///< a BSYNC that opens early clears YieldMask only for the threads that execute it
    bool b4 = false;  ///< BAR.RED with one register: the value is cut to 12 bits before the count is taken from it
    bool b5 = false;  ///< B2R.WARP reads the barrier of the last BAR.RED as it is now
    bool b6 = false;  ///< arrivals and exits are compared with the threads of the CTA
};

/// A reading by name.
struct Name {
    std::string_view text; ///< "d7"
    bool RejectedReadings::*flag;
};

/// All readings: those of the branch unit (d...), then those of the barrier unit (b...).
std::span<const Name> all_names();

/// The readings with these names. Throws InputError for an unknown name.
RejectedReadings readings_of(const std::vector<std::string> &names);

/// Some reading of the branch unit is in force.
bool concerns_branches(const RejectedReadings &readings);

} // namespace smsim::independent_rules
