// Where threads of a warp wait for one another: operations of a whole set, and WARPSYNC.
#pragma once

#include "tb/oracle/machine.h"

namespace smsim::oracle {

/// `thread`, whose set is known, has reached an operation that the set executes at once. When all living members have,
/// the operation is executed and they continue (or wait at a CTA barrier).
void arrive_at_set(Machine &machine, std::uint32_t thread);

/// `thread` executes WARPSYNC with a true guard (bru.md WARPSYNC). Threads whose groups are complete pass and become a
/// set.
void arrive_at_warpsync(Machine &machine, std::uint32_t thread, const Step &step);

/// A thread of the warp has exited: evaluates what the others wait for.
void meetings_after_exit(Machine &machine, std::uint32_t warp);

/// Call when no thread can run: resolves meetings that cannot complete on the stack engines. Under simt_stack WARPSYNC
/// blocks no thread, and they pass without becoming a set; under token_stack they are WarpSyncDiverged. Returns
/// whether a thread can run now.
bool end_vain_meetings(Machine &machine);

} // namespace smsim::oracle
