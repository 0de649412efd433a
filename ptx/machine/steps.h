// Counts the steps of control-flow analyses, so that tests can check how they grow with the code.
#pragma once

#include <cstddef>
#include <cstdint>

namespace smsim::ptx::machine {

/// Steps of this thread so far: blocks, edges, words of registers and regions that were visited, counting every visit.
inline thread_local std::uint64_t steps_so_far = 0;

/// Adds `steps`.
inline void count_steps(std::size_t steps = 1) {
    steps_so_far += steps;
}

} // namespace smsim::ptx::machine
