// What the active threads do together.
#include "bru/engines/simt_stack/jumps.h"

#include <optional>

#include <fmt/format.h>

#include "bru/engines/common/targets.h"
#include "bru/engines/common/values.h"
#include "model/isa/engine_operations.h"

namespace smsim::bru::simt_stack {
namespace {

using isa::BraCondition;
using isa::Form;
using isa::Op;

void next_instruction(State &state, const isa::Instruction &insn) {
    state.pc = insn.pc + kInstructionBytes;
}

void divergent(unsigned lane, std::uint64_t value, std::string detail, StepResult &result) {
    result.fault = FaultReport{Fault::kDivergentTarget, std::move(detail)};
    result.fault_lane = lane;
    result.fault_value = value;
}

/// The one target of the threads of `lanes`; none, and a fault, when there are several.
std::optional<Pc> common_target(const isa::Instruction &insn, const Operands &operands, LaneMask lanes,
                                StepResult &result) {
    if (insn.form != Form::kR) {
        return target_of(insn, operands.scalar);
    }
    const unsigned first = lanes.lowest();
    const Pc target = target_of(insn, operands.vectors[0][first]);
    for (LaneMask rest = lanes; rest.any(); rest &= ~LaneMask::lane(rest.lowest())) {
        const unsigned lane = rest.lowest();
        if (const Pc other = target_of(insn, operands.vectors[0][lane]); other != target) {
            divergent(lane, other,
                      fmt::format("thread {} would go to {:#x} and thread {} to {:#x}; all active threads go to one "
                                  "target",
                                  first, target, lane, other),
                      result);
            return std::nullopt;
        }
    }
    return target;
}

} // namespace

void jump(State &state, const isa::Instruction &insn, const Operands &operands, LaneMask executed, Pc program_bytes,
          StepResult &result) {
    const bool is_uniform = insn.op == Op::kBra && static_cast<BraCondition>(insn.mod[0]) == BraCondition::kUniform;
    if (insn.op == Op::kBra && !is_uniform && (insn.form != Form::kX || insn.mod[0] != 0)) {
        result.fault = FaultReport{
            Fault::kIllegalInstruction,
            isa::engine_refusal(insn, "simt_stack").value_or("BRA with a uniform register needs .DIV or .CONV")};
        return;
    }
    result.event.kind = StepEvent::Kind::kBranch;
    if (executed.none() || (is_uniform && executed != state.mask)) {
        next_instruction(state, insn);
        return;
    }
    if (executed != state.mask) {
        divergent(executed.lowest(), 0,
                  fmt::format("threads {} would jump and {} would not; all active threads jump or none",
                              text_of(executed), text_of(state.mask & ~executed)),
                  result);
        return;
    }
    const std::optional<Pc> target = common_target(insn, operands, executed, result);
    if (!target || refused(executed.lowest(), *target, program_bytes, result)) {
        return;
    }
    result.event.jumped = executed;
    state.pc = *target;
}

void nanosleep(State &state, const isa::Instruction &insn, const Operands &operands, LaneMask executed,
               StepResult &result) {
    next_instruction(state, insn);
    const std::uint32_t time = executed.any() ? sleep_time(insn, operands, executed) : 0;
    if (time != 0) {
        result.event.kind = StepEvent::Kind::kSleep;
        result.sleep_ns = time;
        result.outcome = Outcome::kSleep;
    }
}

bool names_others(const State &state, const isa::Instruction &insn, const Operands &operands, LaneMask executed) {
    bool found = false;
    for_each_lane(executed, [&](unsigned lane) {
        const std::uint64_t operand = insn.form == Form::kR   ? operands.vectors[0][lane]
                                      : insn.form == Form::kI ? static_cast<std::uint64_t>(insn.imm)
                                                              : operands.scalar;
        const LaneMask members(static_cast<std::uint32_t>(insn.bitnot ? ~operand : operand));
        found = found || members != state.mask;
    });
    return found;
}

} // namespace smsim::bru::simt_stack
