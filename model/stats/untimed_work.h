// The part of a launch that was executed functionally, besides what was simulated in time or before it.
#pragma once

#include <cstdint>

namespace smsim {

struct UntimedWork {
    std::uint64_t ctas = 0;         ///< that have ended
    std::uint64_t instructions = 0; ///< of warps; includes those that have continued in timed simulation
    std::uint64_t thread_instructions = 0;
    friend bool operator==(const UntimedWork &, const UntimedWork &) = default;
};

} // namespace smsim
