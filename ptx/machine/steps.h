// Counts what the analyses of control flow do, so that tests can hold how that grows with the code.
#pragma once

#include <cstddef>
#include <cstdint>

namespace smsim::ptx::machine {

/// Steps of this thread so far: blocks, edges, words of registers and regions that were looked at, once for each time.
inline thread_local std::uint64_t steps_so_far = 0;

/// Counts `steps` more.
inline void count_steps(std::size_t steps = 1) {
    steps_so_far += steps;
}

} // namespace smsim::ptx::machine
