// The cost of LDC beyond its latency (timing.md 5): lines that the SM's cache of constants does not have, and addresses
// that differ between threads, which are read one after the other. Plain C++.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/config/sections/constants.h"
#include "model/state/memory_request.h"
#include "model/timing/timed_lines.h"
#include "model/types.h"

namespace smsim::sm {

class ConstantLoads {
  public:
    explicit ConstantLoads(const ConstantsConfig &config)
        : lines_(config.load_bytes, config.line_bytes, config.load_ways), miss_latency_(config.load_miss_latency),
          interval_(config.address_interval) {}

    /// In cycles.
    struct Time {
        Cycle result = 0;         ///< extra cycles until the result
        Cycle queue = 0;          ///< extra cycles until the next instruction of the queue leaves
        std::uint64_t misses = 0; ///< absent lines
    };
    /// Serves the LDC of `request` at `now`; times of calls do not decrease. Its addresses are offsets in the bank.
    Time serve(const MemoryRequest &request, Cycle now) {
        Time time;
        LaneMask rest = lines_.is_empty() && interval_ == 0 ? LaneMask{} : request.lanes;
        for (Cycle turn = 0; rest.any(); turn += interval_) {
            const std::uint64_t address = request.address[rest.lowest()];
            for_each_lane(rest, [&](unsigned lane) {
                if (request.address[lane] == address) {
                    rest &= ~LaneMask::lane(lane);
                }
            });
            time.queue = turn;
            time.result = std::max({time.result, turn, waits_for(request, address, now, time)});
        }
        return time;
    }
    /// Drops everything: a launch begins.
    void clear() { lines_.clear(); }

  private:
    /// Cycles until the line of `address` is there.
    Cycle waits_for(const MemoryRequest &request, std::uint64_t address, Cycle now, Time &time) {
        if (lines_.is_empty()) {
            return 0;
        }
        const std::uint64_t place = timing::constant_address(request.insn->const_bank, address);
        const Cycle ready = lines_.look_up(place, now, miss_latency_);
        time.misses += ready == now + miss_latency_ ? 1 : 0;
        return ready - std::min(ready, now);
    }

    timing::TimedLines lines_;
    Cycle miss_latency_;
    Cycle interval_;
};

} // namespace smsim::sm
