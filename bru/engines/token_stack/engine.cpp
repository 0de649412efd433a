// Dispatches control instructions to their rules.
#include "bru/engines/token_stack/engine.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "bru/engines/common/targets.h"
#include "bru/engines/common/values.h"
#include "bru/engines/token_stack/branches.h"
#include "bru/engines/token_stack/calls.h"
#include "bru/engines/token_stack/regions.h"
#include "bru/engines/token_stack/tokens.h"
#include "bru/engines/token_stack/warpsync.h"
#include "model/isa/engine_operations.h"

namespace smsim::bru::token_stack {
namespace {

using isa::Form;
using isa::Op;

/// Targets of the threads of a jump or call, from whichever operand holds them.
Targets targets_of(const isa::Instruction &insn, const Operands &operands) {
    const bool relative = insn.op == Op::kTokenBra || insn.op == Op::kTokenBrx;
    const auto target = [&](std::uint64_t value) {
        const auto narrow = static_cast<std::uint32_t>(value);
        const std::int64_t immediate = insn.form == Form::kR ? insn.imm : 0;
        return relative ? relative_target(insn.pc, narrow, immediate) : absolute_target(narrow, immediate);
    };
    Targets targets;
    if (const auto named = isa::named_address(insn)) {
        targets.fill(*named);
    } else if (insn.form == Form::kR) {
        std::ranges::transform(operands.vectors[0], targets.begin(), target);
    } else {
        targets.fill(target(operands.scalar));
    }
    return targets;
}

TokenKind opened_kind(Op op) {
    return op == Op::kSsy ? TokenKind::kSync : op == Op::kPbk ? TokenKind::kBrk : TokenKind::kCont;
}

TokenKind left_kind(Op op) {
    return op == Op::kBrk ? TokenKind::kBrk : op == Op::kCont ? TokenKind::kCont : TokenKind::kRet;
}

/// The kind under which `op` is counted when the threads `executing` execute it.
StepEvent::Kind event_kind(Op op, LaneMask executing) {
    if (isa::is_token_jump(op)) {
        return StepEvent::Kind::kBranch;
    }
    if (op == Op::kExit) {
        return StepEvent::Kind::kExit;
    }
    const bool syncs = isa::leaves_region(op) || op == Op::kWarpsync;
    return syncs && executing.any() ? StepEvent::Kind::kSync : StepEvent::Kind::kPlain;
}

/// The rule of an instruction specific to this engine, or of EXIT and WARPSYNC.
Effect apply_rule(Warp &warp, const isa::Instruction &insn, const Operands &operands, LaneMask executing,
                  const TokenStackConfig &config) {
    ControlState &state = warp.state;
    switch (insn.op) {
    case Op::kSsy:
    case Op::kPbk:
    case Op::kPcnt:
        return open_region(state, opened_kind(insn.op), *isa::named_address(insn), warp.program_bytes, config);
    case Op::kPret:
        return prepare_return(state, *isa::named_address(insn), warp.program_bytes, config);
    case Op::kCal:
        return call(state, executing, targets_of(insn, operands), warp.program_bytes, config);
    case Op::kSync:
        return sync(state, executing);
    case Op::kBrk:
    case Op::kCont:
    case Op::kTokenRet:
        return leave_region(state, left_kind(insn.op), executing);
    case Op::kExit:
        return exit_threads(state, executing);
    case Op::kWarpsync:
        return warpsync(state, executing, member_masks(insn, operands, state.valid));
    default: { // BRA, BRX, JMP, JMX
        const LaneMask jumping =
            jumping_threads(state, executing, isa::is_unanimous(insn), isa::obeys_call_limit(insn));
        return branch(state, jumping, targets_of(insn, operands), warp.program_bytes, config);
    }
    }
}

void take_over(Effect &&effect, Op op, StepResult &result, Counters &counters) {
    if (effect.violation) {
        result.fault = FaultReport{effect.violation->fault, std::move(effect.violation->detail)};
        result.fault_lane = effect.violation->lane;
        result.fault_value = effect.violation->value;
        return;
    }
    result.outcome = effect.outcome;
    result.event.kind = event_kind(op, result.executed);
    result.event.jumped = effect.jumped;
    result.event.split = effect.split;
    result.event.passed = op == Op::kWarpsync || (effect.resumed && effect.resumed != TokenKind::kDiv);
    counters.limited += effect.limited ? 1 : 0;
}

bool is_own(Op op) {
    const isa::OpSpec *spec = isa::find_op(static_cast<std::uint8_t>(op));
    return spec != nullptr && spec->unit == isa::Unit::kBranch && isa::engine_has("token_stack", op);
}

void nanosleep(ControlState &state, const isa::Instruction &insn, const Operands &operands, LaneMask executing,
               StepResult &result) {
    next_instruction(state);
    const std::uint32_t time = executing.any() ? sleep_time(insn, operands, executing) : 0;
    if (time != 0) {
        result.event.kind = StepEvent::Kind::kSleep;
        result.sleep_ns = time;
        result.outcome = Outcome::kSleep;
    }
}

void dispatch(Warp &warp, const isa::Instruction &insn, const Operands &operands, const BruConfig &config,
              Counters &counters, StepResult &result) {
    ControlState &state = warp.state;
    const LaneMask executing = result.executed;
    switch (insn.op) {
    case Op::kLepc:
        result.write_lanes = executing;
        result.value = effective_pc(insn, insn.pc);
        next_instruction(state);
        break;
    case Op::kNanosleep:
        nanosleep(state, insn, operands, executing, result);
        break;
    case Op::kTrap:
        state.pc = trap(warp.trap, insn.pc, insn, operands, executing, config.trap_handler, warp.program_bytes, result);
        break;
    case Op::kRtt:
        state.pc = return_from_trap(warp.trap, insn.pc, executing, result);
        break;
    case Op::kSyscall:
        if (executing.any()) {
            result.event.kind = StepEvent::Kind::kSyscall;
        }
        next_instruction(state);
        break;
    default:
        if (!is_own(insn.op)) {
            result.fault = FaultReport{Fault::kIllegalInstruction,
                                       isa::engine_refusal(insn, "token_stack")
                                           .value_or(fmt::format("operation {:#04x} is not one of the branch unit",
                                                                 static_cast<unsigned>(insn.op)))};
            break;
        }
        take_over(apply_rule(warp, insn, operands, executing, config.token_stack), insn.op, result, counters);
        break;
    }
}

} // namespace

StepResult execute_step(Warp &warp, const isa::Instruction &insn, const Operands &operands, const BruConfig &config,
                        Counters &counters) {
    StepResult result;
    ControlState &state = warp.state;
    if (state.active.none()) {
        result.fault = FaultReport{Fault::kIllegalInstruction, "the warp has no active thread"};
        return result;
    }
    state.pc = insn.pc; // instructions of other units may have been executed since
    result.event.active = state.active;
    result.executed = state.active & operands.guard;
    const isa::OpSpec *spec = isa::find_op(static_cast<std::uint8_t>(insn.op));
    if (spec != nullptr && (spec->has(isa::kGuardPp) || spec->has(isa::kConditionTest))) {
        result.executed &= operands.guard_pp;
    }
    const std::size_t tokens = state.stack.size();
    dispatch(warp, insn, operands, config, counters, result);
    if (result.fault) {
        counters.overflows += result.fault->fault == Fault::kStackOverflow ? 1 : 0;
        return result;
    }
    const Transfers moved = transfers_between(tokens, state.stack.size(), config.token_stack.depth);
    for (std::size_t i = tokens; i < state.stack.size(); ++i) { // no instruction both pops and pushes
        ++counters.pushes.at(static_cast<std::size_t>(state.stack[i].kind));
    }
    counters.pops += tokens > state.stack.size() ? tokens - state.stack.size() : 0;
    counters.depth = std::max<std::uint64_t>(counters.depth, state.stack.size());
    counters.spilled += moved.spilled;
    counters.filled += moved.filled;
    result.extra_cycles = (moved.spilled + moved.filled) * config.token_stack.spill_cycles;
    counters.spill_cycles += result.extra_cycles;
    result.next_pc = state.pc;
    result.next_active = state.active;
    return result;
}

Engine::Engine(const BruConfig &config, std::uint32_t warps) : config_(config), warps_(warps) {}

void Engine::start(WarpSlot warp, Pc entry, LaneMask valid, Pc program_bytes) {
    warps_.at(warp.value()) = {started(entry, valid), {}, program_bytes};
}

StepResult Engine::execute(WarpSlot warp, const isa::Instruction &insn, const Operands &operands) {
    return execute_step(warps_.at(warp.value()), insn, operands, config_, counters_);
}

void Engine::restore(WarpSlot warp, const std::any &saved) {
    warps_.at(warp.value()) = std::any_cast<const Warp &>(saved);
}

ControlSnapshot Engine::snapshot(WarpSlot warp, const Untold &untold) const {
    const ControlState &state = warps_.at(warp.value()).state;
    return snapshot_of(state, untold.next.value_or(state.pc));
}

std::string Engine::describe(WarpSlot warp) const {
    const Warp &one = warps_.at(warp.value());
    std::string text = description_of(one.state);
    if (one.state.valid.any() && one.trap.in_handler) {
        text += fmt::format("; in the handler of TRAP {}", one.trap.index);
    }
    return text;
}

std::string Engine::held_back(WarpSlot warp) const {
    return held_back_in(warps_.at(warp.value()).state);
}

std::optional<LevelName> Engine::measured() const {
    return LevelName{"stack_depth", "tokens on the stack of a warp, with those in memory"};
}

std::vector<EngineCounter> Engine::counters() const {
    const auto &pushes = counters_.pushes;
    const auto pushed = [&](TokenKind kind) { return pushes.at(static_cast<std::size_t>(kind)); };
    return {{"stack_depth", "most tokens that a stack had, with those in memory", counters_.depth},
            {"stack_pushes", "tokens pushed", std::accumulate(pushes.begin(), pushes.end(), std::uint64_t{0})},
            {"pushes_sync", "of these SYNC, by SSY", pushed(TokenKind::kSync)},
            {"pushes_div", "DIV, by branches that diverge", pushed(TokenKind::kDiv)},
            {"pushes_ret", "RET, by CAL and PRET", pushed(TokenKind::kRet)},
            {"pushes_brk", "BRK, by PBK", pushed(TokenKind::kBrk)},
            {"pushes_cont", "CONT, by PCNT", pushed(TokenKind::kCont)},
            {"stack_pops", "tokens popped, those left at the ends of warps included", counters_.pops},
            {"stack_overflows", "pushes that found no room", counters_.overflows},
            {"tokens_spilled", "tokens moved to memory", counters_.spilled},
            {"tokens_filled", "tokens brought back from memory", counters_.filled},
            {"spill_cycles", "cycles that moving them took", counters_.spill_cycles},
            {"calls_at_limit", "CAL and PRET that found the call limit reached", counters_.limited}};
}

} // namespace smsim::bru::token_stack
