// Random programs for shared memory: loads, stores and atomics of all kinds at addresses that the threads compute.
#pragma once

#include <cstdint>

#include "tb/cosim/lockstep_program.h"

namespace smsim::cosim {

/// The program of `seed`, which makes about `accesses` accesses of warps. Programs of four seeds in a row have every
/// atomic operation of every type it knows.
LockstepProgram shared_program(std::uint64_t seed, std::uint32_t accesses);

} // namespace smsim::cosim
