// How large what grows in an engine (the stack of a warp) was, weighted with time. The engine knows sizes and no time,
// the branch unit time: this is where both meet.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/state/warp_life.h"
#include "model/stats/level_stats.h"
#include "model/types.h"

namespace smsim::bru {

class LevelAccount {
  public:
    /// `what` is measured in `warps` warp slots; with nothing, nothing is.
    LevelAccount(std::optional<LevelName> what, std::uint32_t warps) : what_(what), warps_(what ? warps : 0) {}

    const std::optional<LevelName> &what() const { return what_; }
    /// A warp begins in cycle `now`, with size 0.
    void start(const WarpStart &start, Cycle now);
    /// The size of a resident warp is `level` from cycle `now` on.
    void changed(WarpSlot warp, std::uint64_t level, Cycle now);
    /// Its last control instruction has been executed in cycle `now`.
    void end(WarpSlot warp, Cycle now);
    /// What has been up to cycle `now`, warps that have not ended included.
    LevelStats stats(Cycle now) const;
    /// Begins anew; no warp is resident.
    void clear();

  private:
    struct Slot {
        bool resident = false;
        Cycle since = 0; ///< of `level`
        std::uint64_t level = 0;
        WarpLevel warp;
        bool is_kept = true; ///< it will have a record
    };
    /// Charges the time from `slot.since` to `now`.
    static void charge(Slot &slot, Cycle now, LevelStats &stats);

    std::optional<LevelName> what_;
    std::vector<Slot> warps_; ///< by warp slot; empty when nothing is measured
    LevelStats stats_;        ///< of warps that have ended; sizes of all up to the last change
};

} // namespace smsim::bru
