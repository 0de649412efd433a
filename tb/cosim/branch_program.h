// Random programs for the branch unit: sequences of its instructions with guards, targets, masks and barrier registers
// that need not match. Threads diverge and meet in ways that no compiler produces, and many programs end with an
// exception.
#pragma once

#include <cstdint>

#include "tb/cosim/lockstep_program.h"

namespace smsim::cosim {

/// The program of `seed`, for CTAs of at most `warps` warps.
LockstepProgram branch_program(std::uint64_t seed, std::uint32_t warps);

} // namespace smsim::cosim
