// What a sub-partition did over time, in a bounded number of intervals: the counters of the run again, by when they
// were counted, so that a report can show how IPC, occupancy and stall reasons change during a launch.
//
// The intervals are equally wide, a power of two of cycles. When time runs past the last one, neighbours are merged and
// the width doubles: memory is bounded, nothing is sampled or lost, and the sums over the intervals are the totals.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/isa/isa.h"
#include "model/stats/stall.h"
#include "model/types.h"

namespace smsim {

/// The maximum number of intervals kept.
inline constexpr std::size_t kCounterIntervals = 256;

/// Input latches of the units of a sub-partition (model/timing/pipes.h).
inline constexpr std::size_t kPipeLatches = isa::kUnits + 1;

/// Counters by interval. Interval i covers the cycles [i * width(), (i + 1) * width()) from the first cycle on.
///
/// The owner counts in `present()`, which costs no more than a counter of the whole run. In return it must watch
/// `boundary()`: before it counts anything of that cycle or later, it counts everything before and calls `advance()`.
class IntervalCounters {
  public:
    /// The counters of one interval.
    struct Interval {
        StallCycles stalls{}; ///< warp-cycles by reason; their sum is the resident warps summed over the interval
        std::uint64_t instructions = 0;          ///< warp instructions issued
        std::uint64_t thread_instructions = 0;   ///< sum of their executed lanes
        std::uint64_t fetches = 0;               ///< instructions fetched
        std::array<Cycle, kPipeLatches> pipes{}; ///< cycles for which the latch of a pipe was taken, by its number

        friend bool operator==(const Interval &, const Interval &) = default;
    };

    /// `first`: the cycle in which the first interval begins.
    explicit IntervalCounters(Cycle first = 0) : first_(first), boundary_(first + 1), intervals_(kCounterIntervals) {}

    /// The interval that is being counted.
    Interval &present() { return present_; }
    /// First cycle after the present interval.
    Cycle boundary() const { return boundary_; }
    /// Advances to the interval that begins at `boundary()`.
    void advance();

    /// Cycles per interval.
    Cycle width() const { return Cycle{1} << shift_; }
    /// All kCounterIntervals intervals, including the present one; those after it are zero.
    std::vector<Interval> intervals() const;
    /// Merges neighbours until an interval is at least `width` cycles wide, for comparison with other counters.
    void widen_to(Cycle width);

  private:
    void merge_neighbours();

    Interval present_;
    Cycle first_;
    Cycle boundary_;
    std::size_t index_ = 0; ///< of the present interval, whose element of `intervals_` is out of date
    unsigned shift_ = 0;    ///< log2 of the width
    std::vector<Interval> intervals_;
};

} // namespace smsim
