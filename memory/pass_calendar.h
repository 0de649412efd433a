// Schedules the passes of accesses in a banked memory that several data paths share. Plain C++.
//
// The array performs one pass per cycle. A path takes the words of a pass for `interval` cycles, so that the passes of
// its accesses are at least that far apart; the first passes of the phases of one access, which carry whole rows, take
// it for one cycle each (timing.md 4 "Shared memory passes"). An access whose threads share words takes its path for
// all of them. If two paths want a cycle, the access that arrived first gets it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/stats/busy_time.h"
#include "model/types.h"

namespace smsim::memory {

class PassCalendar {
  public:
    /// `interval` is at least 1, in cycles.
    explicit PassCalendar(Cycle interval) : interval_(interval) {}

    /// Begins an access by path `port` that arrives at cycle `arrival`, which is no earlier than `now`, the present
    /// cycle. `phased`: it consists of phases whose first passes take a cycle. It takes its path for at least
    /// `path_cycles`. Returns the cycle of its first pass.
    Cycle begin(unsigned port, Cycle arrival, Cycle now, bool phased, Cycle path_cycles = 0) {
        now_ = now;
        finish();
        if (port >= free_.size()) {
            free_.resize(port + 1, 0);
            path_use_.resize(port + 1, BusyTime(first_));
        }
        forget(now);
        port_ = port;
        cost_ = phased ? 1 : interval_;
        least_ = std::max(interval_, path_cycles);
        begin_ = last_ = take(std::max(arrival, free_[port]));
        open_ = true;
        return begin_;
    }
    /// The next pass of the access; `phase`: it is the first of another such phase. Returns its cycle.
    Cycle next(bool phase) {
        last_ = take(last_ + cost_);
        cost_ = phase ? 1 : interval_;
        return last_;
    }
    /// When the words of the last pass have been taken, as cycles after a pass that is the whole access: an access
    /// takes the path for at least `interval` cycles.
    Cycle taken() const { return path_free() - interval_; }

    /// Passes since the last call of `clear_use`, up to cycle `end`.
    UseSeries use(Cycle end) const { return use_.until(end); }
    /// Paths that have been used.
    unsigned ports() const { return static_cast<unsigned>(free_.size()); }
    /// Cycles up to `end` for which path `port` was in use.
    UseSeries path_use(unsigned port, Cycle end) const {
        BusyTime use = path_use_[port];
        if (open_ && port == port_) {
            use.add(end, begin_, path_free());
        }
        return use.until(end);
    }
    /// Restarts all counts for a launch whose first cycle is `first`; no access is open.
    void clear_use(Cycle first) {
        finish();
        first_ = first;
        use_.clear(first);
        for (BusyTime &path : path_use_) {
            path.clear(first);
        }
    }

  private:
    static constexpr Cycle kBits = 64; ///< of a word of busy_

    /// When the access leaves its path to the next one.
    Cycle path_free() const { return std::max(begin_ + least_, last_ + cost_); }
    void finish() {
        if (open_) {
            free_[port_] = path_free();
            path_use_[port_].add(now_, begin_, path_free());
            open_ = false;
        }
    }
    /// The first free cycle from `from` on.
    Cycle take(Cycle from) {
        const Cycle first = from - std::min(from, base_);
        std::size_t word = first / kBits;
        grow(word);
        std::uint64_t free = ~busy_[word] & (~std::uint64_t{0} << first % kBits);
        while (free == 0) {
            grow(++word);
            free = ~busy_[word];
        }
        const auto bit = static_cast<unsigned>(std::countr_zero(free));
        busy_[word] |= std::uint64_t{1} << bit;
        const Cycle cycle = base_ + word * kBits + bit;
        use_.add(now_, cycle, cycle + 1);
        return cycle;
    }
    void grow(std::size_t word) {
        if (word >= busy_.size()) {
            busy_.resize(word + 1, 0);
        }
    }
    /// Drops everything before `now`: no later call needs it.
    void forget(Cycle now) {
        const std::size_t past = (now - base_) / kBits;
        if (past != 0) {
            busy_.erase(busy_.begin(), busy_.begin() + static_cast<std::ptrdiff_t>(std::min(past, busy_.size())));
            base_ += past * kBits;
        }
    }

    Cycle interval_;
    std::vector<Cycle> free_;         ///< by port: its next access begins no earlier than this
    std::vector<std::uint64_t> busy_; ///< a bit per cycle
    Cycle base_ = 0;                  ///< cycle of the first of them, a multiple of kBits
    Cycle now_ = 0;                   ///< of the last call of `begin`
    // what reports say
    Cycle first_ = 0; ///< of the launch
    BusyTime use_;
    std::vector<BusyTime> path_use_; ///< by port
    // the access that is open
    bool open_ = false;
    unsigned port_ = 0;
    Cycle begin_ = 0;
    Cycle last_ = 0;
    Cycle cost_ = 0;
    Cycle least_ = 0; ///< for which it takes its path
};

} // namespace smsim::memory
