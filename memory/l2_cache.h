// The L2 and what lies behind it, as one SM sees them: which sectors are in it, and when those that are not have come.
//
// It keeps no data, which are the memory's, and no path of its own: `global.latency` and `global.bytes_per_cycle` are
// those of a hit. What is not there comes from DRAM, `l2.miss_latency` cycles later, over a path of
// `l2.dram_bytes_per_cycle`. A store makes its sectors present without fetching them; they are written back when their
// line makes room. Lines go in the order of their last use. What the host writes is in the L2 afterwards, as behind a
// copy to the device. Plain C++.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "memory/bandwidth.h"
#include "model/config/config.h"
#include "model/divisor.h"
#include "model/stats/statistics.h"
#include "model/stats/utilisation.h"
#include "model/types.h"

namespace smsim::memory {

class L2Cache {
  public:
    /// `config.bytes` is not 0. InputError when it is no multiple of a set, or another figure is 0.
    explicit L2Cache(const L2Config &config);

    /// A read or an atomic of `bytes` (at least 1) from `address` on that arrives in cycle `arrival`; no later call
    /// comes before cycle `now`. Returns the cycle in which all of it is in the L2, not before `arrival`.
    Cycle read(std::uint64_t address, std::uint64_t bytes, Cycle now, Cycle arrival);
    /// A store, likewise; it waits for nothing.
    void write(std::uint64_t address, std::uint64_t bytes, Cycle now, Cycle arrival);
    /// The host's caches are to have at hand what a call for `address` looks at; nothing else changes.
    void expect(std::uint64_t address) const;
    /// The host has written there, which takes no time and counts nowhere.
    void hold(std::uint64_t address, std::uint64_t bytes);

    /// Adds hits, misses and what went to and from DRAM to `stats`.
    void collect(GlobalMemoryStats &stats) const;
    /// Adds the use of the path to DRAM up to cycle `end`.
    void add_use(Cycle end, UnitUses &uses) const {
        smsim::add_use(uses, UsedUnit::kDramPath, dram_.bytes_per_cycle(), dram_use_.until(end));
    }
    /// Begins to count anew in cycle `now`; what is present stays.
    void clear_statistics(Cycle now);

  private:
    struct Line {
        std::uint64_t number = 0; ///< address / line bytes
        std::uint64_t used = 0;   ///< order of the last use; 0: free
        std::uint32_t present = 0;
        std::uint32_t dirty = 0; ///< of these, the sectors that DRAM does not have
    };

    /// Calls `visit(line, sectors)` for each line of the `bytes` from `address` on; the line has been made the one used
    /// last, `write_backs` counts the dirty sectors of those that made room.
    template <typename Visit>
    void for_lines(std::uint64_t address, std::uint64_t bytes, std::uint64_t &write_backs, Visit visit);
    Line &use(std::uint64_t number, std::uint64_t &write_backs);
    void forget_fills(Cycle now);
    void write_back(std::uint64_t sectors, Cycle now, Cycle arrival);

    Divisor line_bytes_;
    Divisor sector_bytes_;
    Divisor sets_;
    std::uint64_t sectors_in_line_;
    unsigned ways_;
    Cycle miss_latency_;
    std::vector<std::unique_ptr<Line[]>> lines_;     ///< by set; null: never used
    std::unordered_map<std::uint64_t, Cycle> fills_; ///< by number of the sector: when it comes
    Cycle next_forget_ = 0;
    Bandwidth dram_;
    BusyTime dram_use_;
    std::uint64_t uses_ = 0;
    std::uint64_t hits_ = 0;
    std::uint64_t misses_ = 0;
    std::uint64_t write_backs_ = 0;
};

} // namespace smsim::memory
