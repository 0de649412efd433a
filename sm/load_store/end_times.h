// End times of what is under way, in cycles, with access to the earliest: a row of counters for near times, with a bit
// for each non-zero one. Plain C++.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "model/types.h"

namespace smsim::sm {

class EndTimes {
  public:
    std::size_t size() const { return near_ + later_.size(); }

    /// `count` more end in cycle `end`, which is after all that have been taken.
    void add(Cycle end, std::uint32_t count = 1) {
        if (end - begin_ < kNear) [[likely]] {
            near_ += count;
            counts_[end % kNear] += count;
            taken_[end % kNear / 64] |= std::uint64_t{1} << (end % 64);
        } else {
            for (; count > 0; --count) {
                later_.push(end);
            }
        }
        first_ = std::min(first_, end);
    }
    /// The earliest; kNever: none.
    Cycle first() const { return first_; }
    /// Removes all that end in cycle `end`, which must be the earliest.
    void take(Cycle end) {
        while (!later_.empty() && later_.top() == end) {
            later_.pop();
        }
        if (end - begin_ < kNear) {
            near_ -= counts_[end % kNear];
            counts_[end % kNear] = 0;
            taken_[end % kNear / 64] &= ~(std::uint64_t{1} << (end % 64));
        }
        begin_ = std::max(begin_, end + 1);
        first_ = near_ == 0 ? kNever : first_near();
        if (!later_.empty()) [[unlikely]] {
            first_ = std::min(first_, later_.top());
        }
    }

  private:
    static constexpr std::size_t kNear = 1024; ///< cycles

    Cycle first_near() const {
        constexpr std::size_t kWords = kNear / 64;
        std::size_t word = begin_ % kNear / 64;
        std::uint64_t bits = taken_[word] >> (begin_ % 64) << (begin_ % 64);
        while (bits == 0) { // the first word is checked again at last, for its other bits
            word = (word + 1) % kWords;
            bits = taken_[word];
        }
        const std::size_t place = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        return begin_ + (place - begin_) % kNear;
    }

    Cycle begin_ = 0; ///< nothing ends before this
    Cycle first_ = kNever;
    std::size_t near_ = 0;
    std::array<std::uint32_t, kNear> counts_{};     ///< of the cycles from `begin_` on, by their number modulo kNear
    std::array<std::uint64_t, kNear / 64> taken_{}; ///< a bit for each non-zero counter
    std::priority_queue<Cycle, std::vector<Cycle>, std::greater<>> later_; ///< times that were further away
};

} // namespace smsim::sm
