// Counts what control instructions did, and follows each divergence to the sync that ends it.
//
// A divergence separates the threads that continued from those that left. It is kept until a BSYNC or WARPSYNC lets
// threads of both sides pass together (it has reconverged), until one side has exited, or until both sides met in
// another way (at an election) and diverge again. Two kept divergences never separate the same two threads, which
// bounds their number.
#pragma once

#include <cstdint>
#include <vector>

#include "bru/reconvergence_engine.h"
#include "model/isa/instruction.h"
#include "model/observation/observer.h"
#include "model/stats/statistics.h"
#include "model/types.h"

namespace smsim::bru {

class BranchStatistics {
  public:
    explicit BranchStatistics(std::uint32_t warps) : open_(warps) {}

    /// Starts a new warp in slot `warp`.
    void start(WarpSlot warp);
    /// Counts a step without fault. `sequence`: warp instructions issued by this warp before this one. The step is
    /// executed in cycle `now` and takes effect in cycle `effect`; only the observer uses these.
    void record(WarpSlot warp, const isa::Instruction &insn, const StepResult &result, std::uint64_t sequence,
                Cycle now = 0, Cycle effect = 0);
    /// Reports beginnings and ends of divergences to `observer`; null: no observer.
    void observe(observation::Observer *observer) { observer_ = observer; }
    /// Counts a timer expiry.
    void count_wake() { ++stats_.wakes; }
    /// Counts `cycles` of a pipeline in use.
    void count_busy(Cycle cycles) { stats_.busy_cycles += cycles; }

    const BruStats &stats() const { return stats_; }
    /// Restarts all counts.
    void clear() { stats_ = {}; }

  private:
    struct Divergence {
        Pc pc = 0;
        std::uint64_t sequence = 0;
        LaneMask stayed; ///< threads that continued at once
        LaneMask left;
        bool separates(LaneMask threads) const { return (stayed & threads).any() && (left & threads).any(); }
    };

    /// The observer to notify of a divergence, and the time.
    struct Telling {
        observation::Observer *observer;
        WarpSlot warp;
        Cycle now;
        Cycle effect;
        void begun(const Divergence &divergence) const;
        void ended(const Divergence &divergence, bool reconverged) const;
    };

    void record_branch(std::vector<Divergence> &open, const isa::Instruction &insn, const StepResult &result,
                       std::uint64_t sequence, const Telling &telling);
    void record_sync(std::vector<Divergence> &open, const isa::Instruction &insn, const StepResult &result,
                     std::uint64_t sequence, const Telling &telling);

    BruStats stats_;
    observation::Observer *observer_ = nullptr;
    std::vector<std::vector<Divergence>> open_; ///< by warp slot
};

} // namespace smsim::bru
