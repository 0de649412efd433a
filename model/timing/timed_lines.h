// The lines that a small cache has, and since when: sets with least recently used replacement, without data. Plain C++.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/types.h"

namespace smsim::timing {

class TimedLines {
  public:
    /// Room for `bytes`, which is a multiple of `ways` lines of `line_bytes`, in sets of `ways`; 0 bytes: no cache.
    /// Initially empty.
    TimedLines(std::uint64_t bytes, std::uint64_t line_bytes, std::uint64_t ways)
        : line_bytes_(line_bytes), ways_(ways), lines_(bytes / line_bytes) {}

    bool is_empty() const { return lines_.empty(); }
    /// Looks up the line of `address` at `now`, no earlier than before; there must be a cache. Returns the cycle from
    /// which it is there: `now` or earlier for a hit, for a miss `miss` cycles later. It is then the most recently used
    /// line of its set.
    Cycle look_up(std::uint64_t address, Cycle now, Cycle miss) {
        const std::uint64_t number = address / line_bytes_;
        const std::uint64_t sets = lines_.size() / ways_;
        const auto first = lines_.begin() + static_cast<std::ptrdiff_t>(number % sets * ways_);
        const auto last = first + static_cast<std::ptrdiff_t>(ways_);
        auto line = std::find_if(first, last, [&](const Line &l) { return l.used != 0 && l.number == number; });
        if (line == last) {
            line = std::min_element(first, last, [](const Line &a, const Line &b) { return a.used < b.used; });
            *line = {number, 0, now + miss};
        }
        line->used = ++uses_;
        return line->ready;
    }
    /// Drops everything.
    void clear() { std::ranges::fill(lines_, Line{}); }

  private:
    struct Line {
        std::uint64_t number = 0;
        std::uint64_t used = 0; ///< order of the last use; 0: free
        Cycle ready = 0;
    };

    std::uint64_t line_bytes_;
    std::uint64_t ways_;
    std::vector<Line> lines_; ///< set by set
    std::uint64_t uses_ = 0;
};

/// The address of byte `offset` of constant bank `bank` among those of all banks.
constexpr std::uint64_t constant_address(unsigned bank, std::uint64_t offset) {
    constexpr unsigned kOffsetBits = 16;
    return std::uint64_t{bank} << kOffsetBits | (offset & ((1U << kOffsetBits) - 1));
}

} // namespace smsim::timing
