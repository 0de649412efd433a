// The maximum size of a transaction of the load/store unit.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/config/config.h"

namespace smsim {

/// Longest transaction of the unit, bytes.
inline constexpr std::uint32_t kRowBytes = 128;

/// Largest transaction on global memory: kRowBytes, or an L1's line if that is smaller, because a request that crosses
/// lines would bypass the cache.
inline std::uint32_t global_row_bytes(const Config &config) {
    return config.l1.enabled ? std::min(kRowBytes, config.l1.line_bytes) : kRowBytes;
}

} // namespace smsim
