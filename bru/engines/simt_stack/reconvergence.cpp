// Where threads diverge and reconverge.
#include "bru/engines/simt_stack/reconvergence.h"

#include <limits>

#include <fmt/format.h>

#include "bru/engines/common/targets.h"
#include "bru/engines/common/values.h"

namespace smsim::bru::simt_stack {
namespace {

using isa::Op;

bool holds(Op op, std::uint32_t a, std::uint32_t b) {
    const auto signed_a = static_cast<std::int32_t>(a);
    const auto signed_b = static_cast<std::int32_t>(b);
    switch (op) {
    case Op::kVbeq:
        return a == b;
    case Op::kVbne:
        return a != b;
    case Op::kVblt:
        return signed_a < signed_b;
    case Op::kVbge:
        return signed_a >= signed_b;
    case Op::kVbltu:
        return a < b;
    default: // VBGEU
        return a >= b;
    }
}

bool taken_side_first(SimtStackOrder order, LaneMask taken, LaneMask fall) {
    switch (order) {
    case SimtStackOrder::kMinorityFirst:
        return taken.count() <= fall.count();
    case SimtStackOrder::kFallthroughFirst:
        return false;
    case SimtStackOrder::kTakenFirst:
        break;
    }
    return true;
}

} // namespace

std::size_t depth_limit(const SimtStackConfig &config) {
    if (config.depth < 0) {
        return config.order == SimtStackOrder::kMinorityFirst ? kLanes : 2 * (kLanes - 1);
    }
    return config.depth == 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(config.depth);
}

bool Code::is_join(Pc pc) const {
    return program == nullptr || (program->contains(pc) && program->at(pc).op == Op::kJoin);
}

LaneMask threads_that_hold(const isa::Instruction &insn, const Operands &operands, LaneMask mask) {
    LaneMask held;
    for_each_lane(mask, [&](unsigned lane) {
        if (holds(insn.op, static_cast<std::uint32_t>(operands.vectors[0][lane]),
                  static_cast<std::uint32_t>(operands.vectors[1][lane]))) {
            held |= LaneMask::lane(lane);
        }
    });
    return held;
}

void vector_branch(State &state, const isa::Instruction &insn, const Operands &operands, const Code &code,
                   const SimtStackConfig &config, StepResult &result) {
    const LaneMask taken = threads_that_hold(insn, operands, state.mask);
    const LaneMask fall = state.mask & ~taken;
    const Pc next = insn.pc + kInstructionBytes;
    const Pc target = target_of(insn, 0);
    result.event.kind = StepEvent::Kind::kBranch;
    result.event.jumped = taken;
    if (taken.none()) {
        state.pc = next;
        return;
    }
    if (refused(taken.lowest(), target, code.bytes, result)) {
        return;
    }
    if (fall.none()) {
        state.pc = target;
        return;
    }
    if (!code.is_join(state.rpc)) {
        result.fault = FaultReport{
            Fault::kBadReconvergence,
            fmt::format(
                "threads {} jump and {} do not, and rpc is {}, where there is no JOIN; expected SETRPC before it",
                text_of(taken), text_of(fall), text_of_pc(state.rpc))};
        result.fault_lane = taken.lowest();
        result.fault_value = state.rpc;
        return;
    }
    if (const std::size_t limit = depth_limit(config); state.stack.size() + 2 > limit) {
        result.fault = FaultReport{Fault::kStackOverflow,
                                   fmt::format("the stack has {} entries, and two more are beyond its depth of {} "
                                               "(bru.simt_stack.depth)",
                                               state.stack.size(), limit)};
        result.fault_lane = taken.lowest();
        result.fault_value = state.stack.size();
        return;
    }
    const Entry jumps{state.rpc, target, taken};
    const Entry stays{state.rpc, next, fall};
    const bool taken_first = taken_side_first(config.order, taken, fall);
    state.stack.push_back({state.rpc, state.rpc, state.mask});
    state.stack.push_back(taken_first ? stays : jumps);
    state.mask = taken_first ? taken : fall;
    state.pc = taken_first ? target : next;
    result.event.split = true;
}

void join(State &state, const isa::Instruction &insn, StepResult &result) {
    result.event.kind = StepEvent::Kind::kSync;
    if (state.stack.empty() || state.stack.back().rpc != insn.pc) {
        result.event.passed = true;
        state.pc = insn.pc + kInstructionBytes;
        return;
    }
    state.pc = state.stack.back().pc;
    state.mask = state.stack.back().mask;
    state.stack.pop_back();
}

void end_program(State &state, StepResult &result) {
    if (!state.stack.empty()) {
        LaneMask lost;
        for (const Entry &entry : state.stack) {
            lost |= entry.mask & ~state.mask;
        }
        result.fault =
            FaultReport{Fault::kStackLeak, fmt::format("the stack has {} entries, and threads {} wait in them",
                                                       state.stack.size(), text_of(lost))};
        result.fault_lane = lost.any() ? lost.lowest() : state.mask.lowest();
        result.fault_value = state.stack.size();
        return;
    }
    result.event.kind = StepEvent::Kind::kExit;
    result.outcome = Outcome::kExited;
    state.mask = LaneMask();
}

} // namespace smsim::bru::simt_stack
