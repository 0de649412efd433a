// Sizes, weighted by time, of whatever grows in an engine (the stack of a warp). The engine knows sizes but no time;
// the branch unit knows time and combines both here.
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
    /// Measures `what` in `warps` warp slots; if null, measures nothing.
    LevelAccount(std::optional<LevelName> what, std::uint32_t warps) : what_(what), warps_(what ? warps : 0) {}

    const std::optional<LevelName> &what() const { return what_; }
    /// A warp begins in cycle `now`, with size 0.
    void start(const WarpStart &start, Cycle now);
    /// The size of a resident warp is `level` from cycle `now` on.
    void changed(WarpSlot warp, std::uint64_t level, Cycle now);
    /// The warp's last control instruction has been executed in cycle `now`.
    void end(WarpSlot warp, Cycle now);
    /// The statistics up to cycle `now`, including warps that have not ended.
    LevelStats stats(Cycle now) const;
    /// Restarts all counts; no warp may be resident.
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
    LevelStats stats_;        ///< of warps that have ended; the sizes of all warps up to the last change
};

} // namespace smsim::bru
