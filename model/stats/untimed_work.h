// What of a launch has been executed without timing beside what was simulated in time.
#pragma once

#include <cstdint>

namespace smsim {

struct UntimedWork {
    std::uint64_t ctas = 0; ///< that have ended
    std::uint64_t instructions = 0;
    std::uint64_t thread_instructions = 0;
    friend bool operator==(const UntimedWork &, const UntimedWork &) = default;
};

} // namespace smsim
