// Random kernels for the engine token_stack.
#pragma once

#include <cstdint>

#include "tb/cosim/lockstep_program.h"

namespace smsim::cosim {

/// Regions, loops, calls, jumps in every form, exits, sleeps and barriers in each other as docs/token-stack.md wants
/// them, by the warps of CTAs of up to `warps`; in half of the programs instructions stand anywhere beside them. Every
/// order, few and many places, with and without spilling and a call limit.
LockstepProgram token_stack_program(std::uint64_t seed, std::uint32_t warps);

} // namespace smsim::cosim
