// What the directives of a kernel require of its launches: .maxntid, .reqntid, .minnctapersm, .maxnreg.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "ptx/ast.h"

namespace smsim::ptx {

/// Most threads of a CTA.
inline constexpr std::uint32_t kMostThreads = 1024;

struct LaunchBounds {
    std::optional<std::uint32_t> most_threads; ///< of a CTA, 1 to kMostThreads: .maxntid, or .reqntid
    bool threads_required = false;             ///< a CTA has exactly this many (.reqntid)
    std::array<std::uint32_t, 3> block{};      ///< and these extents; zeros without .reqntid
    std::uint32_t least_ctas = 1;              ///< resident at once on an SM; only counts with `most_threads`
    std::optional<std::uint32_t> registers;    ///< most per thread
};

/// The bounds of a kernel; of several directives the strictest counts. Numbers of dimensions are multiplied.
LaunchBounds launch_bounds(const Function &kernel);

/// Most registers per thread, 16 to `most`, with which `registers_of_sm` has room for as many CTAs as the bounds
/// request.
unsigned register_limit(const LaunchBounds &bounds, unsigned registers_of_sm, unsigned most);

} // namespace smsim::ptx
