// Which CTAs of a launch are simulated in time; the others are executed functionally (docs/functional.md).
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace smsim::session {

/// A set of CTA numbers, of each launch alike. All of them where nothing else is said.
class TimedCtas {
  public:
    /// First and last number, both inclusive.
    using Range = std::pair<std::uint64_t, std::uint64_t>;

    TimedCtas() : ranges_{{0, ~std::uint64_t{0}}} {}
    /// Those in any of `ranges`, which may overlap and stand in any order; without one: none.
    static TimedCtas of(std::vector<Range> ranges) {
        TimedCtas set;
        std::ranges::sort(ranges);
        set.ranges_ = std::move(ranges);
        return set;
    }
    static TimedCtas none() { return of({}); }
    /// Those from number `first` on.
    static TimedCtas from(std::uint64_t first) { return of({{first, ~std::uint64_t{0}}}); }

    bool is_none() const { return ranges_.empty(); }
    bool is_all() const { return is_rest() && ranges_.front().first == 0; }
    /// Whether it is all from one number on.
    bool is_rest() const { return ranges_.size() == 1 && ranges_.front().second == ~std::uint64_t{0}; }
    /// The lowest number of the set that is `from` or larger; `~0` when there is none.
    std::uint64_t next(std::uint64_t from) const {
        std::uint64_t lowest = ~std::uint64_t{0};
        for (const auto &[first, last] : ranges_) {
            if (last >= from) {
                lowest = std::min(lowest, std::max(first, from));
            }
        }
        return lowest;
    }

  private:
    std::vector<Range> ranges_; ///< in order of their first numbers
};

} // namespace smsim::session
