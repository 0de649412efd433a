// What is kept of the warps of a launch: sums over all of them, and records of some.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/stats/stall.h"
#include "model/types.h"

namespace smsim {

/// How one warp has spent its life, filled by its IBuffer.
struct WarpStats {
    WarpSlot slot;
    std::uint32_t sub_partition = 0;
    std::uint64_t cta_number = 0;
    std::uint32_t warp_in_cta = 0;
    Cycle start = 0;
    Cycle end = 0; ///< lifetime is end - start
    std::uint64_t instructions = 0;
    std::uint64_t thread_instructions = 0; ///< executed lanes summed over its instructions
    StallCycles stalls{};                  ///< adds up to end - start
    StateCycles states{};                  ///< adds up to end - start
};

/// Sums over warps.
struct WarpSums {
    std::uint64_t warps = 0;
    std::uint64_t instructions = 0;
    std::uint64_t thread_instructions = 0;
    std::uint64_t warp_cycles = 0; ///< lifetimes
    StallCycles stalls{};
    StateCycles states{};

    void add(const WarpStats &warp) {
        ++warps;
        instructions += warp.instructions;
        thread_instructions += warp.thread_instructions;
        warp_cycles += warp.end - warp.start;
        for (std::size_t i = 0; i < stalls.size(); ++i) {
            stalls[i] += warp.stalls[i];
        }
        for (std::size_t i = 0; i < states.size(); ++i) {
            states[i] += warp.states[i];
        }
    }
    void add(const WarpSums &more) {
        warps += more.warps;
        instructions += more.instructions;
        thread_instructions += more.thread_instructions;
        warp_cycles += more.warp_cycles;
        for (std::size_t i = 0; i < stalls.size(); ++i) {
            stalls[i] += more.stalls[i];
        }
        for (std::size_t i = 0; i < states.size(); ++i) {
            states[i] += more.states[i];
        }
    }
};

/// What a launch keeps of its warps. A grid may have any number of them, so that only every n-th CTA has records.
struct WarpWish {
    std::uint64_t every = 1; ///< warps of CTAs whose number is a multiple of this have records
    bool cta_ends = false;   ///< the end of each CTA is kept

    /// Whether the warps of CTA `number` have records.
    bool keeps(std::uint64_t number) const { return every == 1 || number % every == 0; }
};

/// The warps of a launch that have ended, of one sub-partition or part.
class WarpRecords {
  public:
    /// A warp has ended. `is_kept`: keeps its record; `is_end_kept`: keeps its end, if it is the last of its CTA.
    void add(const WarpStats &warp, bool is_kept, bool is_end_kept) {
        sums_.add(warp);
        last_end_ = warp.end > last_end_ ? warp.end : last_end_;
        if (is_kept) {
            kept_.push_back(warp);
        }
        if (is_end_kept) {
            Cycle &end = cta_ends_[warp.cta_number];
            end = warp.end > end ? warp.end : end;
        }
    }
    void clear() { *this = {}; }

    /// Sums over all of them.
    const WarpSums &sums() const { return sums_; }
    /// Records, in order of the ends.
    const std::vector<WarpStats> &kept() const { return kept_; }
    /// The latest end; 0: no warp has ended.
    Cycle last_end() const { return last_end_; }
    /// By number of the CTA, the end of the last of its warps here; empty if not requested.
    const std::unordered_map<std::uint64_t, Cycle> &cta_ends() const { return cta_ends_; }

  private:
    WarpSums sums_;
    std::vector<WarpStats> kept_;
    Cycle last_end_ = 0;
    std::unordered_map<std::uint64_t, Cycle> cta_ends_;
};

} // namespace smsim
