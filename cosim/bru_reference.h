// The model's reconvergence engine, run beside a branch unit of RTL: it gets the same instructions and expiries, and
// reports where the RTL differs. Plain C++ without cycles.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bru/reconvergence_engine.h"
#include "model/config/sections/bru.h"
#include "model/state/control_snapshot.h"
#include "model/state/warp_life.h"

namespace smsim::cosim {

class BruReference {
  public:
    /// For `warps` warp slots.
    BruReference(const BruConfig &config, unsigned warps);

    /// Starts a warp.
    void start(const WarpStart &start);
    /// Executes the instruction `insn` of `warp` with these operands. The result is valid until the next call.
    const bru::StepResult &execute(WarpSlot warp, const isa::Instruction &insn, const bru::Operands &operands);
    /// Records that the timer of `warp` has fired with effect.
    void expired(WarpSlot warp);

    /// Compares the RTL's result for the oldest `insn` of `warp` not yet compared with the model's, and the RTL's
    /// `state` of the warp, if given, with the model's, in the fields that the engine declares. Returns nothing when
    /// they are equal; else each field that differs with both values, and the rule that it belongs to.
    std::optional<std::string> difference(WarpSlot warp, const isa::Instruction &insn, const bru::StepResult &there,
                                          const std::optional<ControlSnapshot> &state);

  private:
    struct Step {
        const isa::Instruction *insn;
        bru::StepResult result;
    };

    std::string rules_; ///< the document with the engine's rules
    std::unique_ptr<bru::ReconvergenceEngine> engine_;
    std::vector<std::deque<Step>> steps_; ///< by warp slot: not compared yet
};

} // namespace smsim::cosim
