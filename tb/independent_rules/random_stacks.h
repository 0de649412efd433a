// Random warps under random control instructions of the two stacks, for the comparison of two implementations of
// engines.md: programs from start to end, and single states that a program may never reach.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <random>

#include "bru/engines/simt_stack/engine.h"
#include "bru/engines/token_stack/engine.h"
#include "model/config/sections/bru.h"
#include "model/isa/instruction.h"
#include "model/program/program.h"
#include "tb/independent_rules/random_step.h"

namespace smsim::independent_rules {

/// What is chosen at random for both stacks. A program consists of control instructions and gaps (instructions of
/// other units); registers hold different values at every step.
class RandomStack {
  public:
    RandomStack(const RandomStack &) = delete;
    RandomStack &operator=(const RandomStack &) = delete;

    const BruConfig &config() const { return config_; }

  protected:
    explicit RandomStack(std::uint32_t seed);
    ~RandomStack() = default;

    std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
    bool one_in(std::uint32_t times) { return below(times) == 0; }
    LaneMask subset(LaneMask of) { return LaneMask(static_cast<std::uint32_t>(random_())) & of; }
    /// Some threads of `of`, at least one: a single one, some, or all.
    LaneMask threads(LaneMask of);
    Pc bytes() const { return program_.size_bytes(); }
    Pc somewhere() { return below(static_cast<std::uint32_t>(program_.code.size())) * kInstructionBytes; }
    /// Like `somewhere`, but rarely not an instruction of the program.
    Pc target();
    bru::TrapState trap();
    /// The control instruction at `pc`, or after the gaps there, with operands; nothing past the last one. `active`
    /// are the threads that execute it.
    std::optional<RandomStep> step_at(Pc pc, LaneMask active);
    /// The operands of one thread.
    virtual std::uint64_t value(const isa::Instruction &insn) = 0;

    std::mt19937 random_;
    BruConfig config_;
    Program program_;

  private:
    LaneMask members(LaneMask active);
};

class RandomSimt final : public RandomStack {
  public:
    using Warp = bru::simt_stack::Warp;
    using Counters = bru::simt_stack::Counters;

    explicit RandomSimt(std::uint32_t seed);

    /// A warp at the start of the program.
    Warp started();
    /// A warp in any state that the meaning of its fields permits.
    Warp anywhere();
    /// What the active threads of `warp` execute next; nothing past the last instruction.
    std::optional<RandomStep> next(const Warp &warp) { return step_at(warp.state.pc, warp.state.mask); }

  private:
    Pc some_join();
    isa::Instruction instruction(Pc pc);
    std::uint64_t value(const isa::Instruction &insn) override;
};

class RandomTokens final : public RandomStack {
  public:
    using Warp = bru::token_stack::Warp;
    using Counters = bru::token_stack::Counters;

    explicit RandomTokens(std::uint32_t seed);

    /// See RandomSimt.
    Warp started();
    Warp anywhere();
    std::optional<RandomStep> next(const Warp &warp) { return step_at(warp.state.pc, warp.state.active); }

  private:
    isa::Instruction instruction(Pc pc);
    std::uint64_t value(const isa::Instruction &insn) override;
};

} // namespace smsim::independent_rules
