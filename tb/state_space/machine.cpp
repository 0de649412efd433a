// The functional machine: one step.
#include "tb/state_space/machine.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "bru/engines/convergence_barrier/engine.h"
#include "model/assembler/assembler.h"
#include "tb/readings/branch_rules.h"
#include "tb/readings/comparison.h"
#include "tb/state_space/flat_memory.h"

namespace smsim::state_space {
namespace {

using bru::convergence_barrier::ControlState;

using isa::Form;
using isa::Op;

std::uint32_t uniforms_of(const Program &program) {
    std::uint32_t count = 0;
    for (const isa::Instruction &insn : program.code) {
        const bool writes = insn.op == Op::kUmov || insn.op == Op::kR2ur || insn.op == Op::kS2ur;
        count = std::max(count, insn.ur == isa::kUrz ? 0U : insn.ur + 2U);
        count = std::max(count, writes ? insn.rd + 1U : 0U);
    }
    return std::min(count, 63U);
}

std::uint32_t registers_of(const Program &program) {
    std::uint32_t count = 8;
    for (const Kernel &kernel : program.kernels) {
        count = std::max(count, kernel.registers);
    }
    return (count + 7) / 8 * 8;
}

bool is_long_jump(Op op) {
    return op == Op::kCall || op == Op::kRet;
}

std::optional<std::string> violation(const WarpState &warp, LaneMask could_run) {
    const ControlState &control = warp.control.state;
    LaneMask all = control.active | control.yield | control.sleep | control.switch_set | control.wait | control.turn;
    for (const LaneMask barrier : control.b) {
        all |= barrier;
    }
    if (!control.valid.contains(all)) {
        return "a mask or B register holds threads that have exited";
    }
    if (control.active.none() != warp.exited) {
        return "the warp lives without an active thread";
    }
    if (!control.wait.contains(control.wait_bar)) {
        return "WaitBarMask is not inside WaitMask";
    }
    if (!warp.asleep && (control.active & warp.sleepers).any()) {
        return fmt::format("threads {:#x} run before their sleep has ended", (control.active & warp.sleepers).bits());
    }
    if (could_run.any()) {
        return fmt::format("the warp sleeps although threads {:#x} could run", could_run.bits());
    }
    return std::nullopt;
}

} // namespace

Program assemble_plain(const std::string &text) {
    return assemble(".kernel k\n.schedule manual\n" + text, "program", timing::SchedulingModel());
}

Machine::Machine(Setup setup)
    : setup_(std::move(setup)), other_rules_(readings::concerns_branches(setup_.readings)),
      registers_(registers_of(setup_.program)), uniforms_(uniforms_of(setup_.program)), scratch_(registers_) {
    if (setup_.threads.empty()) {
        throw InputError("search: a CTA has at least one warp");
    }
    for (const unsigned threads : setup_.threads) {
        if (threads == 0 || threads > kLanes) {
            throw InputError(fmt::format("search: a warp of {} threads; expected 1 to {}", threads, kLanes));
        }
    }
    banks_[0] = setup_.constants;
    for (const auto &[bank, bytes] : setup_.program.constants) {
        banks_[bank] = bytes;
    }
    const auto extent = static_cast<std::uint32_t>(setup_.threads.size() - 1) * kLanes + setup_.threads.back();
    for (std::uint32_t warp = 0; warp < setup_.threads.size(); ++warp) {
        identities_.push_back(sm::compute::WarpIdentity::of({0, 0, 0}, {extent, 1, 1}, {1, 1, 1}, warp, 0));
    }
}

State Machine::initial() const {
    State state{{},
                readings::Barriers(setup_.threads, setup_.readings),
                std::vector<std::uint8_t>(setup_.shared_bytes),
                std::vector<std::uint8_t>(setup_.global_bytes)};
    for (const unsigned threads : setup_.threads) {
        WarpState &warp = state.warps.emplace_back();
        warp.control = bru::convergence_barrier::started(setup_.entry, LaneMask::first(threads));
        warp.registers.resize(std::size_t{registers_} * threads);
        warp.uniforms.resize(uniforms_);
    }
    return state;
}

void Machine::moves(const State &state, std::vector<Move> &result) const {
    result.clear();
    for (std::uint32_t index = 0; index < state.warps.size(); ++index) {
        const WarpState &warp = state.warps[index];
        if (warp.exited) {
            continue;
        }
        const bool due = warp.timer && setup_.sleep_steps && warp.countdown == 0;
        if (!warp.asleep && !due && !state.barriers.state().blocked_at(index)) {
            result.push_back({index, false});
        }
        if (warp.timer && (due || warp.asleep || !setup_.sleep_steps)) {
            result.push_back({index, true});
        }
    }
}

bool Machine::finished(const State &state) {
    return std::all_of(state.warps.begin(), state.warps.end(), [](const WarpState &warp) { return warp.exited; });
}

Step Machine::apply(State &state, Move move) {
    WarpState &warp = state.warps[move.warp];
    Step step;
    could_run_ = LaneMask();
    dispute_.reset();
    if (move.expiry) {
        expire(warp);
    } else {
        // The first instruction after the one that has started the timer counts.
        const bool counts = warp.countdown > 0;
        step.fault = execute(state, move.warp);
        warp.countdown -= counts ? 1 : 0;
    }
    if (dispute_) {
        step.violation = "the branch unit and the rules written a second time disagree: " + *dispute_;
    } else if (!step.fault) {
        step.violation = violation(warp, could_run_);
    }
    return step;
}

void Machine::expire(WarpState &warp) const {
    bru::convergence_barrier::clear_sleep(warp.control.state);
    warp.sleepers = LaneMask();
    warp.timer = false;
    warp.countdown = 0;
    warp.asleep = false;
}

void Machine::load_registers(const WarpState &warp, std::uint32_t index) {
    const unsigned threads = setup_.threads[index];
    for (std::uint32_t reg = 0; reg < registers_; ++reg) {
        std::copy_n(warp.registers.begin() + std::ptrdiff_t{reg} * threads, threads,
                    scratch_.write(static_cast<std::uint8_t>(reg)).lane);
    }
    for (unsigned p = 0; p < warp.predicates.size(); ++p) {
        scratch_.set_predicate(static_cast<std::uint8_t>(p), warp.predicates[p], LaneMask::all());
    }
    for (std::uint32_t reg = 0; reg < uniforms_; ++reg) {
        scratch_.set_uniform(static_cast<std::uint8_t>(reg), warp.uniforms[reg]);
    }
}

void Machine::store_registers(WarpState &warp, std::uint32_t index) const {
    const unsigned threads = setup_.threads[index];
    for (std::uint32_t reg = 0; reg < registers_; ++reg) {
        std::copy_n(scratch_.read(static_cast<std::uint8_t>(reg)).lane, threads,
                    warp.registers.begin() + std::ptrdiff_t{reg} * threads);
    }
    for (unsigned p = 0; p < warp.predicates.size(); ++p) {
        warp.predicates[p] = scratch_.predicate(static_cast<std::uint8_t>(p));
    }
    for (std::uint32_t reg = 0; reg < uniforms_; ++reg) {
        warp.uniforms[reg] = scratch_.uniform(static_cast<std::uint8_t>(reg));
    }
}

std::optional<FaultReport> Machine::execute(State &state, std::uint32_t index) {
    WarpState &warp = state.warps[index];
    const Pc pc = warp.control.state.active_pc;
    if (!setup_.program.contains(pc)) {
        return FaultReport{Fault::kIllegalTarget, fmt::format("nothing to execute at {:#x}", pc)};
    }
    const isa::Instruction &insn = setup_.program.at(pc);
    if (insn.unit == isa::Unit::kBranch) {
        return control(state, index, insn);
    }
    std::optional<FaultReport> fault;
    if (insn.unit != isa::Unit::kNone) {
        load_registers(warp, index);
        const LaneMask executed = warp.control.state.active & sm::compute::guard(scratch_, insn.pg, insn.pg_not);
        if (insn.unit == isa::Unit::kBarrier) {
            fault = barrier(state, index, insn, executed);
        } else if (insn.unit == isa::Unit::kLoadStore && insn.op != Op::kLdc) {
            fault = memory(state, insn, executed);
        } else {
            fault = sm::compute::execute(insn, scratch_, executed, {identities_[index], banks_});
        }
    }
    if (fault) {
        return fault;
    }
    if (insn.unit != isa::Unit::kNone) {
        store_registers(warp, index);
    }
    bru::convergence_barrier::catch_up(warp.control, pc + kInstructionBytes);
    return std::nullopt;
}

std::optional<FaultReport> Machine::memory(State &state, const isa::Instruction &insn, LaneMask executed) {
    if (insn.spec().has(isa::kShared)) {
        return access(insn, executed, scratch_, {state.shared, 0});
    }
    return access(insn, executed, scratch_, {state.global, kGlobalBase});
}

std::optional<FaultReport> Machine::barrier(State &state, std::uint32_t index, const isa::Instruction &insn,
                                            LaneMask executed) {
    const bool joint = insn.op == Op::kBarRed && insn.form == Form::kR;
    const std::uint8_t id = joint || insn.form == Form::kRri ? insn.rb : insn.ra;
    const std::uint8_t count = insn.op == Op::kR2b ? insn.ra : insn.form == Form::kRir ? insn.rc : insn.rb;
    const bcu::Operation operation{insn, executed, scratch_.predicate(insn.pp, insn.pp_not),
                                   std::span<const std::uint32_t, kLanes>(scratch_.read(id).lane),
                                   std::span<const std::uint32_t, kLanes>(scratch_.read(count).lane)};
    auto done = state.barriers.execute(index, operation);
    if (auto *fault = std::get_if<FaultReport>(&done)) {
        return std::move(*fault);
    }
    const auto &effect = std::get<bcu::Effect>(done);
    if (effect.writes) {
        for_each_lane(executed, [&](unsigned lane) { scratch_.set(insn.rd, lane, effect.value); });
        if (insn.op == Op::kB2rResult) {
            scratch_.set_predicate(insn.pu, effect.predicate ? LaneMask::all() : LaneMask(), executed);
        }
    }
    return std::nullopt;
}

std::optional<FaultReport> Machine::control(State &state, std::uint32_t index, const isa::Instruction &insn) {
    WarpState &warp = state.warps[index];
    const unsigned threads = setup_.threads[index];
    const auto predicate = [&](std::uint8_t p, bool negated) {
        const LaneMask held = p < warp.predicates.size() ? warp.predicates[p] : LaneMask::all();
        return negated ? ~held : held;
    };
    isa::VectorOperands vectors{};
    std::uint64_t scalar = 0;
    const auto reg = [&](std::uint8_t r, unsigned lane) -> std::uint64_t {
        return r < registers_ ? warp.registers[std::size_t{r} * threads + lane] : 0;
    };
    const bool wide = is_long_jump(insn.op);
    if (insn.form == Form::kR) {
        const bool in_rb = insn.op == Op::kWarpsync || insn.op == Op::kNanosleep || insn.op == Op::kTrap;
        const std::uint8_t first = in_rb ? insn.rb : insn.ra;
        for (unsigned lane = 0; lane < threads; ++lane) {
            vectors[0][lane] = reg(first, lane) | (wide ? reg(sm::compute::upper_half(first), lane) << 32 : 0);
        }
    } else if (insn.form == Form::kU && insn.ur < isa::kUrz) {
        scalar = warp.uniforms[insn.ur] | (wide ? std::uint64_t{warp.uniforms[insn.ur + 1U]} << 32 : 0);
    } else if (insn.form == Form::kC) {
        const auto value = sm::compute::read_constant32(banks_, insn.const_bank, insn.const_offset);
        const auto upper = sm::compute::read_constant32(banks_, insn.const_bank, insn.const_offset + 4U);
        if (!value || (wide && !upper)) {
            return FaultReport{Fault::kIllegalAddress, "constant operand outside its bank"};
        }
        scalar = *value | (wide ? std::uint64_t{*upper} << 32 : 0);
    }
    const ControlState before = warp.control.state;
    bru::StepResult result = control_step(
        warp.control, insn, {predicate(insn.pg, insn.pg_not), predicate(insn.pp, insn.pp_not), vectors, scalar});
    if (result.fault) {
        return std::move(result.fault);
    }
    for_each_lane(result.write_lanes, [&](unsigned lane) {
        if (insn.rd < registers_) {
            warp.registers[std::size_t{insn.rd} * threads + lane] = static_cast<std::uint32_t>(result.value);
            if (insn.op == Op::kLepc) {
                warp.registers[std::size_t{insn.rd + 1U} * threads + lane] =
                    static_cast<std::uint32_t>(result.value >> 32);
            }
        }
    });
    if (result.sleep_ns) {
        warp.sleepers |= before.active;
        // The one timer of a warp keeps the earlier of two expiries, and all sleeps take equally long here.
        if (!std::exchange(warp.timer, true)) {
            warp.countdown = setup_.sleep_steps.value_or(0);
        }
    }
    if (result.outcome == Outcome::kSleep) {
        warp.asleep = true;
        could_run_ = before.valid & ~before.active & ~before.sleep & ~before.wait;
        if (insn.op == Op::kWarpsync) { // who stands there has arrived, and waits as well
            could_run_ &= ~bru::convergence_barrier::standing_at(before, insn.pc);
        }
    }
    if (result.outcome == Outcome::kExited) {
        warp.exited = true;
        warp.timer = false;
        warp.sleepers = LaneMask();
        warp.countdown = 0;
        state.barriers.exit(index);
    }
    return std::nullopt;
}

bru::StepResult Machine::control_step(bru::convergence_barrier::WarpControl &warp, const isa::Instruction &insn,
                                      const bru::Operands &operands) {
    const Pc bytes = setup_.program.size_bytes();
    if (other_rules_) {
        return readings::execute_step(warp, insn, operands, setup_.bru, bytes, setup_.readings);
    }
    bru::convergence_barrier::WarpControl second = warp;
    bru::StepResult result = bru::convergence_barrier::execute_step(warp, insn, operands, setup_.bru, bytes);
    const bru::StepResult other = readings::execute_step(second, insn, operands, setup_.bru, bytes);
    dispute_ = readings::difference(readings::Behind<bru::convergence_barrier::WarpControl>{warp, result}, {second, other});
    return result;
}

std::string Machine::describe(const State &state, Move move) const {
    const ControlState &control = state.warps[move.warp].control.state;
    if (move.expiry) {
        return fmt::format("warp {}: the sleep timer fires", move.warp);
    }
    const bool inside = setup_.program.contains(control.active_pc);
    return fmt::format("warp {}: {:#06x} {} by threads {:#x}", move.warp, control.active_pc,
                       inside ? setup_.program.at(control.active_pc).spec().name : "?", control.active.bits());
}

std::string Machine::describe(const State &state) const {
    std::string text;
    for (std::size_t index = 0; index < state.warps.size(); ++index) {
        const WarpState &warp = state.warps[index];
        const ControlState &control = warp.control.state;
        text += fmt::format("  warp {}: valid {:#x}, active {:#x} at {:#06x}{}{}", index, control.valid.bits(),
                            control.active.bits(), control.active_pc, warp.asleep ? ", asleep" : "",
                            state.barriers.state().blocked_at(static_cast<std::uint32_t>(index)) ? ", blocked" : "");
        for_each_lane(control.valid & ~control.active,
                      [&](unsigned lane) { text += fmt::format(", {} at {:#06x}", lane, control.rpc[lane]); });
        text += '\n';
    }
    return text + state.barriers.state().describe();
}

std::uint32_t Machine::value(const State &state, std::uint32_t warp, std::uint8_t reg, unsigned lane) const {
    const unsigned threads = setup_.threads[warp];
    return reg < registers_ && lane < threads ? state.warps[warp].registers[std::size_t{reg} * threads + lane] : 0;
}

} // namespace smsim::state_space
