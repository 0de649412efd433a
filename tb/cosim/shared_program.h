// Random programs for shared memory: loads, stores and atomics of all kinds at addresses that the threads compute.
#pragma once

#include <cstdint>

#include "tb/cosim/lockstep_program.h"

namespace smsim::cosim {

/// The program of `seed`, with about `accesses` accesses of warps. Programs of four consecutive seeds contain every
/// atomic operation of every supported type.
LockstepProgram shared_program(std::uint64_t seed, std::uint32_t accesses);

} // namespace smsim::cosim
