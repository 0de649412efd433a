// The functional machine: one step.
#include "tb/state_space/machine.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "assembler/assembler.h"
#include "sm/datapath/operands.h"
#include "tb/state_space/flat_memory.h"

namespace smsim::state_space {
namespace {

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

std::optional<std::string> violation(const WarpState &warp, LaneMask started, LaneMask could_run) {
    if (auto found = violation_of(warp.control, started, warp.exited)) {
        return found;
    }
    if (const LaneMask early = active_in(warp.control) & warp.sleepers; !warp.asleep && early.any()) {
        return fmt::format("threads {:#x} run before their sleep has ended", early.bits());
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
    : setup_(std::move(setup)), other_rules_(independent_rules::concerns_branches(setup_.readings)),
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
                independent_rules::Barriers(setup_.threads, setup_.readings),
                std::vector<std::uint8_t>(setup_.shared_bytes),
                std::vector<std::uint8_t>(setup_.global_bytes)};
    for (const unsigned threads : setup_.threads) {
        WarpState &warp = state.warps.emplace_back();
        warp.control = control_at_start(setup_.program, setup_.entry, LaneMask::first(threads));
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
        // Counts from the first instruction after the one that started the timer.
        const bool counts = warp.countdown > 0;
        step.fault = execute(state, move.warp);
        warp.countdown -= counts ? 1 : 0;
    }
    if (dispute_) {
        step.violation = "the engine and its rules written a second time disagree: " + *dispute_;
    } else if (!step.fault) {
        step.violation = violation(warp, LaneMask::first(setup_.threads[move.warp]), could_run_);
    }
    return step;
}

void Machine::expire(WarpState &warp) const {
    timer_fires(warp.control);
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
    scratch_.set_flags(warp.flags, LaneMask::all());
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
    warp.flags = scratch_.flags();
}

std::optional<FaultReport> Machine::execute(State &state, std::uint32_t index) {
    WarpState &warp = state.warps[index];
    const Pc pc = pc_of(warp.control);
    if (!setup_.program.contains(pc)) {
        return FaultReport{Fault::kIllegalTarget, fmt::format("nothing to execute at {:#x}", pc)};
    }
    const isa::Instruction &insn = setup_.program.at(pc);
    std::optional<FaultReport> fault;
    if (insn.unit != isa::Unit::kNone) {
        load_registers(warp, index);
        const LaneMask executed = active_in(warp.control) & sm::compute::guard(scratch_, insn.pg, insn.pg_not);
        if (insn.unit == isa::Unit::kBranch) {
            return control(state, index, insn);
        }
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
    catch_up(warp.control, pc + kInstructionBytes);
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
    if (const auto &refusal = state.warps[index].refuses_arrivals;
        refusal && executed.any() && insn.spec().has(isa::kArrives)) {
        return FaultReport{refusal->fault, std::string(refusal->reason)};
    }
    isa::NarrowVectorOperands vectors{};
    sm::read_operands(insn, scratch_, vectors);
    const bcu::Operation operation =
        bcu::operation_of(insn, executed, scratch_.predicate(insn.pp, insn.pp_not), vectors);
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
    isa::VectorOperands vectors{};
    std::uint64_t scalar = 0;
    if (auto fault = sm::read_operands(insn, scratch_, banks_, vectors, scalar)) {
        return fault;
    }
    const LaneMask active = active_in(warp.control);
    const LaneMask beside = could_run_beside(warp.control, insn);
    const bru::Operands operands{sm::compute::guard(scratch_, insn.pg, insn.pg_not),
                                 sm::compute::second_guard(scratch_, insn), vectors, scalar};
    auto [result, dispute] = execute_control(warp.control, insn, operands, {setup_.bru, setup_.readings, other_rules_},
                                             setup_.program.size_bytes());
    dispute_ = std::move(dispute);
    if (result.fault) {
        return std::move(result.fault);
    }
    if (result.write_lanes.any()) {
        sm::write_result(insn, scratch_, result.write_lanes, result.value);
        store_registers(warp, index);
    }
    warp.refuses_arrivals = result.refuses_arrivals;
    if (result.sleep_ns) {
        warp.sleepers |= active;
        // The one timer of a warp keeps the earlier of two expiries, and all sleeps take equally long here.
        if (!std::exchange(warp.timer, true)) {
            warp.countdown = setup_.sleep_steps.value_or(0);
        }
    }
    if (result.outcome == Outcome::kSleep) {
        warp.asleep = true;
        could_run_ = beside;
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

std::string Machine::describe(const State &state, Move move) const {
    if (move.expiry) {
        return fmt::format("warp {}: the sleep timer fires", move.warp);
    }
    const Control &control = state.warps[move.warp].control;
    const Pc pc = pc_of(control);
    return fmt::format("warp {}: {:#06x} {} by threads {:#x}", move.warp, pc,
                       setup_.program.contains(pc) ? setup_.program.at(pc).spec().name : "?",
                       active_in(control).bits());
}

std::string Machine::describe(const State &state) const {
    std::string text;
    for (std::size_t index = 0; index < state.warps.size(); ++index) {
        const WarpState &warp = state.warps[index];
        text += fmt::format("  warp {}: {}{}{}\n", index, text_of(warp.control), warp.asleep ? "; asleep" : "",
                            state.barriers.state().blocked_at(static_cast<std::uint32_t>(index)) ? "; blocked" : "");
    }
    return text + state.barriers.state().describe();
}

std::uint32_t Machine::value(const State &state, std::uint32_t warp, std::uint8_t reg, unsigned lane) const {
    const unsigned threads = setup_.threads[warp];
    return reg < registers_ && lane < threads ? state.warps[warp].registers[std::size_t{reg} * threads + lane] : 0;
}

} // namespace smsim::state_space
