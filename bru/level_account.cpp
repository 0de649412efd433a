// Sizes over time.
#include "bru/level_account.h"

#include <algorithm>
#include <tuple>

#include "model/state/launch_context.h"

namespace smsim::bru {

void LevelAccount::charge(Slot &slot, Cycle now, LevelStats &stats) {
    const Cycle cycles = now - std::min(now, slot.since);
    slot.since = now;
    slot.warp.cycles += cycles;
    slot.warp.level_cycles += slot.level * cycles;
    stats.warp_cycles.at(std::min<std::uint64_t>(slot.level, LevelStats::kShown - 1)) += cycles;
}

void LevelAccount::start(const WarpStart &start, Cycle now) {
    if (!what_) {
        return;
    }
    Slot &slot = warps_.at(start.warp.value());
    slot = {};
    slot.resident = true;
    slot.since = now;
    slot.warp.cta_number = start.cta_number;
    slot.warp.warp_in_cta = start.warp_in_cta;
    slot.is_kept = start.launch == nullptr || start.launch->warp_wish.keeps(start.cta_number);
}

void LevelAccount::changed(WarpSlot warp, std::uint64_t level, Cycle now) {
    if (!what_) {
        return;
    }
    Slot &slot = warps_.at(warp.value());
    charge(slot, now, stats_);
    slot.level = level;
    slot.warp.most = std::max(slot.warp.most, level);
}

void LevelAccount::end(WarpSlot warp, Cycle now) {
    if (!what_) {
        return;
    }
    Slot &slot = warps_.at(warp.value());
    charge(slot, now, stats_);
    slot.resident = false;
    stats_.add(slot.warp, slot.is_kept);
}

LevelStats LevelAccount::stats(Cycle now) const {
    LevelStats all = stats_;
    if (!what_) {
        return all;
    }
    all.what = *what_;
    for (Slot slot : warps_) {
        if (slot.resident) {
            charge(slot, now, all);
            all.add(slot.warp, slot.is_kept);
        }
    }
    std::ranges::sort(all.warps, {}, [](const WarpLevel &w) { return std::tuple(w.cta_number, w.warp_in_cta); });
    return all;
}

void LevelAccount::clear() {
    stats_ = {};
}

} // namespace smsim::bru
