// The cache of constant operands of one sub-partition (timing.md 5 "L0 FL"), looked up at issue: a hit costs nothing; a
// miss makes its warp wait, and all other warps for a few cycles. Plain C++.
#pragma once

#include <algorithm>

#include "model/config/sections/constants.h"
#include "model/isa/instruction.h"
#include "model/timing/timed_lines.h"
#include "model/types.h"

namespace smsim::ibuffer {

class ConstantOperands {
  public:
    explicit ConstantOperands(const ConstantsConfig &config)
        : lines_(config.operand_bytes, config.line_bytes, config.ways), miss_latency_(config.miss_latency),
          hold_(config.miss_hold) {}

    /// Whether `insn` reads an operand through this cache: a constant, on an execution pipe of fixed latency.
    bool serves(const isa::Instruction &insn) const {
        const bool constant = insn.form == isa::Form::kC || insn.form == isa::Form::kRrc;
        return constant && !lines_.is_empty() && insn.unit != isa::Unit::kBranch && insn.unit != isa::Unit::kBarrier &&
               insn.unit != isa::Unit::kLoadStore && !insn.spec().has(isa::kVariable);
    }
    /// Looks up the operand of `insn`, which this cache serves, at `now`; times of calls do not decrease. Returns when
    /// the operand is there: `now` for a hit.
    Cycle look_up(const isa::Instruction &insn, Cycle now) {
        const std::uint64_t address = timing::constant_address(insn.const_bank, insn.const_offset);
        return std::max(now, lines_.look_up(address, now, miss_latency_));
    }
    /// For how many cycles after a miss, from its own cycle on, no warp issues.
    Cycle hold() const { return hold_; }
    /// Drops everything: a launch begins.
    void clear() { lines_.clear(); }

  private:
    timing::TimedLines lines_;
    Cycle miss_latency_;
    Cycle hold_;
};

} // namespace smsim::ibuffer
