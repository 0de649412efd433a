// Inspects the model with convergence barriers after each instruction: invariants of the control state, fairness,
// coverage.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "bru/engines/convergence_barrier/control_state.h"
#include "model/config/sections/bru.h"
#include "model/program/program.h"
#include "tb/fuzz/programs/coverage.h"
#include "tb/fuzz/programs/model_watcher.h"

namespace smsim::fuzz {

using bru::convergence_barrier::ControlState;

class Watcher final : public ModelWatcher {
  public:
    /// `registers`: how many general registers are kept. `counts` may be null. `rules`: which path runs next.
    Watcher(const Program &program, unsigned registers, CoverageCounts *counts, const BruConfig &rules);

    void executed(const sm::ExecutedInstruction &instruction) override;

  private:
    struct Warp {
        std::uint64_t age = ~std::uint64_t{0};
        ControlState before;
        /// The last instruction was no control instruction, or the timer has fired since: no thread counts as tried.
        bool progress = true;
        bool after_turn = false; ///< the last instruction was a YIELD or NANOSLEEP that switched
        std::array<std::uint16_t, kLanes> passed_over{}; ///< turns given to others since the thread was active
        std::uint64_t instructions = 0;
        std::array<std::uint64_t, kLanes> left{}; ///< the instruction that took the thread out of ActiveMask
    };

    void check(const sm::ExecutedInstruction &instruction, const ControlState &after, const Warp &warp);
    void check_sync(const sm::ExecutedInstruction &instruction, const ControlState &after, const Warp &warp);
    void check_turns(const sm::ExecutedInstruction &instruction, const ControlState &after, Warp &warp);
    void report(const sm::ExecutedInstruction &instruction, const ControlState &after, const std::string &what);

    const Program &program_;
    CoverageCounts *counts_;
    ElectionPolicy election_;
    BranchOrder branch_order_;
    std::vector<Warp> slots_;
};

} // namespace smsim::fuzz
