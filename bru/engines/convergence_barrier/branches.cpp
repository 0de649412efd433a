// Jumps of threads.
#include "bru/engines/convergence_barrier/branches.h"

#include "bru/engines/common/targets.h"
#include "bru/engines/convergence_barrier/election.h"

namespace smsim::bru::convergence_barrier {
namespace {

using isa::BraCondition;
using isa::Form;
using isa::Op;

// The threads of `jumping` leave; the other active ones fall through and go first.
void fall_through(ControlState &state, LaneMask jumping) {
    state.active &= ~jumping;
    next_instruction(state);
}

// The threads of `jumping` go first; the other active ones wait after the jump.
void leave_behind(ControlState &state, LaneMask jumping) {
    park(state, state.active & ~jumping, state.active_pc + kInstructionBytes);
    state.active = jumping;
}

// All threads jump to `target`, or only those of `jumping` do and one side goes first.
void jump_together(ControlState &state, LaneMask jumping, Pc target, const Rules &rules) {
    if (jumping == state.active) {
        state.active_pc = target;
    } else if (rules.config.branch_order == BranchOrder::kTakenFirst) {
        leave_behind(state, jumping);
        state.active_pc = target;
    } else {
        park(state, jumping, target);
        fall_through(state, jumping);
    }
}

// Each thread of `jumping` has a target of its own.
void jump_apart(WarpControl &warp, const isa::Instruction &insn, const Operands &operands, LaneMask jumping,
                const Rules &rules) {
    ControlState &state = warp.state;
    const bool all = jumping == state.active;
    for_each_lane(jumping, [&](unsigned lane) { state.rpc[lane] = target_of(insn, operands.vectors[0][lane]); });
    if (!all && rules.config.branch_order == BranchOrder::kFallThroughFirst) {
        fall_through(state, jumping);
        return;
    }
    if (!all) {
        leave_behind(state, jumping);
    }
    state.active_pc = state.rpc[leader(warp, jumping, rules)];
    state.active = with_rpc(state, state.active_pc, jumping);
}

} // namespace

bool sees_divergence(const ControlState &state, LaneMask pmask, std::optional<LaneMask> members) {
    if (!members) {
        return pmask != state.valid;
    }
    if ((*members & state.valid & ~state.active).any()) {
        return true;
    }
    const bool disagree = pmask.any() && pmask != state.active;
    return disagree && (state.active & ~pmask & *members).any();
}

LaneMask jumping_threads(const ControlState &state, const isa::Instruction &insn, LaneMask pmask,
                         std::optional<LaneMask> members) {
    if (insn.op != Op::kBra) {
        return pmask;
    }
    const LaneMask all_or_guarded = members ? state.active : pmask;
    switch (static_cast<BraCondition>(insn.mod[0])) {
    case BraCondition::kNone:
        return pmask;
    case BraCondition::kUniform:
        return pmask == state.active ? state.active : LaneMask();
    case BraCondition::kDivergent:
        return pmask.any() && sees_divergence(state, pmask, members) ? all_or_guarded : LaneMask();
    case BraCondition::kConvergent:
        return pmask.any() && !sees_divergence(state, pmask, members) ? all_or_guarded : LaneMask();
    }
    return LaneMask();
}

void branch(WarpControl &warp, const isa::Instruction &insn, const Operands &operands, LaneMask pmask, Pc program_bytes,
            const Rules &rules, StepResult &result) {
    ControlState &state = warp.state;
    result.event.kind = StepEvent::Kind::kBranch;
    std::optional<LaneMask> members;
    if (insn.op == Op::kBra && insn.form == Form::kU) {
        const auto condition = static_cast<BraCondition>(insn.mod[0]);
        if (condition != BraCondition::kDivergent && condition != BraCondition::kConvergent) {
            result.fault = FaultReport{Fault::kIllegalInstruction, "BRA with a uniform register needs .DIV or .CONV"};
            result.fault_lane = state.active.lowest();
            return;
        }
        const LaneMask value(static_cast<std::uint32_t>(operands.scalar));
        members = insn.bitnot ? ~value : value;
    }
    const LaneMask jumping = jumping_threads(state, insn, pmask, members);
    result.event.jumped = jumping;
    if (jumping.none()) {
        next_instruction(state);
        return;
    }
    const LaneMask before = state.active;
    if (insn.form == Form::kR) {
        for (LaneMask rest = jumping; rest.any(); rest &= ~LaneMask::lane(rest.lowest())) {
            const unsigned lane = rest.lowest();
            if (refused(lane, target_of(insn, operands.vectors[0][lane]), program_bytes, result)) {
                return;
            }
        }
        jump_apart(warp, insn, operands, jumping, rules);
    } else {
        const Pc target = target_of(insn, operands.scalar);
        if (refused(jumping.lowest(), target, program_bytes, result)) {
            return;
        }
        jump_together(state, jumping, target, rules);
    }
    result.event.split = state.active != before;
}

void lepc(ControlState &state, const isa::Instruction &insn, LaneMask pmask, StepResult &result) {
    result.write_lanes = pmask;
    result.value = effective_pc(insn, state.active_pc);
    next_instruction(state);
}

} // namespace smsim::bru::convergence_barrier
