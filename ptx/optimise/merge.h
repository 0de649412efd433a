// The same instructions at the ends of all ways to a block stand once, at its beginning: code is shorter, and a warp
// that went both ways executes them together.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// Moves equal last instructions of all blocks that fall to another one into that; returns how many. Not to the
/// beginning of loops; what concerns other threads, or holds them, stays.
unsigned merge_tails(machine::Function &function);

} // namespace smsim::ptx::optimise
