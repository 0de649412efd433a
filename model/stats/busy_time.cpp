// Stretches of use, put into intervals.
#include "model/stats/busy_time.h"

#include <numeric>

namespace smsim {

// --- UseSeries -----------------------------------------------------------------------------------------------------

void UseSeries::put_across(Cycle from, Cycle until, std::uint64_t weight) {
    if (from >= until || weight == 0) {
        return;
    }
    while (until > width() * kCounterIntervals) {
        merge_neighbours();
    }
    while (from < until) {
        const Cycle index = from >> shift_;
        const Cycle end = std::min(until, (index + 1) << shift_);
        intervals_[index] += (end - from) * weight;
        from = end;
    }
}

void UseSeries::merge_neighbours() {
    for (std::size_t i = 0; i < kCounterIntervals / 2; ++i) {
        intervals_[i] = intervals_[2 * i] + intervals_[2 * i + 1];
    }
    std::fill(intervals_.begin() + kCounterIntervals / 2, intervals_.end(), 0);
    ++shift_;
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

/// The part of a stretch that lies in the launch and before `end`.
void BusyTime::put(UseSeries &series, const Stretch &stretch, Cycle end) const {
    const Cycle from = std::max(stretch.from, first_);
    const Cycle until = std::min(stretch.until, end);
    if (from < until) {
        series.put(from - first_, until - first_, stretch.weight);
    }
}

void BusyTime::settle(Cycle now) {
    std::erase_if(open_, [&](const Stretch &stretch) {
        const bool is_past = stretch.until <= now;
        if (is_past) {
            put(past_, stretch, now);
        }
        return is_past;
    });
    if (open_.size() > open_.capacity() / 2) { // much is known ahead: the next look is not to come at once
        open_.reserve(open_.capacity() * 2);
    }
}

void BusyTime::clear(Cycle first) {
    first_ = first;
    past_ = {};
    open_.clear();
}

UseSeries BusyTime::until(Cycle end) const {
    UseSeries all = past_;
    for (const Stretch &stretch : open_) {
        put(all, stretch, end);
    }
    return all;
}

// --- TakenTime -----------------------------------------------------------------------------------------------------

void TakenTime::clear(Cycle first) {
    first_ = first;
    until_ = 0;
    past_ = {};
}

UseSeries TakenTime::until(Cycle end) const {
    UseSeries all = past_;
    if (end < until_) { // taken out again, modulo 2^64
        all.put(end - first_, until_ - first_, std::uint64_t{0} - weight_);
    }
    return all;
}

// --- LevelTime -----------------------------------------------------------------------------------------------------

void LevelTime::clear(Cycle first) {
    first_ = first;
    since_ = first;
    past_ = {};
}

UseSeries LevelTime::until(Cycle end) const {
    UseSeries all = past_;
    if (since_ < end) {
        all.put(since_ - first_, end - first_, level_);
    }
    return all;
}

} // namespace smsim
