// Random kernels for the engine simt_stack.
#pragma once

#include <cstdint>

#include "tb/cosim/lockstep_program.h"

namespace smsim::cosim {

/// Branches, loops, calls, jumps of all, sleeps and barriers in each other as docs/simt-stack.md wants them, by the
/// warps of CTAs of up to `warps`; in half of the programs instructions stand anywhere beside them. Every order and
/// depth.
LockstepProgram simt_stack_program(std::uint64_t seed, std::uint32_t warps);

} // namespace smsim::cosim
