// How heavily a path has been used lately: the bytes that it moved in about the last thousand cycles. Plain C++.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/types.h"

namespace smsim::memory {

class PathLoad {
  public:
    /// Cycles that the load is averaged over.
    static constexpr Cycle kWindow = 1024;

    /// `bytes_per_cycle` (at least 1): what the path moves when it is fully used.
    explicit PathLoad(std::uint32_t bytes_per_cycle) : full_(bytes_per_cycle * kWindow) {}

    /// `bytes` come to the path in cycle `arrival`. An arrival before that of an earlier call counts as in its window.
    void add(Cycle arrival, std::uint64_t bytes) {
        advance(arrival);
        present_ += bytes;
    }
    /// `cycles` times the part of the path that has been used up to `arrival`, at most all of it; rounded down.
    Cycle share_of(Cycle cycles, Cycle arrival) {
        advance(arrival);
        // The window that slides: of the previous one only the part that it still covers.
        const Cycle past = std::min(arrival - std::min(begin_, arrival), kWindow);
        const std::uint64_t bytes = present_ + previous_ * (kWindow - past) / kWindow;
        return cycles * std::min(bytes, full_) / full_;
    }

  private:
    void advance(Cycle arrival) {
        if (arrival < begin_ + kWindow) [[likely]] {
            return;
        }
        const Cycle begin = arrival / kWindow * kWindow;
        previous_ = begin == begin_ + kWindow ? present_ : 0;
        present_ = 0;
        begin_ = begin;
    }

    std::uint64_t full_;
    Cycle begin_ = 0; ///< of the present window
    std::uint64_t present_ = 0;
    std::uint64_t previous_ = 0;
};

} // namespace smsim::memory
