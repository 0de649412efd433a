// Random kernels for the engine simt_stack.
#pragma once

#include <cstdint>

#include "tb/cosim/lockstep_program.h"

namespace smsim::cosim {

/// Nested branches, loops, calls, jumps of all, sleeps and barriers as docs/reconvergence.md requires, by the warps of
/// CTAs of up to `warps`; half of the programs also have instructions at arbitrary places. Every order and depth.
LockstepProgram simt_stack_program(std::uint64_t seed, std::uint32_t warps);

} // namespace smsim::cosim
