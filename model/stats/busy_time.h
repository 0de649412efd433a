// For how long a unit of the model was busy, over a launch and over time: the basis of utilisation in reports.
//
// A unit reports the beginning and end of each use as soon as they are known, which may be ahead of time and in any
// order. Use counts only once it is past, so that a launch that is cut short includes exactly what has happened. The
// intervals are those of IntervalCounters: equally wide, a power of two of cycles, at most kCounterIntervals of them;
// when time runs past the last one, neighbours are merged. The sums over the intervals are the totals.
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
    /// `first`: the cycle in which the launch, and its first interval, begins.
    explicit UseSeries(Cycle first = 0)
        : first_(first), begin_(first), end_(first + 1), intervals_(kCounterIntervals) {}

    /// From these intervals, kCounterIntervals of them, each `width` cycles wide: a power of two.
    UseSeries(Cycle first, Cycle width, std::vector<std::uint64_t> intervals)
        : first_(first), begin_(first), end_(first + width), shift_(static_cast<unsigned>(std::countr_zero(width))),
          intervals_(std::move(intervals)) {}

    /// `weight` units were busy in the cycles [from, until): `first` <= `from` <= `until`. Stretches in the order of
    /// time cost least.
    void put(Cycle from, Cycle until, std::uint64_t weight = 1) {
        if (begin_ <= from && until <= end_) [[likely]] {
            intervals_[index_] += (until - from) * weight;
        } else {
            put_across(from, until, weight);
        }
    }
    /// Removes the part after cycle `end` of a stretch that was put, modulo 2^64.
    void take_back(Cycle end, Cycle from, Cycle until, std::uint64_t weight = 1) {
        if (const Cycle behind = std::max(from, end); behind < until) {
            put(behind, until, std::uint64_t{0} - weight);
        }
    }
    /// Merges neighbours until an interval is at least `cycles` wide.
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
    Cycle begin_; ///< of the interval last used
    Cycle end_;
    std::size_t index_ = 0;
    unsigned shift_ = 0; ///< log2 of the width
    std::vector<std::uint64_t> intervals_;
};

/// The busy time of one unit, or the sum over several units of one kind.
class BusyTime {
  public:
    /// `first`: the cycle in which the launch, and its first interval, begins.
    explicit BusyTime(Cycle first = 0) : first_(first), past_(first), open_(kOpen) {}

    /// In cycle `now` it is known that `weight` units are busy in the cycles [from, until), which may be empty.
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
    /// Restarts for a launch whose first cycle is `first`.
    void clear(Cycle first);
    /// The use up to cycle `end`, exclusive: the present one, or an earlier one if nothing was added since.
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

/// The same for a unit that does one thing after the other and is taken for each from the cycle in which that is known:
/// cheaper, for events of every instruction.
class TakenTime {
  public:
    /// `first`: as above.
    explicit TakenTime(Cycle first = 0) : past_(first) {}

    /// The unit is taken in the cycles [from, until). `from` is not after the present cycle, and not before `until` of
    /// the previous call.
    void take(Cycle from, Cycle until) {
        past_.put(from, until);
        until_ = until;
    }
    /// Restarts for a launch whose first cycle is `first`.
    void clear(Cycle first);
    /// The use up to cycle `end`, exclusive: the present one, or an earlier one after `from` of the last call.
    UseSeries until(Cycle end) const;

  private:
    Cycle until_ = 0; ///< of the last call: the only one that may extend past the present
    UseSeries past_;  ///< everything added so far
};

/// How much of something is in use over time, such as entries of a queue: the sum of the level over the cycles.
class LevelTime {
  public:
    /// `first`: as above.
    explicit LevelTime(Cycle first = 0) : since_(first), past_(first) {}

    /// From cycle `now` on, which is not before that of the previous call, `level` are in use.
    void set(Cycle now, std::uint64_t level) {
        if (now != since_) {
            past_.put(since_, now, level_);
            since_ = now;
        }
        level_ = level;
    }
    /// Restarts for a launch whose first cycle is `first`; the present level stays.
    void clear(Cycle first);
    /// Use up to cycle `end`, that of the last call of `set` or a later one.
    UseSeries until(Cycle end) const;

  private:
    Cycle since_; ///< of `level_`
    std::uint64_t level_ = 0;
    UseSeries past_;
};

} // namespace smsim
