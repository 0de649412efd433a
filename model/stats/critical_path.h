// The critical path of a CTA: what its time consists of, seen from its end. The warp that ended last is followed back
// to the release of a barrier that it waited for, from there the warp that the barrier had waited for, and so on to the
// beginning of the CTA. What lies on the path determined the time of the CTA; what happened beside it did not.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/stats/stall.h"
#include "model/types.h"

namespace smsim {

struct CriticalPath {
    /// The part of the path that belongs to one warp. It ends where the next one begins, or with the CTA.
    struct Stretch {
        std::uint32_t warp = 0; ///< in the CTA
        Cycle begin = 0;
        Cycle end = 0;
        std::optional<std::uint8_t> barrier{}; ///< by which it let the next warp go on; empty: it ended the CTA
        Pc pc = 0;                             ///< the instruction that took most of the stretch
    };
    /// What one instruction had of the path for one reason.
    struct Cost {
        Pc pc = 0;
        StallReason reason = StallReason::kSelected;
        std::optional<Pc> producer{}; ///< whose result it waited for, at a scoreboard
        std::uint8_t scoreboard = 0;  ///< with a producer: which
        Cycle cycles = 0;
        std::uint64_t times = 0; ///< stretches of time that these cycles are in
    };

    std::uint64_t cta = 0;            ///< linear number in the grid
    Cycle begin = 0;                  ///< of its first warp
    Cycle end = 0;                    ///< of its last warp
    Cycle before = 0;                 ///< from the begin of the CTA to that of the warp in which the path begins
    StallCycles reasons{};            ///< the path by reason: together with `before` it is end - begin
    std::vector<Stretch> stretches{}; ///< in the order of time; they cover the path without a gap
    std::vector<Cost> costs{};        ///< most cycles first; their sum is that of `reasons`

    /// What the CTA took.
    Cycle cycles() const { return end - begin; }
};

} // namespace smsim
