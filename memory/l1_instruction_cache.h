// L1 instruction cache of an SM, which the L0 caches of its sub-partitions share: which lines are in it, and when one
// that is asked for comes to the L0.
//
// Only tags and times, as the L0 (l0_cache.h). Sets of lines with least recently used replacement. A line that is there
// comes `latency` cycles after its request was taken, one that is not `miss_latency` cycles later; a request for a line
// that is on its way waits for it. So many lines go back in a cycle as requests are taken at most; one that finds its
// cycle taken goes in the next that is free. Plain C++.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/bandwidth.h"
#include "model/config/config.h"
#include "model/types.h"

namespace smsim::memory {

class L1InstructionCache {
  public:
    /// With the size, ways, latencies and requests per cycle of the configuration. InputError when its size is no
    /// multiple of a set.
    explicit L1InstructionCache(const ICacheConfig &config);

    struct Answer {
        Cycle arrives; ///< at the L0
        bool is_hit;   ///< a line still on its way counts as a miss
    };
    /// Takes the request for `line` in cycle `now`, not before that of an earlier call.
    Answer request(std::uint64_t line, Cycle now);
    /// Drops every line.
    void invalidate();

    std::uint64_t hits() const { return hits_; }
    std::uint64_t misses() const { return misses_; }
    /// Begins to count anew in cycle `now`.
    void clear_counts(Cycle now) {
        hits_ = misses_ = 0;
        return_use_.clear(now);
    }
    /// Lines that it can return per cycle; 0: any number.
    std::uint32_t per_cycle() const { return per_cycle_; }
    /// Lines that it returns up to cycle `end`, where that is limited.
    UseSeries return_use(Cycle end) const { return return_use_.until(end); }

  private:
    struct Line {
        std::uint64_t number = 0;
        std::uint64_t used = 0; ///< order of last use; 0: free
        Cycle there = 0;        ///< from when on it is
    };

    Line &use(std::uint64_t number, Cycle now);

    Cycle latency_;
    Cycle miss_latency_;
    std::uint64_t ways_;
    std::uint64_t sets_; ///< 0: it holds everything
    std::uint32_t per_cycle_;
    std::vector<Line> lines_; ///< set by set
    Bandwidth returns_;
    BusyTime return_use_;
    std::uint64_t uses_ = 0;
    std::uint64_t hits_ = 0;
    std::uint64_t misses_ = 0;
};

} // namespace smsim::memory
