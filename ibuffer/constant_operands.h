// The cache of constant operands of one sub-partition (timing.md 5 "L0 FL"), looked up at issue: an operand that is
// there costs nothing; one that is not keeps its warp waiting, and everybody else for a few cycles. It holds no data.
// Plain C++.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/config/config.h"
#include "model/isa/instruction.h"
#include "model/types.h"

namespace smsim::ibuffer {

class ConstantOperands {
  public:
    explicit ConstantOperands(const ConstantsConfig &config)
        : line_bytes_(config.line_bytes), ways_(config.ways), miss_latency_(config.miss_latency),
          hold_(config.miss_hold), lines_(config.operand_bytes / config.line_bytes) {}

    /// Whether `insn` reads an operand through this cache: a constant, on an execution pipe of fixed latency.
    bool serves(const isa::Instruction &insn) const {
        const bool constant = insn.form == isa::Form::kC || insn.form == isa::Form::kRrc;
        return constant && !lines_.empty() && insn.unit != isa::Unit::kBranch && insn.unit != isa::Unit::kBarrier &&
               insn.unit != isa::Unit::kLoadStore && !insn.spec().has(isa::kVariable);
    }
    /// The operand of `insn`, which this cache serves, is asked for at `now`, no earlier than before. Returns from when
    /// on it is there: `now` for a hit.
    Cycle look_up(const isa::Instruction &insn, Cycle now);
    /// For how long a miss lets nobody issue, from its own cycle on.
    Cycle hold() const { return hold_; }
    /// Nothing is present any more: a launch begins.
    void clear() { std::ranges::fill(lines_, Line{}); }

  private:
    struct Line {
        std::uint64_t number = 0;
        std::uint64_t used = 0; ///< order of the last use; 0: free
        Cycle ready = 0;
    };

    std::uint32_t line_bytes_;
    std::uint32_t ways_;
    Cycle miss_latency_;
    Cycle hold_;
    std::vector<Line> lines_; ///< set by set
    std::uint64_t uses_ = 0;
};

} // namespace smsim::ibuffer
