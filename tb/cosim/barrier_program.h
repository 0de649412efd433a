// Random programs for the barrier unit: the actions of a CTA's warps match, so that nothing faults or deadlocks, in an
// order that varies.
#pragma once

#include <cstdint>

#include "tb/cosim/lockstep_program.h"

namespace smsim::cosim {

/// The program of `seed`, with about `operations` barrier operations.
LockstepProgram barrier_program(std::uint64_t seed, std::uint32_t operations);

} // namespace smsim::cosim
