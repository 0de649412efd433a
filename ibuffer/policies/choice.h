// Choices that issue policies share.
#pragma once

#include <algorithm>
#include <functional>
#include <span>

#include "ibuffer/issue_policy.h"

namespace smsim::ibuffer::policies {

/// The warps of `set` without the one that yielded, unless it is the only one.
inline WarpSet willing(WarpSet set, const PolicyView &view) {
    if (view.last == kNoWarp || !view.last_yields) {
        return set;
    }
    const WarpSet others = set & ~only(view.last);
    return others != 0 ? others : set;
}

/// The warp of `set` (not empty) whose `value` is the best by `better`; the lowest on a tie.
template <typename Better> unsigned extreme(WarpSet set, const auto &value, Better better) {
    unsigned best = first_of(set);
    auto best_value = value(best);
    for (WarpSet rest = set & (set - 1); rest != 0; rest &= rest - 1) {
        const unsigned warp = first_of(rest);
        if (const auto own = value(warp); better(own, best_value)) {
            best = warp;
            best_value = own;
        }
    }
    return best;
}

inline unsigned oldest(WarpSet set, std::span<const std::uint64_t> ages) {
    return extreme(
        set, [&](unsigned warp) { return ages[warp]; }, std::less<>{});
}
inline unsigned youngest(WarpSet set, std::span<const std::uint64_t> ages) {
    return extreme(
        set, [&](unsigned warp) { return ages[warp]; }, std::greater<>{});
}
/// The warps of `set` (not empty) with the greatest `value`.
inline WarpSet greatest(WarpSet set, const auto &value) {
    WarpSet best = only(first_of(set));
    auto most = value(first_of(set));
    for (WarpSet rest = set & (set - 1); rest != 0; rest &= rest - 1) {
        const unsigned warp = first_of(rest);
        const auto own = value(warp);
        best = own > most ? only(warp) : own == most ? best | only(warp) : best;
        most = std::max(most, own);
    }
    return best;
}
/// Whether a greedy policy stays on the warp that issued last: it is in `set`.
inline bool stays(WarpSet set, const PolicyView &view) {
    return view.last != kNoWarp && (set & only(view.last)) != 0;
}
/// The warp that issued last, if it is in `set`; otherwise the oldest of `set`.
inline unsigned greedy_then_oldest(WarpSet set, const PolicyView &view) {
    return stays(set, view) ? view.last : oldest(set, view.ages);
}

} // namespace smsim::ibuffer::policies
