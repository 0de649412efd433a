// The reconvergence engine of bru.md: convergence barriers with independent progress of threads. It holds the state of
// all warp slots and passes each instruction to the function that implements its rule.
#pragma once

#include <any>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bru/engines/convergence_barrier/path_choice.h"
#include "bru/engines/convergence_barrier/rules.h"
#include "bru/engines/convergence_barrier/warp_control.h"
#include "bru/reconvergence_engine.h"

namespace smsim::bru::convergence_barrier {

/// Executes one control instruction on `warp`: guard, parking rule, the instruction's own rule, progress. A fault
/// leaves `warp` as `catch_up` left it.
StepResult execute_step(WarpControl &warp, const isa::Instruction &insn, const Operands &operands, const Rules &rules,
                        Pc program_bytes);

class Engine final : public ReconvergenceEngine {
  public:
    /// Throws InputError when `config.election` is a library that cannot be used.
    Engine(const BruConfig &config, std::uint32_t warps);

    void start(WarpSlot warp, Pc entry, LaneMask valid, Pc program_bytes) override;
    StepResult execute(WarpSlot warp, const isa::Instruction &insn, const Operands &operands) override;
    void timer_expired(WarpSlot warp) override;
    std::any save(WarpSlot warp) const override { return warps_.at(warp.value()); }
    void restore(WarpSlot warp, const std::any &saved) override;
    ControlSnapshot snapshot(WarpSlot warp, const Untold &untold) const override;
    std::string describe(WarpSlot warp) const override;
    std::optional<LevelName> measured() const override;
    std::uint64_t level(WarpSlot warp) const override;

  private:
    BruConfig config_;
    std::unique_ptr<PathChoice> paths_; ///< null: one of the model's own
    std::vector<WarpControl> warps_;
    std::vector<Pc> program_bytes_; ///< by warp slot
};

} // namespace smsim::bru::convergence_barrier
