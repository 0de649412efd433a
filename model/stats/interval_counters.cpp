// Advancing to the next interval, and doubling the width when there is none left.
#include "model/stats/interval_counters.h"

#include <algorithm>

namespace smsim {

namespace {

void add(IntervalCounters::Interval &sum, const IntervalCounters::Interval &part) {
    for (std::size_t i = 0; i < sum.stalls.size(); ++i) {
        sum.stalls[i] += part.stalls[i];
    }
    sum.instructions += part.instructions;
    sum.thread_instructions += part.thread_instructions;
    sum.fetches += part.fetches;
    for (std::size_t i = 0; i < sum.pipes.size(); ++i) {
        sum.pipes[i] += part.pipes[i];
    }
}

} // namespace

void IntervalCounters::advance() {
    intervals_[index_] = present_;
    present_ = Interval{};
    if (++index_ == kCounterIntervals) {
        merge_neighbours();
    }
    boundary_ = first_ + ((Cycle{index_} + 1) << shift_);
}

std::vector<IntervalCounters::Interval> IntervalCounters::intervals() const {
    std::vector<Interval> all = intervals_;
    all[index_] = present_;
    return all;
}

void IntervalCounters::widen_to(Cycle width) {
    while (this->width() < width) {
        intervals_[index_] = present_;
        merge_neighbours();
        present_ = intervals_[index_];
        boundary_ = first_ + ((Cycle{index_} + 1) << shift_);
    }
}

void IntervalCounters::merge_neighbours() {
    constexpr std::size_t kHalf = kCounterIntervals / 2;
    for (std::size_t i = 0; i < kHalf; ++i) {
        Interval merged = intervals_[2 * i];
        add(merged, intervals_[2 * i + 1]);
        intervals_[i] = merged;
    }
    std::fill(intervals_.begin() + kHalf, intervals_.end(), Interval{});
    index_ /= 2;
    ++shift_;
}

} // namespace smsim
