// The reconvergence engine token_stack: a warp runs one group of threads, and the others wait in tokens on a stack
// (engines.md token_stack). It holds the state of all warp slots and passes each instruction to the function that
// implements its rule.
#pragma once

#include <any>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "bru/engines/common/traps.h"
#include "bru/engines/token_stack/control_state.h"
#include "bru/reconvergence_engine.h"

namespace smsim::bru::token_stack {

/// What the engine keeps for one warp.
struct Warp {
    ControlState state;
    TrapState trap;
    Pc program_bytes = 0;
};

/// Counters besides those of the branch unit.
struct Counters {
    std::uint64_t depth = 0;                         ///< the most tokens that a stack has had, including those in
                                                     ///< memory
    std::array<std::uint64_t, kTokenKinds> pushes{}; ///< tokens by kind
    std::uint64_t pops = 0;                          ///< tokens, including those left at the end of a warp
    std::uint64_t spilled = 0;                       ///< tokens to memory
    std::uint64_t filled = 0;                        ///< tokens back from memory
    std::uint64_t spill_cycles = 0;                  ///< taken by both directions
    std::uint64_t overflows = 0;                     ///< pushes that found no room
    std::uint64_t limited = 0;                       ///< CAL and PRET that found the call limit reached
};

/// Executes one control instruction on `warp`, and counts it. A fault leaves the state as it was, except for PC, which
/// is that of the instruction.
StepResult execute_step(Warp &warp, const isa::Instruction &insn, const Operands &operands, const BruConfig &config,
                        Counters &counters);

class Engine final : public ReconvergenceEngine {
  public:
    Engine(const BruConfig &config, std::uint32_t warps);

    void start(WarpSlot warp, Pc entry, LaneMask valid, Pc program_bytes) override;
    StepResult execute(WarpSlot warp, const isa::Instruction &insn, const Operands &operands) override;
    void timer_expired(WarpSlot) override {} // the warp sleeps as a whole: the state does not change
    std::any save(WarpSlot warp) const override { return warps_.at(warp.value()); }
    void restore(WarpSlot warp, const std::any &saved) override;
    ControlSnapshot snapshot(WarpSlot warp, const Untold &untold) const override;
    std::string describe(WarpSlot warp) const override;
    std::string held_back(WarpSlot warp) const override;
    std::vector<EngineCounter> counters() const override;
    void clear_counters() override { counters_ = {}; }
    std::optional<LevelName> measured() const override;
    std::uint64_t level(WarpSlot warp) const override { return warps_.at(warp.value()).state.stack.size(); }

  private:
    BruConfig config_;
    std::vector<Warp> warps_;
    Counters counters_;
};

} // namespace smsim::bru::token_stack
