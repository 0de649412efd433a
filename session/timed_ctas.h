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
        set.ranges_.clear();
        for (const auto &[first, last] : ranges) { // those that touch or overlap become one
            if (!set.ranges_.empty() &&
                (first <= set.ranges_.back().second || first - 1 == set.ranges_.back().second)) {
                set.ranges_.back().second = std::max(set.ranges_.back().second, last);
            } else {
                set.ranges_.emplace_back(first, last);
            }
        }
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
        const auto found = std::ranges::lower_bound(ranges_, from, {}, &Range::second);
        return found == ranges_.end() ? ~std::uint64_t{0} : std::max(found->first, from);
    }

  private:
    std::vector<Range> ranges_; ///< in order, with numbers between them
};

} // namespace smsim::session
