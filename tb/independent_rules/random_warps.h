// Random warps under random control instructions, for the comparison of two implementations of bru.md: programs from
// start to end, and single states that a program may never reach.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "bru/engines/convergence_barrier/warp_control.h"
#include "bru/reconvergence_engine.h"
#include "model/config/sections/bru.h"
#include "model/isa/instruction.h"
#include "tb/independent_rules/random_step.h"

namespace smsim::independent_rules {

/// A program of control instructions and gaps (instructions of other units), and the warp that runs it. Registers hold
/// different values at every step; most targets and member masks let a program run for a while.
class RandomProgram {
  public:
    explicit RandomProgram(std::uint32_t seed);

    const BruConfig &config() const { return config_; }
    Pc bytes() const { return code_.size() * kInstructionBytes; }

    /// A warp at the start of the program.
    bru::convergence_barrier::WarpControl started();
    /// A warp in any state that the meanings of the masks permit.
    bru::convergence_barrier::WarpControl anywhere();
    /// What the active threads of `warp` execute next, after any gaps; nothing past the last instruction.
    std::optional<RandomStep> next(const bru::convergence_barrier::WarpControl &warp);
    /// True in one of `times` cases.
    bool one_in(std::uint32_t times) { return random_() % times == 0; }

  private:
    std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
    LaneMask subset(LaneMask of) { return LaneMask(static_cast<std::uint32_t>(random_())) & of; }
    LaneMask some(LaneMask of) { return one_in(2) ? LaneMask() : subset(of); }
    Pc somewhere() { return below(static_cast<std::uint32_t>(code_.size())) * kInstructionBytes; }
    isa::Instruction instruction(Pc pc);
    std::uint64_t jump_operand(const isa::Instruction &insn);
    LaneMask members(const bru::convergence_barrier::ControlState &state, Pc pc, unsigned lane);

    std::mt19937 random_;
    BruConfig config_;
    std::vector<std::optional<isa::Instruction>> code_; ///< nothing: an instruction of another unit
};

} // namespace smsim::independent_rules
