// The grid of a launch: what whoever places CTAs has to know of it. Plain C++.
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
    const LaunchContext *launch = nullptr; ///< outlives the launch; null in benches whose parts do not ask for it

    std::uint64_t cta_count() const { return std::uint64_t{ctas[0]} * ctas[1] * ctas[2]; }
};

/// What all warps of CTA number `cta` of `grid`, placed at `place` on SM `sm`, begin with.
WarpStart start_of_cta(const Grid &grid, std::uint64_t cta, const CtaPlace &place, SmId sm);
/// Makes `start` that of warp number `warp` of its CTA, with the threads that the grid gives it. Its age is left.
void start_warp(const Grid &grid, const CtaPlace &place, std::uint32_t warp, WarpStart &start);

} // namespace smsim::sm
