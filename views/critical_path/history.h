// What the warps of a CTA did, and the path back through it from its end. Plain data and one function, without a
// model.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/isa/instruction.h"
#include "model/stats/critical_path.h"
#include "model/stats/stall.h"
#include "model/types.h"

namespace smsim::views::critical_path {

/// From `at` on, the cycles of a warp are charged like this.
struct Change {
    Cycle at = 0;
    Pc pc = 0;
    Pc producer = 0; ///< of what it waits for, at `scoreboard`
    StallReason reason = StallReason::kNoInstruction;
    std::uint8_t scoreboard = isa::kNoScoreboard; ///< kNoScoreboard: it waits at none
};

/// A barrier released the warp: it was complete at `at`, by warp `last` of the CTA, which arrived or ended.
struct Release {
    Cycle at = 0;
    std::uint32_t last = 0;
    std::uint8_t barrier = 0;
};

struct WarpHistory {
    Cycle begin = kNever;
    Cycle end = kNever;
    std::vector<Change> changes;   ///< in time order, the first one at `begin`
    std::vector<Release> releases; ///< likewise
};

struct CtaHistory {
    std::uint64_t number = 0;
    std::vector<WarpHistory> warps; ///< all have begun and ended

    /// Beginning of its first warp, and end of its last one.
    Cycle begin() const { return std::ranges::min(warps, {}, &WarpHistory::begin).begin; }
    Cycle end() const { return std::ranges::max(warps, {}, &WarpHistory::end).end; }
};

/// The critical path of a CTA. If several warps end last, the lowest one is taken.
///
/// A wait at a barrier belongs to the path from the completion of the barrier on; before that, the path follows the
/// warp that completed it. A warp that waits for anything else stays on the path: what others did to it (they occupied
/// the unit, they held the lock) is charged to its reason.
CriticalPath path_of(const CtaHistory &cta);

} // namespace smsim::views::critical_path
