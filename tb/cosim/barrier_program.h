// Random programs for the barrier unit: what the warps of a CTA do fits together, so that nothing faults or deadlocks,
// in an order that differs from time to time.
#pragma once

#include <cstdint>

#include "tb/cosim/lockstep_program.h"

namespace smsim::cosim {

/// The program of `seed`, which makes about `operations` barrier operations.
LockstepProgram barrier_program(std::uint64_t seed, std::uint32_t operations);

} // namespace smsim::cosim
