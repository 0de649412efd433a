// Counts what control instructions did, and follows each divergence to the sync that ends it.
//
// A divergence separates the threads that went on from those that left. It is remembered until a BSYNC or WARPSYNC
// lets threads of both sides pass together (it has reconverged), until one side has ended, or until both sides met
// otherwise (at an election) and part again. Two remembered divergences never separate the same two threads, which
// bounds their number.
#pragma once

#include <cstdint>
#include <vector>

#include "bru/reconvergence_engine.h"
#include "model/isa/instruction.h"
#include "model/stats/statistics.h"
#include "model/types.h"

namespace smsim::bru {

class BranchStatistics {
  public:
    explicit BranchStatistics(std::uint32_t warps) : open_(warps) {}

    /// A new warp begins in slot `warp`.
    void start(WarpSlot warp);
    /// Counts a step without fault. `sequence`: warp instructions issued by this warp before this one.
    void record(WarpSlot warp, const isa::Instruction &insn, const StepResult &result, std::uint64_t sequence);
    /// Counts a timer expiry.
    void count_wake() { ++stats_.wakes; }
    /// Counts `cycles` of a pipeline in use.
    void count_busy(Cycle cycles) { stats_.busy_cycles += cycles; }

    const BruStats &stats() const { return stats_; }

  private:
    struct Divergence {
        Pc pc = 0;
        std::uint64_t sequence = 0;
        LaneMask stayed; ///< threads that went on at once
        LaneMask left;
        bool separates(LaneMask threads) const { return (stayed & threads).any() && (left & threads).any(); }
    };

    void record_branch(std::vector<Divergence> &open, const isa::Instruction &insn, const StepResult &result,
                       std::uint64_t sequence);
    void record_sync(std::vector<Divergence> &open, const isa::Instruction &insn, const StepResult &result,
                     std::uint64_t sequence);

    BruStats stats_;
    std::vector<std::vector<Divergence>> open_; ///< by warp slot
};

} // namespace smsim::bru
