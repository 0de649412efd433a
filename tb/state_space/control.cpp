// One overload for each engine.
#include "tb/state_space/control.h"

#include <fmt/format.h>

#include "bru/engines/convergence_barrier/engine.h"
#include "model/error.h"
#include "tb/independent_rules/branch_rules.h"
#include "tb/independent_rules/comparison.h"
#include "tb/independent_rules/simt_rules.h"
#include "tb/independent_rules/token_rules.h"

namespace smsim::state_space {
namespace {

namespace cb = bru::convergence_barrier;
namespace simt = bru::simt_stack;
namespace token = bru::token_stack;

template <typename... Functions> struct Overloaded : Functions... { using Functions::operator()...; };
template <typename... Functions> Overloaded(Functions...) -> Overloaded<Functions...>;

ControlStep execute(cb::WarpControl &warp, const isa::Instruction &insn, const bru::Operands &operands,
                    const ControlRules &rules, Pc bytes) {
    if (rules.other_rules) {
        return {independent_rules::execute_step(warp, insn, operands, rules.bru, bytes, rules.readings), {}};
    }
    cb::WarpControl second = warp;
    bru::StepResult result = cb::execute_step(warp, insn, operands, rules.bru, bytes);
    const bru::StepResult other = independent_rules::execute_step(second, insn, operands, rules.bru, bytes);
    auto dispute =
        independent_rules::difference(independent_rules::Behind<cb::WarpControl>{warp, result}, {second, other});
    return {std::move(result), std::move(dispute)};
}

/// The two stacks.
template <typename Counters, typename Warp>
ControlStep execute_on_stack(Warp &warp, const isa::Instruction &insn, const bru::Operands &operands,
                             const BruConfig &config) {
    Warp second = warp;
    Counters counted;
    Counters counted_too;
    bru::StepResult result = execute_step(warp, insn, operands, config, counted);
    const bru::StepResult other = independent_rules::second_step(second, insn, operands, config, counted_too);
    auto dispute = independent_rules::difference(independent_rules::Behind<Warp>{warp, result}, {second, other});
    if (!dispute) {
        dispute = independent_rules::difference(counted, counted_too);
    }
    return {std::move(result), std::move(dispute)};
}

std::optional<std::string> violation(const cb::ControlState &state, LaneMask started, bool exited) {
    LaneMask all = state.active | state.yield | state.sleep | state.switch_set | state.wait | state.turn;
    for (const LaneMask barrier : state.b) {
        all |= barrier;
    }
    if (!state.valid.contains(all) || !started.contains(state.valid)) {
        return "a mask or B register holds threads that have exited";
    }
    if (state.active.none() != exited) {
        return "the warp lives without an active thread";
    }
    if (!state.wait.contains(state.wait_bar)) {
        return "WaitBarMask is not inside WaitMask";
    }
    return std::nullopt;
}

std::optional<std::string> violation(const simt::State &state, LaneMask started, bool exited) {
    LaneMask all = state.mask;
    for (const simt::Entry &entry : state.stack) {
        all |= entry.mask;
    }
    if (all != (exited ? LaneMask() : started)) {
        return fmt::format("threads {:#x} run or wait, of {:#x}", all.bits(), started.bits());
    }
    if (state.mask.none() != exited) {
        return "the warp lives without an active thread";
    }
    if (state.stack.empty() && !exited && state.mask != started) {
        return "the stack is empty, and not all threads are active";
    }
    return std::nullopt;
}

std::optional<std::string> violation(const token::ControlState &state, LaneMask started, bool exited) {
    LaneMask all = state.active;
    for (const token::Token &token : state.stack) {
        all |= token.mask;
        const bool waits_for_active = token.kind != token::TokenKind::kDiv;
        if (waits_for_active ? !token.mask.contains(state.active) : (token.mask & state.active).any()) {
            return fmt::format("a token {} holds {:#x} while {:#x} are active", token_name(token.kind),
                               token.mask.bits(), state.active.bits());
        }
    }
    if (all != state.valid || !started.contains(state.valid)) {
        return fmt::format("threads {:#x} run or wait, and {:#x} are valid", all.bits(), state.valid.bits());
    }
    if (state.active.none() != exited || state.valid.none() != exited) {
        return "the warp lives without an active thread";
    }
    return std::nullopt;
}

} // namespace

Control control_at_start(const Program &program, Pc entry, LaneMask valid) {
    if (program.engine == "simt_stack") {
        return simt::Warp{simt::started(entry, valid), {}, {program.size_bytes(), &program}};
    }
    if (program.engine == "token_stack") {
        return token::Warp{token::started(entry, valid), {}, program.size_bytes()};
    }
    if (program.engine != kDefaultEngine) {
        throw InputError(fmt::format("search: there is no engine '{}'", program.engine));
    }
    return cb::started(entry, valid);
}

Pc pc_of(const Control &control) {
    return std::visit(Overloaded{[](const cb::WarpControl &warp) { return warp.state.active_pc; },
                                 [](const auto &warp) { return warp.state.pc; }},
                      control);
}

LaneMask active_in(const Control &control) {
    return std::visit(Overloaded{[](const simt::Warp &warp) { return warp.state.mask; },
                                 [](const auto &warp) { return warp.state.active; }},
                      control);
}

void catch_up(Control &control, Pc next) {
    std::visit(
        Overloaded{[&](cb::WarpControl &warp) { cb::catch_up(warp, next); }, [&](auto &warp) { warp.state.pc = next; }},
        control);
}

void timer_fires(Control &control) {
    if (auto *warp = std::get_if<cb::WarpControl>(&control)) {
        cb::clear_sleep(warp->state);
    }
}

LaneMask could_run_beside(const Control &before, const isa::Instruction &insn) {
    const auto *warp = std::get_if<cb::WarpControl>(&before);
    if (warp == nullptr) {
        return LaneMask();
    }
    const cb::ControlState &state = warp->state;
    const LaneMask others = state.valid & ~state.active & ~state.sleep & ~state.wait;
    // Threads at a WARPSYNC have arrived, and also wait.
    return insn.op == isa::Op::kWarpsync ? others & ~cb::standing_at(state, insn.pc) : others;
}

ControlStep execute_control(Control &control, const isa::Instruction &insn, const bru::Operands &operands,
                            const ControlRules &rules, Pc program_bytes) {
    return std::visit(
        Overloaded{
            [&](cb::WarpControl &warp) { return execute(warp, insn, operands, rules, program_bytes); },
            [&](simt::Warp &warp) { return execute_on_stack<simt::Counters>(warp, insn, operands, rules.bru); },
            [&](token::Warp &warp) { return execute_on_stack<token::Counters>(warp, insn, operands, rules.bru); }},
        control);
}

std::optional<std::string> violation_of(const Control &control, LaneMask started, bool exited) {
    return std::visit([&](const auto &warp) { return violation(warp.state, started, exited); }, control);
}

std::string text_of(const Control &control) {
    return std::visit(Overloaded{[](const cb::WarpControl &warp) {
                                     const cb::ControlState &state = warp.state;
                                     std::string text =
                                         fmt::format("valid {:#x}, active {:#x} at {:#06x}", state.valid.bits(),
                                                     state.active.bits(), state.active_pc);
                                     for_each_lane(state.valid & ~state.active, [&](unsigned lane) {
                                         text += fmt::format(", {} at {:#06x}", lane, state.rpc[lane]);
                                     });
                                     return text;
                                 },
                                 [](const auto &warp) { return description_of(warp.state); }},
                      control);
}

} // namespace smsim::state_space
