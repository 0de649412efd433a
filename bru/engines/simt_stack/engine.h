// The reconvergence engine simt_stack: a warp has one mask and one rpc, branches push the side that waits, and JOIN
// pops it (engines.md simt_stack). It holds the state of all warp slots and passes each instruction to the function
// that implements its rule.
#pragma once

#include <any>
#include <cstdint>
#include <string>
#include <vector>

#include "bru/engines/common/traps.h"
#include "bru/engines/simt_stack/reconvergence.h"
#include "bru/engines/simt_stack/state.h"
#include "bru/reconvergence_engine.h"

namespace smsim::bru::simt_stack {

/// What the engine keeps for one warp.
struct Warp {
    State state;
    TrapState trap;
    Code code;
};

/// Counters besides those of the branch unit.
struct Counters {
    std::uint64_t depth = 0;  ///< the most entries that a stack has had
    std::uint64_t pushes = 0; ///< entries
    std::uint64_t pops = 0;   ///< entries
    std::uint64_t overflows = 0;
    std::uint64_t warpsync_partial = 0; ///< WARPSYNC that names threads other than the active ones [E-5]
};

/// Why a warp may not arrive at a CTA barrier while a waiting side has something to do [E-3].
inline constexpr ArrivalRefusal kDivergedArrival{
    Fault::kBarrierDiverged, "another side of a branch waits on the stack of the warp, which would arrive once more"};

/// Executes one control instruction on `warp`, and counts it. A fault leaves the state as it was, except for `pc`,
/// which is that of the instruction.
StepResult execute_step(Warp &warp, const isa::Instruction &insn, const Operands &operands, const BruConfig &config,
                        Counters &counters);

class Engine final : public ReconvergenceEngine {
  public:
    Engine(const BruConfig &config, std::uint32_t warps);

    void start(WarpSlot warp, Pc entry, LaneMask valid, Pc program_bytes) override;
    void runs(WarpSlot warp, const Program &program) override;
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

} // namespace smsim::bru::simt_stack
