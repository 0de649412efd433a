// The SM as a whole: its size, its clock, the start of CTAs and warps.
#pragma once

#include <cstdint>

#include "model/config/policy_choice.h"

namespace smsim {

/// Which CTA an SM gets that has room for one (sm/dispatch/policies/): in order of the numbers, a contiguous piece of
/// the grid for each SM, column by column, tile by tile, or from the last to the first.
enum class CtaDistributionKind : std::uint8_t { kInOrder, kBlocked, kByColumn, kByTile, kLastFirst };

struct SmConfig {
    std::uint32_t sub_partitions = 4;
    std::uint32_t warps_per_sub_partition = 16;
    std::uint32_t max_threads = 2048;
    std::uint32_t registers = 65536;   ///< 32-bit registers of the SM
    std::uint32_t register_unit = 256; ///< allocation granularity per warp, registers
    std::uint32_t max_ctas = 32;
    std::uint32_t cta_launch_interval = 1; ///< cycles between two CTA placements
    std::uint32_t cta_restart = 0;         ///< cycles from the end of a CTA to the start of one that waits for its room
    std::uint32_t warp_start_interval = 0; ///< cycles between two warps of a CTA that start in one sub-partition
    PolicyChoice<CtaDistributionKind> cta_distribution = CtaDistributionKind::kInOrder;
    std::uint64_t watchdog_cycles = 100'000'000;
    double clock_ghz = 1.0;
    bool hazard_check = false;
    bool hazard_fatal = false; ///< a hazard ends the run instead of being counted and reported
};

} // namespace smsim
