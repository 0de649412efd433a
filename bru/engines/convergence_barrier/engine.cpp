// Dispatches control instructions to their rules.
#include "bru/engines/convergence_barrier/engine.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "bru/engines/common/traps.h"
#include "bru/engines/convergence_barrier/barrier_registers.h"
#include "bru/engines/convergence_barrier/branches.h"
#include "bru/engines/convergence_barrier/warpsync.h"
#include "bru/engines/convergence_barrier/yield_and_exit.h"

namespace smsim::bru::convergence_barrier {
namespace {

using isa::Op;

// Whether the parking rule applies: for instructions that synchronise or give a turn, which act for all active threads
// or for none.
bool acts_as_one(Op op) {
    return op == Op::kBsync || op == Op::kWarpsync || op == Op::kYield || op == Op::kNanosleep;
}

void park_executing(ControlState &state, LaneMask pmask, StepResult &result) {
    if (pmask.any()) {
        result.event.kind = StepEvent::Kind::kParked;
    }
    park(state, pmask, state.active_pc);
    state.active &= ~pmask;
    next_instruction(state);
}

void dispatch(WarpControl &warp, const isa::Instruction &insn, const Operands &operands, const Rules &rules,
              Pc program_bytes, bool first_after_turn, StepResult &result) {
    ControlState &state = warp.state;
    const LaneMask pmask = result.executed;
    switch (insn.op) {
    case Op::kBra:
    case Op::kBrx:
    case Op::kCall:
    case Op::kRet:
        branch(warp, insn, operands, pmask, program_bytes, rules, result);
        break;
    case Op::kLepc:
        lepc(state, insn, pmask, result);
        break;
    case Op::kBssy:
        bssy(state, insn, pmask);
        break;
    case Op::kBreak:
        break_barrier(state, insn, pmask);
        break;
    case Op::kBmov:
        bmov(state, insn, operands, pmask, result);
        break;
    case Op::kBsync:
        bsync(warp, insn, first_after_turn, rules, result);
        break;
    case Op::kWarpsync:
        warpsync(warp, insn, operands, rules, result);
        break;
    case Op::kYield:
        yield(warp, rules, result);
        break;
    case Op::kNanosleep:
        nanosleep(warp, insn, operands, rules, result);
        break;
    case Op::kExit:
        exit_threads(warp, pmask, rules, result);
        break;
    case Op::kTrap:
        state.active_pc =
            trap(warp.trap, state.active_pc, insn, operands, pmask, rules.config.trap_handler, program_bytes, result);
        break;
    case Op::kRtt:
        state.active_pc = return_from_trap(warp.trap, state.active_pc, pmask, result);
        break;
    case Op::kSyscall:
        if (pmask.any()) {
            result.event.kind = StepEvent::Kind::kSyscall;
        }
        next_instruction(state);
        break;
    default:
        result.fault =
            FaultReport{Fault::kIllegalInstruction,
                        fmt::format("operation {:#04x} is not one of the branch unit", static_cast<unsigned>(insn.op))};
        break;
    }
}

} // namespace

StepResult execute_step(WarpControl &warp, const isa::Instruction &insn, const Operands &operands, const Rules &rules,
                        Pc program_bytes) {
    StepResult result;
    ControlState &state = warp.state;
    if (state.active.none()) {
        result.fault = FaultReport{Fault::kIllegalInstruction, "the warp has no active thread"};
        return result;
    }
    catch_up(warp, insn.pc);
    const bool first_after_turn = std::exchange(warp.turn_given, false);
    result.event.active = state.active;
    result.executed = state.active & operands.guard;
    const isa::OpSpec *spec = isa::find_op(static_cast<std::uint8_t>(insn.op));
    if (spec != nullptr && spec->has(isa::kGuardPp)) {
        result.executed &= operands.guard_pp;
    }
    if (acts_as_one(insn.op) && result.executed != state.active) {
        park_executing(state, result.executed, result);
    } else {
        dispatch(warp, insn, operands, rules, program_bytes, first_after_turn, result);
    }
    if (result.fault) {
        warp.turn_given = first_after_turn;
        return result;
    }
    if (result.event.kind != StepEvent::Kind::kSync || result.event.passed) {
        make_progress(state);
    }
    if (state.active != result.event.active && rules.needs_waiting_places()) {
        update_waiting_places(warp, result.event.active);
    }
    result.next_pc = state.active_pc;
    result.next_active = state.active;
    return result;
}

Engine::Engine(const BruConfig &config, std::uint32_t warps)
    : config_(config), paths_(make_path_choice(config, warps)), warps_(warps), program_bytes_(warps) {}

void Engine::start(WarpSlot warp, Pc entry, LaneMask valid, Pc program_bytes) {
    warps_.at(warp.value()) = started(entry, valid);
    program_bytes_.at(warp.value()) = program_bytes;
    if (paths_ != nullptr) {
        paths_->started(warp);
    }
}

StepResult Engine::execute(WarpSlot warp, const isa::Instruction &insn, const Operands &operands) {
    return execute_step(warps_.at(warp.value()), insn, operands, Rules(config_, paths_.get(), warp),
                        program_bytes_[warp.value()]);
}

void Engine::timer_expired(WarpSlot warp) {
    clear_sleep(warps_.at(warp.value()).state);
}

void Engine::restore(WarpSlot warp, const std::any &saved) {
    warps_.at(warp.value()) = std::any_cast<const WarpControl &>(saved);
}

ControlSnapshot Engine::snapshot(WarpSlot warp, const Untold &untold) const {
    if (!untold.next && !untold.timer_expired) {
        return snapshot_of(warps_.at(warp.value()).state);
    }
    WarpControl copy = warps_.at(warp.value());
    if (untold.timer_expired) {
        clear_sleep(copy.state);
    }
    if (untold.next) {
        catch_up(copy, *untold.next);
    }
    return snapshot_of(copy.state);
}

std::string Engine::describe(WarpSlot warp) const {
    const WarpControl &control = warps_.at(warp.value());
    std::string text = description_of(control.state);
    if (control.state.valid.any() && control.trap.in_handler) {
        text += fmt::format("; in the handler of TRAP {}", control.trap.index);
    }
    return text;
}

std::optional<LevelName> Engine::measured() const {
    return LevelName{"b_registers", "B registers of a warp that hold threads"};
}

std::uint64_t Engine::level(WarpSlot warp) const {
    const auto &b = warps_.at(warp.value()).state.b;
    return static_cast<std::uint64_t>(std::ranges::count_if(b, [](LaneMask held) { return held.any(); }));
}

} // namespace smsim::bru::convergence_barrier
