// What is simulated in time of a launch; the rest is executed functionally (docs/estimate.md).
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace smsim::session {

/// A set of CTA numbers, the same for each launch, or everything after its first instructions. By default all CTAs.
class TimedCtas {
  public:
    /// First and last number, both inclusive.
    using Range = std::pair<std::uint64_t, std::uint64_t>;

    TimedCtas() : ranges_{{0, ~std::uint64_t{0}}} {}
    /// Those in any of `ranges`, which may overlap and be in any order; without one: none.
    static TimedCtas of(std::vector<Range> ranges) {
        TimedCtas set;
        std::ranges::sort(ranges);
        set.ranges_.clear();
        for (const auto &[first, last] : ranges) { // ranges that touch or overlap are merged
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

    /// Everything after the first `count` warp instructions of a launch, in the order of turns of
    /// sm::functional::Executor: CTAs that are resident then continue in time.
    static TimedCtas from_instruction(std::uint64_t count) {
        TimedCtas rest;
        rest.instructions_ = count;
        return rest;
    }

    /// Warp instructions at the beginning of each launch that are executed functionally; 0: only the set counts.
    std::uint64_t instructions_before() const { return instructions_; }
    bool is_none() const { return ranges_.empty(); }
    bool is_all() const { return instructions_ == 0 && is_rest() && ranges_.front().first == 0; }
    /// Whether it is all CTAs from one number on.
    bool is_rest() const { return ranges_.size() == 1 && ranges_.front().second == ~std::uint64_t{0}; }
    /// The lowest number of the set that is `from` or larger; `~0` when there is none.
    std::uint64_t next(std::uint64_t from) const {
        const auto found = std::ranges::lower_bound(ranges_, from, {}, &Range::second);
        return found == ranges_.end() ? ~std::uint64_t{0} : std::max(found->first, from);
    }

    /// How many of the CTAs of a grid of `ctas` are in the set.
    std::uint64_t count(std::uint64_t ctas) const {
        std::uint64_t in = 0;
        for (const auto &[first, last] : ranges_) {
            in += first < ctas ? std::min(last, ctas - 1) - first + 1 : 0;
        }
        return in;
    }

  private:
    std::vector<Range> ranges_; ///< in order, with numbers between them
    std::uint64_t instructions_ = 0;
};

} // namespace smsim::session
