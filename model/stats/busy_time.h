// For how long a unit of the model was busy, over a launch and over time: what its utilisation in reports is made of.
//
// Whoever is busy tells from when until when, as soon as that is known, which may be ahead of time and in any order.
// Nothing counts before it is past, so that a launch that is cut short has what has been and nothing else. The
// intervals are those of IntervalCounters: equally wide, a power of two of cycles, at most kCounterIntervals of them;
// when time runs past the last one, neighbours are added together. The sums over the intervals are the totals.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/stats/interval_counters.h"
#include "model/types.h"

namespace smsim {

/// Use by interval, as reports show it. Interval i covers the cycles [i * width, (i + 1) * width) of the launch.
class UseSeries {
  public:
    /// `first`: the cycle in which the launch, and with it the first interval, begins.
    explicit UseSeries(Cycle first = 0)
        : first_(first), begin_(first), end_(first + 1), intervals_(kCounterIntervals) {}

    /// With these intervals, kCounterIntervals of them, each `width` cycles wide: a power of two.
    UseSeries(Cycle first, Cycle width, std::vector<std::uint64_t> intervals)
        : first_(first), begin_(first), end_(first + width), shift_(static_cast<unsigned>(std::countr_zero(width))),
          intervals_(std::move(intervals)) {}

    /// `weight` units were busy in the cycles [from, until): `first` <= `from` <= `until`. Stretches that come in the
    /// order of time cost least.
    void put(Cycle from, Cycle until, std::uint64_t weight = 1) {
        if (begin_ <= from && until <= end_) [[likely]] {
            intervals_[index_] += (until - from) * weight;
        } else {
            put_across(from, until, weight);
        }
    }
    /// What lies behind cycle `end` of a stretch that was put is taken out again, modulo 2^64.
    void take_back(Cycle end, Cycle from, Cycle until, std::uint64_t weight = 1) {
        if (const Cycle behind = std::max(from, end); behind < until) {
            put(behind, until, std::uint64_t{0} - weight);
        }
    }
    /// Adds neighbours together until an interval is at least `cycles` wide.
    void widen_to(Cycle cycles);

    Cycle width() const { return Cycle{1} << shift_; }
    /// All kCounterIntervals intervals.
    const std::vector<std::uint64_t> &intervals() const { return intervals_; }
    /// Sum over the intervals.
    std::uint64_t total() const;

  private:
    void put_across(Cycle from, Cycle until, std::uint64_t weight);
    void merge_neighbours();
    void go_to(std::size_t index);

    Cycle first_;
    Cycle begin_; ///< of the interval that was put into last
    Cycle end_;
    std::size_t index_ = 0;
    unsigned shift_ = 0; ///< log2 of the width
    std::vector<std::uint64_t> intervals_;
};

/// The busy time of one unit, or of several alike in one sum.
class BusyTime {
  public:
    /// `first`: the cycle in which the launch, and with it the first interval, begins.
    explicit BusyTime(Cycle first = 0) : first_(first), past_(first), open_(kOpen) {}

    /// In cycle `now` it is known that `weight` units are busy in the cycles [from, until), which may be none.
    void add(Cycle now, Cycle from, Cycle until, std::uint32_t weight = 1) {
        if (count_ != 0) { // several short transfers share a cycle
            Stretch &last = open_[count_ - 1];
            if (last.from == from && last.until == until) {
                last.weight += weight;
                return;
            }
        }
        if (count_ == open_.size()) [[unlikely]] {
            settle(now);
        }
        open_[count_++] = {from, until, weight};
    }
    /// Begins anew, with a launch whose first cycle is `first`.
    void clear(Cycle first);
    /// The use up to cycle `end`, not included: the present one, or an earlier one if nothing was told since.
    UseSeries until(Cycle end) const;

  private:
    static constexpr std::size_t kOpen = 64;
    struct Stretch {
        Cycle from;
        Cycle until;
        std::uint32_t weight;
    };
    void settle(Cycle now);
    void put(UseSeries &series, const Stretch &stretch, Cycle end) const;

    Cycle first_;
    UseSeries past_;
    std::vector<Stretch> open_; ///< the first `count_` are not in `past_` yet
    std::size_t count_ = 0;
};

/// The same of a unit that does one thing after the other and is taken for each from the cycle in which that is known:
/// cheaper, for what happens with every instruction.
class TakenTime {
  public:
    /// `first`: as above.
    explicit TakenTime(Cycle first = 0) : past_(first) {}

    /// The unit is taken in the cycles [from, until). `from` is no later than the present cycle, and no earlier than
    /// `until` of the call before.
    void take(Cycle from, Cycle until) {
        past_.put(from, until);
        until_ = until;
    }
    /// Begins anew with a launch whose first cycle is `first`.
    void clear(Cycle first);
    /// The use up to cycle `end`, not included, the present one or an earlier one behind `from` of the last call.
    UseSeries until(Cycle end) const;

  private:
    Cycle until_ = 0; ///< of the last call: only that may reach beyond the present
    UseSeries past_;  ///< all that was told
};

/// How much of something is in use over time, such as entries of a queue: the level counts, cycle by cycle.
class LevelTime {
  public:
    /// `first`: as above.
    explicit LevelTime(Cycle first = 0) : since_(first), past_(first) {}

    /// From cycle `now` on, which is no earlier than that of the call before, `level` are in use.
    void set(Cycle now, std::uint64_t level) {
        if (now != since_) {
            past_.put(since_, now, level_);
            since_ = now;
        }
        level_ = level;
    }
    /// Begins anew with a launch whose first cycle is `first`; what is in use stays.
    void clear(Cycle first);
    /// Use up to cycle `end`, that of the last call of `set` or a later one.
    UseSeries until(Cycle end) const;

  private:
    Cycle since_; ///< of `level_`
    std::uint64_t level_ = 0;
    UseSeries past_;
};

} // namespace smsim
