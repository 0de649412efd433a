// The CTA barrier unit.
#pragma once

#include <cstdint>

#include "model/config/implementation.h"

namespace smsim {

/// The order in which the warps of a completed barrier continue, by their number in the CTA.
enum class ReleaseOrder : std::uint8_t { kLowestFirst, kHighestFirst };

struct BcuConfig {
    Implementation implementation{};
    std::uint32_t arrival_latency = 6;  ///< arrival to bookkeeping, cycles
    std::uint32_t release_latency = 16; ///< completion to first released warp
    std::uint32_t release_interval = 1; ///< cycles between two released warps of one barrier
    ReleaseOrder release_order = ReleaseOrder::kLowestFirst;
    std::uint32_t interval = 1;      ///< cycles between two barrier operations
    std::uint32_t move_latency = 16; ///< B2R, B2R.RESULT, R2B
};

} // namespace smsim
