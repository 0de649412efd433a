// The critical path of a CTA: what its time consists of, seen from its end. Starting with the warp that ended last, it
// goes back to the release of a barrier for which that warp waited, from there follows the warp for which the barrier
// had waited, and so on to the beginning of the CTA. What is on the path determined the time of the CTA; what happened
// beside it did not.
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
        std::optional<std::uint8_t> barrier{}; ///< with which it released the next warp; empty: it ended the CTA
        Pc pc = 0;                             ///< the instruction that took most of the stretch
    };
    /// The share of one instruction in the path for one reason.
    struct Cost {
        Pc pc = 0;
        StallReason reason = StallReason::kSelected;
        std::optional<Pc> producer{}; ///< whose result it waited for, at a scoreboard
        std::uint8_t scoreboard = 0;  ///< with a producer: which
        Cycle cycles = 0;
        std::uint64_t times = 0; ///< number of separate intervals that these cycles are in
    };

    std::uint64_t cta = 0;            ///< linear number in the grid
    Cycle begin = 0;                  ///< of its first warp
    Cycle end = 0;                    ///< of its last warp
    Cycle before = 0;                 ///< from the beginning of the CTA to that of the warp in which the path begins
    StallCycles reasons{};            ///< the path by reason: together with `before` it is end - begin
    std::vector<Stretch> stretches{}; ///< in the order of time; they cover the path without a gap
    std::vector<Cost> costs{};        ///< most cycles first; their sum is that of `reasons`

    /// Duration of the CTA.
    Cycle cycles() const { return end - begin; }
};

} // namespace smsim
