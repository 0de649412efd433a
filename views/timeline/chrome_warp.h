// The state of the Chrome writer for one warp slot: what its tracks should show, and what they show.
#pragma once

#include <string>
#include <vector>

#include "model/observation/observer.h"
#include "views/timeline/charge_slice.h"

namespace smsim::views::timeline {

/// A track for things of which several may be under way at once; each takes the first free lane.
struct Lane {
    bool busy = false;  ///< something is under way
    bool shown = false; ///< its slice has begun
    bool named = false; ///< the track has its name
    std::uint64_t number = 0;
    Pc pc = 0;
    Cycle begin = 0;          ///< of the slice; valid with `shown`
    bool held = false;        ///< its slice is over at `end`, but what follows may still be joined to it
    Cycle end = 0;            ///< valid with `held`
    Cycle since = 0;          ///< of what is under way, in the slice
    Cycle cycles = 0;         ///< in which something before it was under way
    std::uint64_t things = 1; ///< in the slice
    std::string begin_args{}; ///< members of the JSON object `args` known at its begin
    std::string end_args{};   ///< known later
    Pc last_pc = 0;           ///< of what joined the slice last; valid when that is not the first
    std::string last_args{};  ///< its `begin_args`

    Lane &begins(std::uint64_t its_number, Pc its_pc) {
        busy = true;
        number = its_number;
        pc = its_pc;
        return *this;
    }
    /// The lane of `lanes` on which `number` is under way; null: unknown.
    static Lane *find(std::vector<Lane> &lanes, std::uint64_t number) {
        for (Lane &lane : lanes) {
            if (lane.busy && lane.number == number) {
                return &lane;
            }
        }
        return nullptr;
    }
    /// Takes a free lane. A lane that ends in this cycle is still shown and not taken.
    static Lane &take(std::vector<Lane> &lanes, std::uint64_t number, Pc pc) {
        for (Lane &lane : lanes) {
            if (!lane.busy && !lane.shown) {
                const bool named = lane.named;
                lane = Lane{};
                lane.named = named;
                return lane.begins(number, pc);
            }
        }
        return lanes.emplace_back().begins(number, pc);
    }
};

struct ChromeWarp {
    bool resident = false;
    bool touched = false; ///< an event of this cycle concerns it
    bool named = false;   ///< its track has its name
    bool life_shown = false;
    bool charge_shown = false;
    bool spans_several = false; ///< the slice has cycles of several instructions
    std::uint64_t cta_number = 0;
    std::uint32_t warp_in_cta = 0;
    LaneMask valid;
    Cycle ended_at = 0; ///< of the last warp in this slot
    Charge charge;
    ChargeSlice slice;              ///< valid with `charge_shown`
    std::string args;               ///< members of `args` for the slice that is open
    std::string next_args;          ///< those that this cycle adds, when the slices of this cycle are open
    std::vector<std::string> marks; ///< records attached to the open slice
    std::vector<Lane> divergences;
    std::vector<Lane> accesses;
};

} // namespace smsim::views::timeline
