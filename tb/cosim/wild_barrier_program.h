// Random programs for the barrier unit whose warps do not match: wrong counts, threads that name different barriers,
// words that no barrier has, barriers used in two ways. Most end with an exception, or deadlock.
#pragma once

#include <cstdint>

#include "tb/cosim/lockstep_program.h"

namespace smsim::cosim {

/// The program of `seed`.
LockstepProgram wild_barrier_program(std::uint64_t seed);

} // namespace smsim::cosim
