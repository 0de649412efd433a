// Where threads of a warp wait for one another: operations of a whole set, and WARPSYNC.
#pragma once

#include "tb/oracle/machine.h"

namespace smsim::oracle {

/// `thread`, whose set is known, stands at an operation that the set executes at once. When all living members do, the
/// operation is executed and they go on (or wait at a CTA barrier).
void arrive_at_set(Machine &machine, std::uint32_t thread);

/// `thread` executes WARPSYNC with a true guard (bru.md WARPSYNC). Those whose threads are all there pass, and are a
/// set.
void arrive_at_warpsync(Machine &machine, std::uint32_t thread, const Step &step);

/// A thread of the warp has exited: evaluates what the others wait for.
void meetings_after_exit(Machine &machine, std::uint32_t warp);

/// Nobody can run: what meetings that cannot come about are for the stack engines. Under simt_stack WARPSYNC holds
/// nobody up, and they pass without being a set; under token_stack they are WarpSyncDiverged. Whether somebody can run
/// now.
bool end_vain_meetings(Machine &machine);

} // namespace smsim::oracle
