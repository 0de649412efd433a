// When each of several objects is due, and which are: queried many times more often than any of them is called. Plain
// C++.
//
// The result is hard to predict, so that a branch for each costs more than the comparison; all are compared at once
// where the machine can.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace smsim {

class DueTimes {
  public:
    using Time = std::uint64_t;
    static constexpr Time kNot = ~Time{0}; ///< not due at any time

    /// Those that are due, and when the first of the others will be.
    struct Due {
        std::uint64_t who; ///< bit i: number i
        Time next;         ///< kNot: none of them
    };

    /// For the numbers below `count`, at most 64; initially none is due.
    explicit DueTimes(unsigned count = 1) { resize(count); }
    /// Changes the count, at least 1; the times of numbers below both counts stay.
    void resize(unsigned count) { times_.resize((count + kTogether - 1) / kTogether * kTogether, kNot); }

    Time operator[](unsigned number) const { return times_[number]; }
    void set(unsigned number, Time at) { times_[number] = at; }
    /// Makes `number` due no later than `at`.
    void bring_forward(unsigned number, Time at) { times_[number] = std::min(times_[number], at); }
    /// Those due at `now`, which is not kNot, or before.
    Due at(Time now) const;

  private:
    static constexpr unsigned kTogether = 4; ///< the number compared together

    std::vector<Time> times_; ///< with kNot at the end, up to a multiple of `kTogether`
};

} // namespace smsim
