// The state of one warp in the issue stage, beside its buffer and its accounts.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "ibuffer/scoreboard.h"
#include "ibuffer/warp_machine.h"
#include "model/state/warp_life.h"
#include "model/types.h"

namespace smsim::ibuffer {

inline constexpr std::size_t kHostLine = 64; ///< bytes

/// Members are in the order of their use: what every instruction needs is in one line of the host's cache.
struct alignas(kHostLine) Warp {
    WarpMachine machine;
    Cycle stall_until = 0; ///< before it the stall count of the last instruction holds the warp
    Pc pc = 0;             ///< of the next instruction
    LaneMask active;
    LaneMask exited;
    bool constant_asked = false; ///< the constant operand of the next instruction has been asked for
    bool wants_place = false;    ///< an arrival or MEMBAR.CTA waits for a place in the order of memory
    bool exit_told = false;      ///< the end of the last thread has been announced
    Cycle constant_at = 0;       ///< when that operand is there
    Cycle place_lead = 0;        ///< wants_place: how long after its issue the instruction takes effect
    /// The releases that the warp waits for; a fence waits for the last one.
    Scoreboards::Releases awaited = 0;
    Scoreboards scoreboards;
    Cycle last_issue = kNever;  ///< of the last instruction that was issued
    unsigned unplaced = 0;      ///< memory operations that have no place in the order of memory yet
    unsigned unanswered = 0;    ///< memory operations without an answer
    Cycle placed_at = 0;        ///< when the last of those with a place got it
    Cycle place_told = 0;       ///< from when on that is known
    Cycle performed_at = 0;     ///< when the last of those with an answer is performed
    Cycle jumped_at = 0;        ///< the last jump took effect
    Cycle fetches_from = 0;     ///< after a jump: when its target is fetched
    Cycle redirected_until = 0; ///< until then waiting for the target is charged to the jump
    Cycle woken_at = kNever;    ///< the warp was woken and has not issued since
    std::array<std::uint32_t, isa::kScoreboards> holders{}; ///< index of the instruction that held each last
    WarpStart start;

    /// Whether everything issued has its place in the order of memory at `now`.
    bool in_order(Cycle now) const { return unplaced == 0 && placed_at <= now; }
    /// Whether an arrival issued at `now` reaches the barrier, `later` cycles after it, after the places of all earlier
    /// accesses; likewise for the end of MEMBAR.CTA.
    bool may_arrive(Cycle now, Cycle later) const {
        return unplaced == 0 && place_told <= now && placed_at <= now + later;
    }
    /// The first cycle, from `soonest` on, in which `may_arrive` holds; all places are known.
    Cycle arrival_from(Cycle soonest, Cycle later) const {
        return std::max({soonest, place_told, placed_at - std::min(placed_at, later)});
    }
};

} // namespace smsim::ibuffer
