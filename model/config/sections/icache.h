// Caches of instructions.
#pragma once

#include <cstdint>

namespace smsim {

/// What a sub-partition's instruction cache prefetches: `kNextUse` brings lines into the L0, one more for each that is
/// used; `kHead` keeps them in a stream buffer of which only the first can be used, and which a miss of another line
/// restarts.
enum class StreamPolicy : std::uint8_t { kNextUse, kHead };

struct ICacheConfig {
    bool l0 = true;
    std::uint32_t l0_bytes = 32768;
    std::uint32_t line_bytes = 128;
    std::uint32_t l0_latency = 1;     ///< cycles of a hit
    std::uint32_t l1_latency = 39;    ///< cycles of an L0 miss
    std::uint32_t prefetch_lines = 8; ///< stream buffer: lines prefetched after a miss
    StreamPolicy stream = StreamPolicy::kNextUse;
    std::uint32_t l1_bytes = 0; ///< size of the L1 instruction cache; 0: it holds every program
    std::uint32_t l1_ways = 16;
    std::uint32_t l1_miss_latency = 200;     ///< additional cycles for a line that is not in the L1
    std::uint32_t l1_requests_per_cycle = 0; ///< requests that the L1 takes, and lines that it returns; 0: no limit
    bool cold_launch = false;                ///< a launch begins with empty caches
};

} // namespace smsim
