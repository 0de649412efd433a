// What CTA placement needs to know about a launch: its grid. Plain C++.
#pragma once

#include <array>
#include <cstdint>

#include "model/state/launch_context.h"
#include "model/state/warp_life.h"
#include "model/types.h"
#include "sm/dispatch/cta_allocator.h"

namespace smsim::sm {

/// The grid of a launch.
struct Grid {
    std::array<std::uint32_t, 3> ctas{1, 1, 1};
    std::array<std::uint32_t, 3> threads{1, 1, 1};
    Pc entry = 0;
    CtaDemand demand;
    const LaunchContext *launch = nullptr; ///< must outlive the launch; null in benches whose parts do not need it

    std::uint64_t cta_count() const { return std::uint64_t{ctas[0]} * ctas[1] * ctas[2]; }
};

/// The common start data of all warps of CTA number `cta` of `grid`, placed at `place` on SM `sm`.
WarpStart start_of_cta(const Grid &grid, std::uint64_t cta, const CtaPlace &place, SmId sm);
/// Makes `start` the start of warp number `warp` of its CTA, with its threads of the grid. Its age does not change.
void start_warp(const Grid &grid, const CtaPlace &place, std::uint32_t warp, WarpStart &start);

} // namespace smsim::sm
