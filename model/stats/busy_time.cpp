// Adds stretches of use to intervals.
#include "model/stats/busy_time.h"

#include <numeric>

namespace smsim {

// --- UseSeries -----------------------------------------------------------------------------------------------------

void UseSeries::put_across(Cycle from, Cycle until, std::uint64_t weight) {
    if (from == until || weight == 0) {
        return;
    }
    from -= first_;
    until -= first_;
    while (until > width() * kCounterIntervals) {
        merge_neighbours();
    }
    while (from < until) {
        go_to(from >> shift_);
        const Cycle end = std::min(until, end_ - first_);
        intervals_[index_] += (end - from) * weight;
        from = end;
    }
}

void UseSeries::go_to(std::size_t index) {
    index_ = index;
    begin_ = first_ + (Cycle{index} << shift_);
    end_ = begin_ + width();
}

void UseSeries::merge_neighbours() {
    for (std::size_t i = 0; i < kCounterIntervals / 2; ++i) {
        intervals_[i] = intervals_[2 * i] + intervals_[2 * i + 1];
    }
    std::fill(intervals_.begin() + kCounterIntervals / 2, intervals_.end(), 0);
    ++shift_;
    go_to(index_ / 2);
}

void UseSeries::widen_to(Cycle cycles) {
    while (width() < cycles) {
        merge_neighbours();
    }
}

std::uint64_t UseSeries::total() const {
    return std::accumulate(intervals_.begin(), intervals_.end(), std::uint64_t{0});
}

// --- BusyTime ------------------------------------------------------------------------------------------------------

/// Puts the part of a stretch that is inside the launch and before `end`.
void BusyTime::put(UseSeries &series, const Stretch &stretch, Cycle end) const {
    const Cycle from = std::max(stretch.from, first_);
    const Cycle until = std::min(stretch.until, end);
    if (from < until) {
        series.put(from, until, stretch.weight);
    }
}

void BusyTime::settle(Cycle now) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count_; ++i) {
        const Stretch &stretch = open_[i];
        if (stretch.until > now) {
            open_[kept++] = stretch;
        } else if (const Cycle from = std::max(stretch.from, first_); from < stretch.until) {
            past_.put(from, stretch.until, stretch.weight);
        }
    }
    count_ = kept;
    if (kept > open_.size() / 2) { // much is known ahead: the next check should not follow at once
        open_.resize(open_.size() * 2);
    }
}

void BusyTime::clear(Cycle first) {
    first_ = first;
    past_ = UseSeries(first);
    count_ = 0;
}

UseSeries BusyTime::until(Cycle end) const {
    UseSeries all = past_;
    for (std::size_t i = 0; i < count_; ++i) {
        put(all, open_[i], end);
    }
    return all;
}

// --- TakenTime -----------------------------------------------------------------------------------------------------

void TakenTime::clear(Cycle first) {
    until_ = 0;
    past_ = UseSeries(first);
}

UseSeries TakenTime::until(Cycle end) const {
    UseSeries all = past_;
    all.take_back(end, end, until_);
    return all;
}

// --- LevelTime -----------------------------------------------------------------------------------------------------

void LevelTime::clear(Cycle first) {
    since_ = first;
    past_ = UseSeries(first);
}

UseSeries LevelTime::until(Cycle end) const {
    UseSeries all = past_;
    if (since_ < end) {
        all.put(since_, end, level_);
    }
    return all;
}

} // namespace smsim
