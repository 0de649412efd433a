// Dispatches control instructions to their rules.
#include "bru/engines/simt_stack/engine.h"

#include <algorithm>

#include <fmt/format.h>

#include "bru/engines/common/targets.h"
#include "bru/engines/simt_stack/jumps.h"
#include "model/isa/engine_operations.h"

namespace smsim::bru::simt_stack {
namespace {

using isa::Op;

void dispatch(Warp &warp, const isa::Instruction &insn, const Operands &operands, const BruConfig &config,
              Counters &counters, StepResult &result) {
    State &state = warp.state;
    const LaneMask executed = result.executed;
    const Pc next = insn.pc + kInstructionBytes;
    switch (insn.op) {
    case Op::kVbeq:
    case Op::kVbne:
    case Op::kVblt:
    case Op::kVbge:
    case Op::kVbltu:
    case Op::kVbgeu:
        vector_branch(state, insn, operands, warp.code, config.simt_stack, result);
        break;
    case Op::kSetrpc:
        state.rpc = target_of(insn, 0);
        state.pc = next;
        break;
    case Op::kJoin:
        join(state, insn, result);
        break;
    case Op::kEndprg:
        end_program(state, result);
        break;
    case Op::kBra:
    case Op::kBrx:
    case Op::kCall:
    case Op::kRet:
        jump(state, insn, operands, executed, warp.code.bytes, result);
        break;
    case Op::kLepc:
        result.write_lanes = executed;
        result.value = effective_pc(insn, insn.pc);
        state.pc = next;
        break;
    case Op::kWarpsync:
        counters.warpsync_partial += names_others(state, insn, operands, executed) ? 1 : 0;
        state.pc = next;
        break;
    case Op::kNanosleep:
        nanosleep(state, insn, operands, executed, result);
        break;
    case Op::kTrap:
        state.pc = trap(warp.trap, insn.pc, insn, operands, executed, config.trap_handler, warp.code.bytes, result);
        break;
    case Op::kRtt:
        state.pc = return_from_trap(warp.trap, insn.pc, executed, result);
        break;
    case Op::kSyscall:
        if (executed.any()) {
            result.event.kind = StepEvent::Kind::kSyscall;
        }
        state.pc = next;
        break;
    default:
        result.fault = FaultReport{Fault::kIllegalInstruction,
                                   isa::engine_refusal(insn, "simt_stack")
                                       .value_or(fmt::format("operation {:#04x} is not one of the branch unit",
                                                             static_cast<unsigned>(insn.op)))};
        break;
    }
}

} // namespace

StepResult execute_step(Warp &warp, const isa::Instruction &insn, const Operands &operands, const BruConfig &config,
                        Counters &counters) {
    StepResult result;
    State &state = warp.state;
    if (state.mask.none()) {
        result.fault = FaultReport{Fault::kIllegalInstruction, "the warp has no active thread"};
        return result;
    }
    state.pc = insn.pc; // instructions of other units may have been executed since
    result.event.active = state.mask;
    result.executed = state.mask & operands.guard;
    const isa::OpSpec *spec = isa::find_op(static_cast<std::uint8_t>(insn.op));
    if (spec != nullptr && spec->has(isa::kGuardPp)) {
        result.executed &= operands.guard_pp;
    }
    const std::size_t entries = state.stack.size();
    dispatch(warp, insn, operands, config, counters, result);
    if (result.fault) {
        counters.overflows += result.fault->fault == Fault::kStackOverflow ? 1 : 0;
        return result;
    }
    if (state.stack.size() > entries) {
        counters.pushes += state.stack.size() - entries;
        counters.depth = std::max<std::uint64_t>(counters.depth, state.stack.size());
    }
    counters.pops += entries > state.stack.size() ? entries - state.stack.size() : 0;
    if (config.simt_stack.barrier_check && has_waiting_side(state)) {
        result.refuses_arrivals = kDivergedArrival;
    }
    result.next_pc = state.pc;
    result.next_active = state.mask;
    return result;
}

Engine::Engine(const BruConfig &config, std::uint32_t warps) : config_(config), warps_(warps) {}

void Engine::start(WarpSlot warp, Pc entry, LaneMask valid, Pc program_bytes) {
    warps_.at(warp.value()) = {started(entry, valid), {}, {program_bytes, nullptr}};
}

void Engine::runs(WarpSlot warp, const Program &program) {
    warps_.at(warp.value()).code.program = &program;
}

StepResult Engine::execute(WarpSlot warp, const isa::Instruction &insn, const Operands &operands) {
    return execute_step(warps_.at(warp.value()), insn, operands, config_, counters_);
}

void Engine::restore(WarpSlot warp, const std::any &saved) {
    const auto &from = std::any_cast<const Warp &>(saved);
    Warp &to = warps_.at(warp.value());
    to.state = from.state; // `start` and `runs` set its code
    to.trap = from.trap;
}

ControlSnapshot Engine::snapshot(WarpSlot warp, const Untold &untold) const {
    State state = warps_.at(warp.value()).state;
    state.pc = untold.next.value_or(state.pc);
    return snapshot_of(state);
}

std::string Engine::describe(WarpSlot warp) const {
    const Warp &one = warps_.at(warp.value());
    std::string text = description_of(one.state);
    if (one.state.mask.any() && one.trap.in_handler) {
        text += fmt::format("; in the handler of TRAP {}", one.trap.index);
    }
    return text;
}

std::string Engine::held_back(WarpSlot warp) const {
    return held_back_in(warps_.at(warp.value()).state);
}

std::optional<LevelName> Engine::measured() const {
    return LevelName{"stack_depth", "entries on the stack of a warp"};
}

std::vector<EngineCounter> Engine::counters() const {
    return {{"stack_depth", "most entries that a stack had", counters_.depth},
            {"stack_pushes", "entries pushed", counters_.pushes},
            {"stack_pops", "entries popped", counters_.pops},
            {"stack_overflows", "pushes beyond its depth", counters_.overflows},
            {"warpsync_partial", "WARPSYNC that names others than the active threads", counters_.warpsync_partial}};
}

} // namespace smsim::bru::simt_stack
