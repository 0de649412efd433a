// Operands, and the instructions common to all engines.
#include "tb/independent_rules/stack_step.h"

namespace smsim::independent_rules {

using bru::StepEvent;
using isa::Form;
using isa::Op;

StackStep::StackStep(LaneMask active, bru::TrapState &trap, const isa::Instruction &insn, const bru::Operands &operands,
                     const BruConfig &config, Pc program_bytes)
    : trap_(trap), insn_(insn), operands_(operands), config_(config), program_bytes_(program_bytes), pc_(insn.pc),
      next_(insn.pc + kInstructionBytes), p_(active & operands.guard) {
    if (insn.spec().has(isa::kGuardPp) || insn.spec().has(isa::kConditionTest)) {
        p_ &= operands.guard_pp;
    }
    result_.event.active = active;
    result_.executed = p_;
}

bool StackStep::is_instruction(std::int64_t place) const {
    return place >= 0 && place % std::int64_t{kInstructionBytes} == 0 && static_cast<Pc>(place) < program_bytes_;
}

std::uint64_t StackStep::operand(unsigned t) const {
    switch (insn_.form) {
    case Form::kR:
        return operands_.vectors[0][t];
    case Form::kI:
        return static_cast<std::uint64_t>(insn_.imm);
    default:
        return operands_.scalar;
    }
}

LaneMask StackStep::named_by(unsigned t) const {
    const auto bits = static_cast<std::uint32_t>(operand(t));
    return LaneMask(insn_.bitnot ? ~bits : bits);
}

std::optional<Pc> StackStep::of_every_mechanism() {
    switch (insn_.op) {
    case Op::kLepc:
        result_.write_lanes = p_;
        result_.value = pc_ + static_cast<Pc>(insn_.imm) * kInstructionBytes;
        return next_;
    case Op::kNanosleep:
        return sleep();
    case Op::kTrap:
        return enter_handler();
    case Op::kRtt:
        return leave_handler();
    case Op::kSyscall:
        kind(p_.any() ? StepEvent::Kind::kSyscall : StepEvent::Kind::kPlain);
        return next_;
    default:
        return std::nullopt;
    }
}

Pc StackStep::sleep() {
    std::optional<std::uint32_t> shortest;
    for_each_lane(p_, [&](unsigned t) {
        const auto time = static_cast<std::uint32_t>(operand(t));
        if (!shortest || time < *shortest) {
            shortest = time;
        }
    });
    if (shortest && *shortest != 0) {
        kind(StepEvent::Kind::kSleep);
        result_.outcome = Outcome::kSleep;
        result_.sleep_ns = shortest;
    }
    return next_;
}

Pc StackStep::enter_handler() {
    if (p_.none()) {
        return next_;
    }
    if (config_.trap_handler < 0) {
        raise(Fault::kTrap);
    } else if (trap_.in_handler) {
        raise(Fault::kIllegalTrap);
    } else if (!is_instruction(config_.trap_handler)) {
        raise(Fault::kIllegalTarget);
    } else {
        trap_ = {true, next_, static_cast<std::uint32_t>(operand(p_.lowest()))};
    }
    return static_cast<Pc>(config_.trap_handler);
}

Pc StackStep::leave_handler() {
    if (p_.none()) {
        return next_;
    }
    if (!trap_.in_handler) {
        raise(Fault::kIllegalTrap);
    }
    const Pc behind = trap_.return_pc;
    trap_ = {};
    return behind;
}

} // namespace smsim::independent_rules
