// The L2 and the DRAM below it.
#pragma once

#include <cstdint>

namespace smsim {

/// The L2 and the DRAM below it, as one SM sees them (memory/l2_cache.h).
struct L2Config {
    std::uint64_t bytes = 0; ///< size; 0: every access below the L1 hits
    std::uint32_t line_bytes = 128;
    std::uint32_t sector_bytes = 32; ///< what a miss brings
    std::uint32_t ways = 16;
    std::uint32_t partitions = 1;     ///< 2: half is near to the SM and keeps copies of lines of the other half
    std::uint32_t far_latency = 0;    ///< additional cycles of a line that comes from or through the other half
    std::uint32_t miss_latency = 200; ///< additional cycles of a miss over a hit
    std::uint32_t dram_bytes_per_cycle = 32;
    std::uint32_t loaded_latency = 0; ///< additional cycles of a miss when the path to DRAM is fully used
};

} // namespace smsim
