// Sets of warps of one sub-partition as bits of a word.
#pragma once

#include <bit>
#include <cstdint>

namespace smsim::ibuffer {

/// Bit i: warp i of the sub-partition (not the SM's warp slot).
using WarpSet = std::uint64_t;

inline constexpr unsigned kNoWarp = ~0U;
inline constexpr unsigned kMostWarps = 64; ///< of a sub-partition

/// The set of one warp, 0 .. 63.
constexpr WarpSet only(unsigned warp) {
    return WarpSet{1} << warp;
}

/// The lowest warp of `set`, which must not be empty.
constexpr unsigned first_of(WarpSet set) {
    return static_cast<unsigned>(std::countr_zero(set));
}

/// The first warp of `set` after `last` in cyclic order; the lowest when `last` is kNoWarp. `set` must not be empty.
constexpr unsigned next_of(WarpSet set, unsigned last) {
    const WarpSet behind = last < 63 ? set & ~(only(last + 1) - 1) : 0; // kNoWarp is past the end
    return first_of(behind != 0 ? behind : set);
}

} // namespace smsim::ibuffer
