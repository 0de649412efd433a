// Sizes over time of something in a reconvergence engine, such as the stack of each warp, for reports.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/types.h"

namespace smsim {

/// What is measured, as the engine names it.
struct LevelName {
    std::string_view name;    ///< one word for fields and tracks: "stack_depth"
    std::string_view meaning; ///< a few words for reports: "entries on the stack of a warp"
};

/// The sizes of one thing of one warp, weighted by time.
struct WarpLevel {
    std::uint64_t cta_number = 0;
    std::uint32_t warp_in_cta = 0;
    std::uint64_t most = 0;
    Cycle cycles = 0;               ///< for which the warp was measured
    std::uint64_t level_cycles = 0; ///< sum of the size over these cycles
};

/// The same for several warps.
struct LevelSums {
    std::uint64_t most = 0;
    Cycle cycles = 0;
    std::uint64_t level_cycles = 0;

    void add(const WarpLevel &warp) {
        most = warp.most > most ? warp.most : most;
        cycles += warp.cycles;
        level_cycles += warp.level_cycles;
    }
};

/// The same for all warps of a launch. A warp is measured from its start to its last control instruction; a size counts
/// from the cycle in which the control instruction that causes it is executed.
struct LevelStats {
    /// Number of distinguished sizes; the last one includes all above it.
    static constexpr std::size_t kShown = 65;

    LevelName what;                          ///< without a name: the engine has nothing that grows
    std::array<Cycle, kShown> warp_cycles{}; ///< index: size
    LevelSums sums;                          ///< of all warps
    std::vector<WarpLevel> warps;            ///< those that have records (WarpWish), by CTA number, then warp

    /// Adds a warp; `is_kept`: with its record.
    void add(const WarpLevel &warp, bool is_kept = true) {
        sums.add(warp);
        if (is_kept) {
            warps.push_back(warp);
        }
    }
};

} // namespace smsim
