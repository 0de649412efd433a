// The CTA barriers (bcu.md): arrivals of sets of threads, completion, and their state as one word.
#pragma once

#include <span>

#include "tb/oracle/machine.h"

namespace smsim::oracle {

/// BAR, BAR.RED or R2B by the threads `members` of a warp, of which `executing` have a true guard. The members
/// continue or are blocked (bcu.md BAR.SYNC, BAR.ARV, BAR.RED; R2B).
void execute_barrier(Machine &machine, std::uint32_t warp, std::uint32_t members, std::uint32_t executing);

/// A warp of the CTA has exited: evaluates the barriers that wait for all alive warps (bcu.md "Complete when").
void barriers_after_exit(Machine &machine, std::uint32_t cta);

/// The state as one word (bcu.md State).
std::uint32_t barrier_word(const Barrier &barrier);

/// B2R.RESULT from a warp's WarpBarState; 0 and false if no reduction came before it.
void read_result(std::uint32_t state, std::uint32_t &rd, std::uint8_t &predicates, std::uint8_t pu);

} // namespace smsim::oracle
