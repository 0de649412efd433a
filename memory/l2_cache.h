// The L2 and the DRAM below it, as one SM sees them: the sectors it holds, and when absent ones arrive.
//
// It has neither data, which are the memory's, nor a path of its own: `global.latency` and `global.bytes_per_cycle` are
// those of a hit. Absent sectors come from DRAM, `l2.miss_latency` cycles later, over a path of
// `l2.dram_bytes_per_cycle`; the more of that the SM uses, the longer they wait for those of the other SMs, which
// are taken to do the same: `l2.loaded_latency` cycles at full use. A store makes its sectors present without fetching
// them; they are written back when their line is evicted. The least recently used line is replaced. What the host
// writes is in the L2 afterwards, as after a copy to the device.
//
// With two partitions each half is home to every second line. The half near to the SM also keeps copies of the other
// half's lines that the SM has read, so that up to half of the size all is as in one L2; what it lacks comes from the
// line's home, `l2.far_latency` later if that is far, whether it is there or comes from DRAM through it. Stores go to
// the home. Plain C++.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "memory/bandwidth.h"
#include "memory/path_load.h"
#include "model/config/sections/l2.h"
#include "model/divisor.h"
#include "model/stats/statistics.h"
#include "model/stats/utilisation.h"
#include "model/types.h"

namespace smsim::memory {

class L2Cache {
  public:
    /// `config.bytes` is not 0. InputError when it is no multiple of a set, or another value is 0.
    explicit L2Cache(const L2Config &config);

    /// A read or an atomic of `bytes` (at least 1) from `address` on that arrives in cycle `arrival`; no later call has
    /// an arrival before cycle `now`. Returns the cycle in which all of it is in the L2, not before `arrival`.
    Cycle read(std::uint64_t address, std::uint64_t bytes, Cycle now, Cycle arrival);
    /// A store, likewise; it waits for nothing.
    void write(std::uint64_t address, std::uint64_t bytes, Cycle now, Cycle arrival);
    /// Prefetches into the host's caches what a call for `address` accesses; nothing else changes.
    void expect(std::uint64_t address) const;
    /// The host has written there, which takes no time and is not counted.
    void hold(std::uint64_t address, std::uint64_t bytes);

    /// Adds hits, misses and the traffic to and from DRAM to `stats`.
    void collect(GlobalMemoryStats &stats) const;
    /// Adds the use of the path to DRAM up to cycle `end`.
    void add_use(Cycle end, UnitUses &uses) const {
        smsim::add_use(uses, UsedUnit::kDramPath, dram_.bytes_per_cycle(), dram_use_.until(end));
    }
    /// Restarts all counts in cycle `now`; what is present stays.
    void clear_statistics(Cycle now);

  private:
    struct Line {
        std::uint64_t number = 0; ///< address / line bytes
        std::uint64_t used = 0;   ///< order of the last use; 0: free
        std::uint32_t present = 0;
        std::uint32_t dirty = 0; ///< those of the present sectors that DRAM does not have
    };

    /// The lines of one partition, by set; null: never used.
    using Partition = std::vector<std::unique_ptr<Line[]>>;

    /// Calls `visit(number, sectors)` for each line of the `bytes` from `address` on.
    template <typename Visit> void for_lines(std::uint64_t address, std::uint64_t bytes, Visit visit) const;
    /// The line of a partition, from now on the most recently used; `write_backs` counts the dirty sectors of the line
    /// that it has replaced.
    Line &use(Partition &partition, std::uint64_t number, std::uint64_t &write_backs);
    /// Whether the far partition is the home of a line.
    bool is_far(std::uint64_t number) const;
    void fetch(Line &line, std::uint32_t sectors, Cycle now, Cycle arrival, std::uint64_t &write_backs, Cycle &ready);
    void forget_fills(Cycle now);
    Cycle move(std::uint64_t bytes, Cycle now, Cycle arrival);
    void write_back(std::uint64_t sectors, Cycle now, Cycle arrival);

    Divisor line_bytes_;
    Divisor sector_bytes_;
    Divisor sets_;
    std::uint64_t sectors_in_line_;
    unsigned ways_;
    Cycle miss_latency_;
    Cycle far_latency_;
    Partition near_;
    Partition far_;                                  ///< without sets if there is one partition
    std::unordered_map<std::uint64_t, Cycle> fills_; ///< by number of the sector: when it arrives
    Cycle next_forget_ = 0;
    Bandwidth dram_;
    BusyTime dram_use_;
    PathLoad load_;
    Cycle loaded_latency_;
    std::uint64_t uses_ = 0;
    std::uint64_t hits_ = 0;
    std::uint64_t misses_ = 0;
    std::uint64_t write_backs_ = 0;
};

} // namespace smsim::memory
