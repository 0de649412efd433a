// The model's reconvergence engine beside a branch unit of RTL: it gets the same instructions and expiries, and says
// where the other differs. Plain C++; it knows nothing of time.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bru/reconvergence_engine.h"
#include "model/config/config.h"
#include "model/state/control_snapshot.h"
#include "model/state/warp_life.h"

namespace smsim::cosim {

class BruReference {
  public:
    /// For `warps` warp slots.
    BruReference(const BruConfig &config, unsigned warps);

    /// A warp begins.
    void start(const WarpStart &start);
    /// The instruction `insn` of `warp` is executed, with these operands. What comes of it holds until the next call.
    const bru::StepResult &execute(WarpSlot warp, const isa::Instruction &insn, const bru::Operands &operands);
    /// The timer of `warp` has fired with effect.
    void expired(WarpSlot warp);

    /// Compares what the oldest `insn` of `warp` that was not compared yet gave there with what it gave here, and the
    /// `state` of the warp there, if it is given, with the one here, in the fields that the engine declares. Nothing
    /// when they are equal; else each field that differs with both values, and the rule that it belongs to.
    std::optional<std::string> difference(WarpSlot warp, const isa::Instruction &insn, const bru::StepResult &there,
                                          const std::optional<ControlSnapshot> &state);

  private:
    struct Step {
        const isa::Instruction *insn;
        bru::StepResult result;
    };

    std::string rules_; ///< document of the engine's
    std::unique_ptr<bru::ReconvergenceEngine> engine_;
    std::vector<std::deque<Step>> steps_; ///< by warp slot: not compared yet
};

} // namespace smsim::cosim
