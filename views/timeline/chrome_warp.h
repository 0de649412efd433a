// What the Chrome writer knows of one warp slot: what its tracks should show, and what they show.
#pragma once

#include <string>
#include <vector>

#include "model/observation/observer.h"

namespace smsim::views::timeline {

/// A track for things of which several may be under way at once; each takes the first lane that is free.
struct Lane {
    bool busy = false;  ///< something is under way
    bool shown = false; ///< its slice is open in the file
    bool named = false; ///< the track has its name
    std::uint64_t number = 0;
    Pc pc = 0;
    std::string begin_args{}; ///< members of the JSON object `args` at the slice's begin
    std::string end_args{};   ///< at its end

    /// The lane of `lanes` on which `number` is under way; null: it is not known.
    static Lane *find(std::vector<Lane> &lanes, std::uint64_t number) {
        for (Lane &lane : lanes) {
            if (lane.busy && lane.number == number) {
                return &lane;
            }
        }
        return nullptr;
    }
    /// Takes a free lane. One that ends in this cycle is still shown and not taken.
    static Lane &take(std::vector<Lane> &lanes, std::uint64_t number, Pc pc) {
        for (Lane &lane : lanes) {
            if (!lane.busy && !lane.shown) {
                return lane = Lane{true, false, lane.named, number, pc};
            }
        }
        return lanes.emplace_back(Lane{true, false, false, number, pc});
    }
};

/// Where a warp's cycles go.
struct Charge {
    WarpState state = WarpState::kEmpty;
    StallReason reason = StallReason::kNoInstruction;
    Pc pc = 0;
    friend bool operator==(const Charge &, const Charge &) = default;
};

struct ChromeWarp {
    bool resident = false;
    bool touched = false; ///< an event of this cycle concerns it
    bool named = false;   ///< its track has its name
    bool life_shown = false;
    bool charge_shown = false;
    std::uint64_t cta_number = 0;
    std::uint32_t warp_in_cta = 0;
    LaneMask valid;
    Cycle ended_at = 0; ///< of the last warp in this slot
    Charge charge;
    Charge shown;          ///< valid with `charge_shown`
    std::string args;      ///< members of `args` for the end of the slice that is open
    std::string next_args; ///< those that this cycle adds, when the slices of this cycle are open
    std::vector<Lane> divergences;
    std::vector<Lane> accesses;
};

} // namespace smsim::views::timeline
