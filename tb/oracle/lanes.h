// Exchange between the lanes of a set: VOTE, MATCH, REDUX, SHFL, and the lowest thread's value for a uniform register.
#pragma once

#include "tb/oracle/machine.h"

namespace smsim::oracle {

/// Executes the operation for the threads `executing` of the set `members` (docs/records/compute-set.md Lanes of a
/// warp). A uniform register is written in every member: they share it.
void execute_lanes(Machine &machine, std::uint32_t warp, std::uint32_t members, std::uint32_t executing,
                   const Step &step);

} // namespace smsim::oracle
