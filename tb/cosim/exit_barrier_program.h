// Random programs for the barrier unit in which exiting warps complete barriers: several warps in one cycle, two
// barriers at once, while other warps read them. Words are invented: they count more arrivals than there are.
#pragma once

#include <cstdint>

#include "tb/cosim/lockstep_program.h"

namespace smsim::cosim {

/// The program of `seed`, with its design.
LockstepProgram exit_barrier_program(std::uint64_t seed);

} // namespace smsim::cosim
