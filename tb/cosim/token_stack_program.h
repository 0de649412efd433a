// Random kernels for the engine token_stack.
#pragma once

#include <cstdint>

#include "tb/cosim/lockstep_program.h"

namespace smsim::cosim {

/// Nested regions, loops, calls, jumps in every form, exits, sleeps and barriers as docs/reconvergence.md requires, by
/// the warps of CTAs of up to `warps`; half of the programs also have instructions at arbitrary places. Every order,
/// few and many places, with and without spilling and a call limit.
LockstepProgram token_stack_program(std::uint64_t seed, std::uint32_t warps);

} // namespace smsim::cosim
