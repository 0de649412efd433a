// Random programs, states and operands.
#include "tb/independent_rules/random_warps.h"

#include <set>
#include <span>

namespace smsim::independent_rules {
namespace {

using bru::convergence_barrier::WarpControl;
using isa::Form;
using isa::Op;

constexpr std::size_t kLength = 24;

struct Choice {
    Op op;
    Form form;
    unsigned mods; ///< values of the first modifier
};
constexpr Choice kChoices[] = {
    {Op::kBra, Form::kX, 4},       {Op::kBra, Form::kX, 1},       {Op::kBra, Form::kU, 4},
    {Op::kBrx, Form::kR, 1},       {Op::kBrx, Form::kU, 1},       {Op::kBrx, Form::kC, 1},
    {Op::kCall, Form::kR, 2},      {Op::kCall, Form::kU, 2},      {Op::kRet, Form::kR, 2},
    {Op::kRet, Form::kC, 2},       {Op::kLepc, Form::kI, 1},      {Op::kBssy, Form::kI, 1},
    {Op::kBssy, Form::kI, 1},      {Op::kBreak, Form::kX, 1},     {Op::kBmov, Form::kX, 2},
    {Op::kBmov, Form::kR, 1},      {Op::kBsync, Form::kX, 1},     {Op::kBsync, Form::kX, 1},
    {Op::kBsync, Form::kX, 1},     {Op::kWarpsync, Form::kR, 1},  {Op::kWarpsync, Form::kR, 1},
    {Op::kWarpsync, Form::kI, 1},  {Op::kWarpsync, Form::kU, 1},  {Op::kWarpsync, Form::kC, 1},
    {Op::kYield, Form::kX, 1},     {Op::kYield, Form::kX, 1},     {Op::kNanosleep, Form::kR, 1},
    {Op::kNanosleep, Form::kI, 1}, {Op::kNanosleep, Form::kU, 1}, {Op::kExit, Form::kX, 1},
    {Op::kTrap, Form::kI, 1},      {Op::kTrap, Form::kR, 1},      {Op::kRtt, Form::kX, 1},
    {Op::kSyscall, Form::kX, 1},
};

} // namespace

RandomProgram::RandomProgram(std::uint32_t seed) : random_(seed), code_(kLength) {
    config_.nanosleep_sets_yield = !one_in(3);
    config_.bsync_spec_literal = one_in(8);
    config_.election = static_cast<ElectionPolicy>(below(3));
    config_.branch_order = static_cast<BranchOrder>(below(2));
    if (!one_in(4)) {
        config_.trap_handler = static_cast<std::int64_t>(somewhere());
    }
    for (std::size_t line = 0; line < kLength; ++line) {
        if (!one_in(8)) {
            code_[line] = instruction(line * kInstructionBytes);
        }
    }
}

isa::Instruction RandomProgram::instruction(Pc pc) {
    const std::span<const Choice> choices(kChoices);
    const Choice &choice = choices[below(static_cast<std::uint32_t>(choices.size()))];
    isa::Instruction insn;
    insn.op = choice.op;
    insn.form = choice.form;
    insn.unit = isa::Unit::kBranch;
    insn.pc = pc;
    insn.mod[0] = static_cast<std::uint8_t>(below(choice.mods));
    if (insn.op == Op::kBra && insn.form == Form::kU && !one_in(16)) {
        insn.mod[0] =
            static_cast<std::uint8_t>(one_in(2) ? isa::BraCondition::kDivergent : isa::BraCondition::kConvergent);
    }
    insn.breg = static_cast<std::uint8_t>(below(3));
    insn.bitnot = one_in(4) && (insn.op == Op::kWarpsync || (insn.op == Op::kBra && insn.form == Form::kU));
    if (insn.op == Op::kBra) {
        insn.imm = static_cast<std::int64_t>(somewhere() / kInstructionBytes) -
                   static_cast<std::int64_t>(pc / kInstructionBytes) - 1;
    } else if (insn.op == Op::kNanosleep || insn.op == Op::kTrap || insn.form == Form::kR || insn.op == Op::kLepc) {
        insn.imm = below(3);
    }
    return insn;
}

WarpControl RandomProgram::started() {
    return bru::convergence_barrier::started(0, subset(LaneMask::all()) | LaneMask(1));
}

WarpControl RandomProgram::anywhere() {
    WarpControl warp = started();
    bru::convergence_barrier::ControlState &state = warp.state;
    std::array<Pc, 3> places{};
    for (Pc &place : places) {
        place = somewhere();
    }
    for (Pc &pc : state.rpc) {
        pc = places[below(3)];
    }
    state.active_pc = state.rpc[state.valid.lowest()];
    state.active = bru::convergence_barrier::with_rpc(state, state.active_pc, state.valid);
    if (one_in(2)) { // the others have been elected and are here
        state.active = subset(state.active) | LaneMask::lane(state.valid.lowest());
    }
    const LaneMask inactive = state.valid & ~state.active;
    state.yield = some(state.valid);
    state.sleep = one_in(8) ? inactive : some(inactive);
    state.switch_set = some(state.valid);
    state.wait = some(inactive);
    if (one_in(4)) { // all others are blocked
        state.yield = state.sleep = LaneMask();
        state.wait = inactive;
    }
    state.wait_bar = some(state.wait);
    state.turn = some(state.valid);
    for (LaneMask &barrier : state.b) {
        barrier = some(state.valid);
    }
    warp.turn_given = one_in(2);
    warp.trap.in_handler = one_in(2);
    warp.trap.return_pc = somewhere();
    if (config_.election == ElectionPolicy::kOldest) {
        std::set<std::uint32_t> ages;
        std::array<std::uint32_t, kLanes> age{};
        for_each_lane(inactive, [&](unsigned lane) { ages.insert(age[lane] = below(6)); });
        for_each_lane(inactive, [&](unsigned lane) {
            warp.waiting_place[lane] = static_cast<std::uint8_t>(std::distance(ages.begin(), ages.find(age[lane])));
        });
    }
    return warp;
}

std::uint64_t RandomProgram::jump_operand(const isa::Instruction &insn) {
    Pc target = somewhere();
    if (one_in(400)) {
        target += one_in(2) ? 8 : bytes();
    }
    const Pc offset = insn.form == Form::kC ? 0 : static_cast<Pc>(insn.imm) * kInstructionBytes;
    if (insn.op == Op::kBrx) {
        const std::uint64_t above = std::uint64_t{random_()} << 32; // bits that BRX does not read
        return above | ((target - insn.pc - kInstructionBytes - offset) & 0xffffffffU);
    }
    return target - offset - (insn.mod[0] == 1 ? 0 : insn.pc + kInstructionBytes);
}

LaneMask RandomProgram::members(const bru::convergence_barrier::ControlState &state, Pc pc, unsigned lane) {
    const LaneMask here = state.active | bru::convergence_barrier::with_rpc(state, pc, state.valid & ~state.active);
    switch (below(4)) {
    case 0:
        return LaneMask(3U << (lane & ~1U));
    case 1:
        return here;
    case 2:
        return state.active;
    default:
        return here | some(state.valid);
    }
}

std::optional<RandomStep> RandomProgram::next(const WarpControl &warp) {
    const bru::convergence_barrier::ControlState &state = warp.state;
    std::size_t line = state.active_pc / kInstructionBytes;
    while (line < code_.size() && !code_[line]) {
        ++line;
    }
    if (line >= code_.size()) {
        return std::nullopt;
    }
    RandomStep step;
    step.insn = *code_[line];
    const isa::Instruction &insn = step.insn;
    step.guard = one_in(2) ? LaneMask::all() : subset(LaneMask::all());
    step.guard_pp = one_in(4) ? subset(LaneMask::all()) : LaneMask::all();
    const bool apart = one_in(2); // threads have four different values, or share one
    std::array<std::uint64_t, 4> values{};
    for (std::uint64_t &value : values) {
        switch (insn.op) {
        case Op::kBrx:
        case Op::kCall:
        case Op::kRet:
            value = jump_operand(insn);
            break;
        case Op::kNanosleep:
        case Op::kTrap:
            value = below(4);
            value |= std::uint64_t{random_()} << 32;
            break;
        default:
            value = random_();
            break;
        }
    }
    step.scalar = values[0];
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        step.vectors[0][lane] = values[apart ? lane % 4 : 0];
    }
    if (insn.op == Op::kWarpsync) {
        const std::uint32_t flip = insn.bitnot ? ~std::uint32_t{0} : 0;
        const LaneMask all = members(state, insn.pc, state.active.lowest());
        const bool own = one_in(2);
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            step.vectors[0][lane] = (own ? members(state, insn.pc, lane) : all).bits() ^ flip;
        }
        step.scalar = all.bits() ^ flip;
        step.insn.imm = all.bits() ^ flip;
    }
    return step;
}

} // namespace smsim::independent_rules
