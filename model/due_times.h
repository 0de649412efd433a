// When each of several is due, and who is: asked for many times more often than any of them is called. Plain C++.
//
// Who is due is hard to foretell, so that a branch for each costs more than the comparison; all are compared at once
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

    /// Those that are due, and when the first of the others is.
    struct Due {
        std::uint64_t who; ///< bit i: number i
        Time next;         ///< kNot: none of them
    };

    /// For the numbers below `count`, at most 64; none is due.
    explicit DueTimes(unsigned count = 1) { resize(count); }
    /// The same for another count, at least 1; the times of numbers below both stay.
    void resize(unsigned count) { times_.resize((count + kTogether - 1) / kTogether * kTogether, kNot); }

    Time operator[](unsigned number) const { return times_[number]; }
    void set(unsigned number, Time at) { times_[number] = at; }
    /// No later than at `at`.
    void bring_forward(unsigned number, Time at) { times_[number] = std::min(times_[number], at); }
    /// Who is due at `now`, which is not kNot, or before.
    Due at(Time now) const;

  private:
    static constexpr unsigned kTogether = 4; ///< that are compared together

    std::vector<Time> times_; ///< with kNot at the end, up to a multiple of `kTogether`
};

} // namespace smsim
