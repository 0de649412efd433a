// What no machine does: random delays, and things that cost nothing.
#pragma once

#include <cstdint>

namespace smsim {

/// Random delays of events whose timing no program may rely on (model/timing/jitter.h).
struct JitterConfig {
    std::uint64_t seed = 0; ///< 0: none
    std::uint32_t max = 32; ///< maximum number of extra cycles of one event
};

/// What if something cost nothing that it costs on every machine: for experiments, whose results are then not those of
/// the program.
struct IdealConfig {
    bool barriers = false; ///< no warp waits at a CTA barrier
    bool branches = false; ///< all active threads of a warp branch as the lowest of them does
    bool locks = false;    ///< every compare-and-swap succeeds, and an exchange finds 0
};

} // namespace smsim
