// Identical instructions at the ends of all ways to a block are moved to its beginning: code is shorter, and a warp
// that went both ways executes them together.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// Moves equal last instructions of all blocks that fall through to another one into that block; returns how many. Not
/// to the beginning of loops; instructions that concern other threads, or block threads, stay.
unsigned merge_tails(machine::Function &function);

} // namespace smsim::ptx::optimise
