// Looks at the model after each instruction: invariants of the control state, fairness, coverage; keeps the registers
// of warps that have ended.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bru/engines/convergence_barrier/control_state.h"
#include "model/config/config.h"
#include "model/program/program.h"
#include "sm/execution_observer.h"
#include "tb/fuzz/coverage.h"

namespace smsim::fuzz {

using bru::convergence_barrier::ControlState;

/// Registers of one warp at its end.
struct EndedWarp {
    std::uint64_t cta = 0;
    std::uint32_t warp_in_cta = 0;
    LaneMask lanes;                                  ///< threads that it began with
    std::vector<std::array<std::uint32_t, 32>> rows; ///< R0 .. : 32 lanes each
    std::array<LaneMask, 7> predicates{};
};

class Watcher final : public sm::ExecutionObserver {
  public:
    /// `registers`: how many general registers are kept. `counts` may be null. `in_order`: instructions are reported in
    /// program order; on a shared pipeline of the branch unit a BSSY comes later than what the warp has run ahead with.
    /// `rules`: which path is to run next.
    Watcher(const Program &program, unsigned registers, CoverageCounts *counts, bool in_order, const BruConfig &rules);

    void begin(const ControlStateOf &state_of) override { state_of_ = state_of; }
    void executed(const sm::ExecutedInstruction &instruction) override;
    void ended(const WarpStart &start, const sm::compute::WarpRegisters &registers) override;

    /// The first invariant that did not hold, with instruction and masks; empty: all held.
    const std::string &violation() const { return violation_; }
    const std::vector<EndedWarp> &warps() const { return warps_; }

  private:
    struct Warp {
        std::uint64_t age = ~std::uint64_t{0};
        ControlState before;
        bool progress = true; ///< since the last control instruction, or the timer has fired: nobody was tried in vain
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
    unsigned registers_;
    CoverageCounts *counts_;
    bool in_order_;
    ElectionPolicy election_;
    BranchOrder branch_order_;
    ControlStateOf state_of_;
    std::vector<Warp> slots_;
    std::vector<EndedWarp> warps_;
    std::string violation_;
};

} // namespace smsim::fuzz
