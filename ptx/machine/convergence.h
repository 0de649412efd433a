// Convergence barriers: BSSY before what may part a warp, BSYNC where its ways meet, BREAK on ways out, YIELD in loops
// that wait for other threads (ptx.md Convergence insertion).
//
// A region is a divergent branch, or a loop that threads leave at different times, with the block where all its ways
// meet. Ways are looked at loop by loop: inside a loop those that leave it do not count, so that the threads that stay
// meet in every round; the ones that leave from inside a region BREAK it. A BSYNC never decides what is computed:
// where threads must be together WARPSYNC stands.
#pragma once

#include <vector>

#include "ptx/machine/divergence.h"

namespace smsim::ptx::machine {

/// Inserts BSSY, BSYNC, BREAK and YIELD. Barriers are numbered by nesting from 0. Each CALL learns how many are in use
/// around it. Loops must be normal (`normalise_loops`). Returns the number of barriers in use at the same time.
unsigned insert_convergence(Function &function, const Divergence &divergence);

/// Turns the numbers into B registers: `base` are in use by callers. Beyond 16 a register is taken again, and what its
/// region needs is kept in general registers (BMOV); regions nested deeper than 32 lose their barriers.
void assign_barriers(Function &function, unsigned base);

/// Number of B registers of a warp.
inline constexpr unsigned kBarriers = 16;

} // namespace smsim::ptx::machine
