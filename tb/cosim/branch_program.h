// Random programs for the branch unit: its instructions one behind the other, with guards, targets, masks and barrier
// registers that need not fit together. Threads part and meet in ways that no compiler makes, and many programs end
// with an exception.
#pragma once

#include <cstdint>

#include "tb/cosim/lockstep_program.h"

namespace smsim::cosim {

/// The program of `seed`, for CTAs of at most `warps` warps.
LockstepProgram branch_program(std::uint64_t seed, std::uint32_t warps);

} // namespace smsim::cosim
