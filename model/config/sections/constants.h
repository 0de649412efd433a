// Caches of constants.
#pragma once

#include <cstdint>

namespace smsim {

/// Caches of constants (timing.md 5): for operands, one per sub-partition; for LDC, one per SM.
struct ConstantsConfig {
    std::uint32_t operand_bytes = 0; ///< size; 0: every operand is there
    std::uint32_t line_bytes = 64;
    std::uint32_t ways = 2;
    std::uint32_t miss_latency = 79; ///< cycles for which a warp waits whose operand is absent
    std::uint32_t miss_hold = 4;     ///< cycles, including that of the miss, in which no warp issues then
    std::uint32_t load_bytes = 0;    ///< size of the cache for LDC; 0: everything is there
    std::uint32_t load_ways = 4;
    std::uint32_t load_miss_latency = 62; ///< additional cycles of an LDC that misses it
    std::uint32_t address_interval = 0;   ///< cycles for each further address of one LDC
};

} // namespace smsim
