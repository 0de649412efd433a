// The common part of the rules of both stacks written a second time (engines.md): operands, places of a program, and
// the instructions that every engine has (bru.md "The others").
#pragma once

#include <cstdint>
#include <optional>

#include "bru/engines/common/traps.h"
#include "bru/reconvergence_engine.h"
#include "model/config/sections/bru.h"
#include "model/isa/instruction.h"

namespace smsim::independent_rules {

/// One instruction of one warp. Its effects besides those on the stack are in `trap_` and `result_`.
class StackStep {
  public:
    StackStep(const StackStep &) = delete;
    StackStep &operator=(const StackStep &) = delete;

  protected:
    StackStep(LaneMask active, bru::TrapState &trap, const isa::Instruction &insn, const bru::Operands &operands,
              const BruConfig &config, Pc program_bytes);
    ~StackStep() = default;

    void raise(Fault fault) { result_.fault = FaultReport{fault, {}}; }
    void kind(bru::StepEvent::Kind kind) { result_.event.kind = kind; }
    /// Whether an instruction of the program is at `place`.
    bool is_instruction(std::int64_t place) const;
    /// What thread `t` reads: its register, the immediate, or a value common to all threads.
    std::uint64_t operand(unsigned t) const;
    /// The threads that thread `t` names at a WARPSYNC.
    LaneMask named_by(unsigned t) const;
    /// LEPC, NANOSLEEP, TRAP, RTT, SYSCALL by the threads of `p_`: returns where they continue. Nothing for other
    /// instructions.
    std::optional<Pc> of_every_mechanism();

    bru::TrapState &trap_;
    const isa::Instruction &insn_;
    const bru::Operands &operands_;
    const BruConfig &config_;
    const Pc program_bytes_;
    const Pc pc_;
    const Pc next_;
    LaneMask p_; ///< active threads whose guards hold
    bru::StepResult result_;

  private:
    Pc sleep();
    Pc enter_handler();
    Pc leave_handler();
};

} // namespace smsim::independent_rules
