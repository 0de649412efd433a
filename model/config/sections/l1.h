// The L1 data cache.
#pragma once

#include <cstdint>

#include "model/config/policy_choice.h"

namespace smsim {

/// Which line of a full set makes room for another (memory/l1/policies/): the least recently used, the one that came
/// first, any, or one that is not expected to be read soon, with the two predictions for a new line of RRIP.
enum class L1ReplacementKind : std::uint8_t { kLru, kFifo, kRandom, kSrrip, kBrrip };
/// Which reads that miss are forwarded without taking a line (memory/l1/policies/): none, those of accesses that spread
/// over many rows, those that would wait for an MSHR, or those of lines that have not missed lately.
enum class L1BypassKind : std::uint8_t { kNone, kDivergent, kStalled, kLowReuse };

struct L1Config {
    bool enabled = true;
    std::uint32_t bytes = 131072; ///< with those that become shared memory (SharedMemoryConfig::carveouts)
    std::uint32_t line_bytes = 128;
    std::uint32_t sector_bytes = 0; ///< part of a line that a miss brings; 0: the whole line
    std::uint32_t ways = 4;
    bool hash_sets = false;            ///< lines whole rounds of the sets apart spread over the sets
    std::uint32_t latency = 35;        ///< hit of 4 bytes per thread, cycles from issue to that of its consumer
    std::uint32_t bytes_per_cycle = 0; ///< of hits; 0: any
    bool conflict_free = false;        ///< words are spread evenly over the banks of the data: for experiments
    std::uint32_t mshrs = 64;
    PolicyChoice<L1ReplacementKind> replacement = L1ReplacementKind::kLru;
    PolicyChoice<L1BypassKind> bypass = L1BypassKind::kNone;
};

} // namespace smsim
