// How blocks of RTL are driven.
#pragma once

#include <cstdint>

namespace smsim {

/// Channels of RTL blocks that are stalled at random (cosim/handshakes.h); the parts of the model do not use it.
struct RtlConfig {
    std::uint32_t stall_percent = 0; ///< chance of each channel in each cycle
    std::uint64_t stall_seed = 0;
    std::uint32_t patience = 1'000'000; ///< cycles for which a block may delay an answer
};

} // namespace smsim
