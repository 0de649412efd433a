// L1 instruction cache of an SM, shared by the L0 caches of its sub-partitions: the lines it holds, and when a
// requested line arrives at the L0.
//
// It keeps only tags and times, as the L0 (l0_cache.h). Sets of lines with least recently used replacement. A present
// line arrives `latency` cycles after its request was taken, an absent one `miss_latency` cycles later; a request for a
// line on its way waits for it. At most as many lines are returned per cycle as requests are taken; a line that finds
// its cycle full goes in the next free one. Plain C++.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/bandwidth.h"
#include "model/config/sections/icache.h"
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
    /// Takes the request for `line` in cycle `now`; cycles of calls do not decrease.
    Answer request(std::uint64_t line, Cycle now);
    /// Drops every line.
    void invalidate();

    std::uint64_t hits() const { return hits_; }
    std::uint64_t misses() const { return misses_; }
    /// Restarts all counts in cycle `now`.
    void clear_counts(Cycle now) {
        hits_ = misses_ = 0;
        return_use_.clear(now);
    }
    /// Lines that it can return per cycle; 0: any number.
    std::uint32_t per_cycle() const { return per_cycle_; }
    /// Lines returned up to cycle `end`, where that is limited.
    UseSeries return_use(Cycle end) const { return return_use_.until(end); }

  private:
    struct Line {
        std::uint64_t number = 0;
        std::uint64_t used = 0; ///< order of last use; 0: free
        Cycle there = 0;        ///< cycle from which it is there
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
