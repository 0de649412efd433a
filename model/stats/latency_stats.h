// How long something took, over all occurrences: number, sum, extremes, and a histogram by powers of two.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "model/types.h"

namespace smsim {

struct LatencyStats {
    /// Bin 0 is for 0 cycles, bin i for 2^(i-1) to 2^i - 1, the last one for all longer ones as well.
    static constexpr std::size_t kBins = 33;

    std::uint64_t count = 0;
    Cycle cycles = 0; ///< summed
    Cycle least = kNever;
    Cycle most = 0;
    std::array<std::uint64_t, kBins> bins{};

    void add(Cycle latency) {
        ++count;
        cycles += latency;
        least = std::min(least, latency);
        most = std::max(most, latency);
        ++bins[std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(latency)), kBins - 1)];
    }
    void add(const LatencyStats &other) {
        count += other.count;
        cycles += other.cycles;
        least = std::min(least, other.least);
        most = std::max(most, other.most);
        std::ranges::transform(bins, other.bins, bins.begin(), std::plus{});
    }
    /// First latency of a bin, and the first one after it.
    static constexpr Cycle bin_begin(std::size_t bin) { return bin == 0 ? 0 : Cycle{1} << (bin - 1); }
    static constexpr Cycle bin_end(std::size_t bin) { return Cycle{1} << bin; }
    friend bool operator==(const LatencyStats &, const LatencyStats &) = default;
};

/// What is measured.
enum class LatencyKind : std::uint8_t {
    kLoadHit,      ///< load of global or local memory answered by the L1: issue to result
    kLoadMiss,     ///< any other load of global or local memory
    kGlobalAtomic, ///< atomic on global memory whose old value is used
    kSharedLoad,
    kSharedAtomic,
    kBarrierWait, ///< of a blocked warp: arrival to wake
    kWakeToIssue, ///< wake from a barrier or a sleep to the next issue of the warp
};
inline constexpr std::size_t kLatencyKinds = 7;

/// "load_l1_hit" and so on.
constexpr std::string_view latency_name(LatencyKind kind) {
    constexpr std::array<std::string_view, kLatencyKinds> kNames = {"load_l1_hit",  "load_l1_miss",  "global_atomic",
                                                                    "shared_load",  "shared_atomic", "barrier_wait",
                                                                    "wake_to_issue"};
    return kNames[static_cast<std::size_t>(kind)];
}

using Latencies = std::array<LatencyStats, kLatencyKinds>;

} // namespace smsim
