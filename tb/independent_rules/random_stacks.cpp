// Random programs, states and operands.
#include "tb/independent_rules/random_stacks.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace smsim::independent_rules {
namespace {

using isa::Form;
using isa::Op;

constexpr std::uint32_t kLength = 24;

struct Choice {
    Op op;
    Form form;
};
/// The common part of both stacks.
constexpr Choice kCommon[] = {
    {Op::kLepc, Form::kI},     {Op::kNanosleep, Form::kR}, {Op::kNanosleep, Form::kI}, {Op::kNanosleep, Form::kC},
    {Op::kWarpsync, Form::kR}, {Op::kWarpsync, Form::kR},  {Op::kWarpsync, Form::kI},  {Op::kWarpsync, Form::kU},
    {Op::kTrap, Form::kI},     {Op::kTrap, Form::kR},      {Op::kTrap, Form::kC},      {Op::kRtt, Form::kX},
    {Op::kSyscall, Form::kX},
};
constexpr Choice kSimt[] = {
    {Op::kVbeq, Form::kR},   {Op::kVbne, Form::kR},   {Op::kVblt, Form::kR},   {Op::kVbge, Form::kR},
    {Op::kVbltu, Form::kR},  {Op::kVbgeu, Form::kR},  {Op::kVbeq, Form::kR},   {Op::kVbne, Form::kR},
    {Op::kVblt, Form::kR},   {Op::kVbge, Form::kR},   {Op::kVbltu, Form::kR},  {Op::kVbgeu, Form::kR},
    {Op::kSetrpc, Form::kI}, {Op::kSetrpc, Form::kI}, {Op::kSetrpc, Form::kI}, {Op::kJoin, Form::kX},
    {Op::kJoin, Form::kX},   {Op::kJoin, Form::kX},   {Op::kJoin, Form::kX},   {Op::kJoin, Form::kX},
    {Op::kEndprg, Form::kX}, {Op::kBra, Form::kX},    {Op::kBra, Form::kX},    {Op::kBra, Form::kU},
    {Op::kBrx, Form::kR},    {Op::kBrx, Form::kC},    {Op::kCall, Form::kR},   {Op::kCall, Form::kU},
    {Op::kRet, Form::kR},    {Op::kRet, Form::kC},    {Op::kExit, Form::kX},
};
constexpr Choice kTokens[] = {
    {Op::kSsy, Form::kI},      {Op::kSsy, Form::kI},      {Op::kPbk, Form::kI},      {Op::kPcnt, Form::kI},
    {Op::kPret, Form::kI},     {Op::kPret, Form::kI},     {Op::kTokenBra, Form::kI}, {Op::kTokenBra, Form::kI},
    {Op::kTokenBra, Form::kC}, {Op::kTokenBrx, Form::kR}, {Op::kTokenBrx, Form::kR}, {Op::kJmp, Form::kI},
    {Op::kJmp, Form::kC},      {Op::kJmx, Form::kR},      {Op::kJmx, Form::kR},      {Op::kCal, Form::kI},
    {Op::kCal, Form::kR},      {Op::kCal, Form::kR},      {Op::kSync, Form::kX},     {Op::kSync, Form::kX},
    {Op::kSync, Form::kX},     {Op::kBrk, Form::kX},      {Op::kBrk, Form::kX},      {Op::kCont, Form::kX},
    {Op::kCont, Form::kX},     {Op::kTokenRet, Form::kX}, {Op::kTokenRet, Form::kX}, {Op::kExit, Form::kX},
    {Op::kExit, Form::kX},     {Op::kYield, Form::kX},
};

template <typename Random> Choice chosen(std::span<const Choice> own, Random &random) {
    const std::span<const Choice> common(kCommon);
    const std::size_t number = random() % (own.size() + common.size());
    return number < own.size() ? own[number] : common[number - own.size()];
}

isa::Instruction plain(const Choice &choice, Pc pc) {
    isa::Instruction insn;
    insn.op = choice.op;
    insn.form = choice.form;
    insn.unit = isa::spec_of(choice.op).unit;
    insn.pc = pc;
    return insn;
}

bool has_guard(Op op) {
    return !isa::spec_of(op).has(isa::kNoGuard);
}

} // namespace

RandomStack::RandomStack(std::uint32_t seed) : random_(seed) {
    for (std::uint32_t line = 0; line < kLength; ++line) {
        program_.code.push_back(plain({Op::kNop, Form::kX}, Pc{line} * kInstructionBytes));
    }
    if (!one_in(4)) {
        config_.trap_handler = static_cast<std::int64_t>(target());
    }
}

LaneMask RandomStack::threads(LaneMask of) {
    switch (below(3)) {
    case 0:
        return of;
    case 1:
        return LaneMask::lane(of.lowest());
    default: {
        const LaneMask some = subset(of);
        return some.any() ? some : of;
    }
    }
}

Pc RandomStack::target() {
    if (!one_in(60)) {
        return somewhere();
    }
    return one_in(2) ? somewhere() + 8 : bytes() + kInstructionBytes * below(4);
}

bru::TrapState RandomStack::trap() {
    return {one_in(2), somewhere(), below(8)};
}

LaneMask RandomStack::members(LaneMask active) {
    switch (below(4)) {
    case 0:
        return threads(active);
    case 1:
        return active | subset(LaneMask::all());
    default:
        return active;
    }
}

std::optional<RandomStep> RandomStack::step_at(Pc pc, LaneMask active) {
    while (program_.contains(pc) && program_.at(pc).op == Op::kNop) {
        pc += kInstructionBytes;
    }
    if (!program_.contains(pc)) {
        return std::nullopt;
    }
    RandomStep step;
    step.insn = program_.at(pc);
    step.guard = step.guard_pp = LaneMask::all();
    // BRA of simt_stack without .U has no guard.
    const bool guarded = has_guard(step.insn.op) && (step.insn.op != Op::kBra || step.insn.mod[0] != 0);
    if (guarded && one_in(2)) {
        step.guard = one_in(4) ? ~active : subset(LaneMask::all());
    }
    if (guarded && one_in(4)) {
        step.guard_pp = subset(LaneMask::all());
    }
    const std::uint32_t apart = 1 + below(4); // number of different values
    for (auto &vector : step.vectors) {
        std::array<std::uint64_t, 4> values{};
        std::ranges::generate(values, [&] { return value(step.insn); });
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            vector[lane] = values[below(apart)];
        }
    }
    step.scalar = value(step.insn);
    if (step.insn.op == Op::kWarpsync) {
        const std::uint32_t flip = step.insn.bitnot ? ~std::uint32_t{0} : 0;
        for (std::uint64_t &mask : step.vectors[0]) {
            mask = members(active).bits() ^ flip;
        }
        step.scalar = members(active).bits() ^ flip;
        step.insn.imm = members(active).bits() ^ flip;
    }
    return step;
}

// --- simt_stack ------------------------------------------------------------------------------------------------------

RandomSimt::RandomSimt(std::uint32_t seed) : RandomStack(seed) {
    config_.simt_stack.order = static_cast<SimtStackOrder>(below(3));
    config_.simt_stack.depth = static_cast<std::int64_t>(below(8)) - 1;
    config_.simt_stack.barrier_check = !one_in(4);
    for (isa::Instruction &insn : program_.code) {
        if (!one_in(8)) {
            insn = instruction(insn.pc);
        }
    }
    for (isa::Instruction &insn : program_.code) {
        if (insn.op == Op::kSetrpc) {
            insn.imm = (static_cast<std::int64_t>(some_join()) - static_cast<std::int64_t>(insn.pc)) / 16 - 1;
        }
    }
}

/// The address of a JOIN; rarely, or if there is none, of another instruction.
Pc RandomSimt::some_join() {
    const Pc from = somewhere();
    for (Pc away = 0; away < bytes() && !one_in(80); away += kInstructionBytes) {
        const Pc pc = (from + away) % bytes();
        if (program_.at(pc).op == Op::kJoin) {
            return pc;
        }
    }
    return target();
}

isa::Instruction RandomSimt::instruction(Pc pc) {
    isa::Instruction insn = plain(chosen(kSimt, random_), pc);
    const bool labelled = insn.op == Op::kBra || isa::spec_of(insn.op).has(isa::kNoGuard);
    if (insn.op == Op::kBra) {
        insn.mod[0] = static_cast<std::uint8_t>(one_in(8) ? below(4) : 0);
        if (one_in(2)) {
            insn.mod[0] = static_cast<std::uint8_t>(isa::BraCondition::kUniform);
        }
    } else if (insn.op == Op::kCall || insn.op == Op::kRet) {
        insn.mod[0] = static_cast<std::uint8_t>(below(2));
    }
    insn.bitnot = insn.op == Op::kWarpsync && one_in(4);
    if (labelled) {
        insn.imm = static_cast<std::int64_t>(target() / kInstructionBytes) -
                   static_cast<std::int64_t>(pc / kInstructionBytes) - 1;
    } else {
        insn.imm = below(4);
    }
    return insn;
}

std::uint64_t RandomSimt::value(const isa::Instruction &insn) {
    constexpr std::uint32_t kWords[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff};
    const std::uint64_t above = std::uint64_t{below(2)} << 32; // bits that are not read
    const Pc away = insn.form == Form::kC ? 0 : static_cast<Pc>(insn.imm) * kInstructionBytes;
    switch (insn.op) {
    case Op::kBrx:
        return above | ((target() - insn.pc - kInstructionBytes - away) & 0xffffffffU);
    case Op::kCall:
    case Op::kRet:
        return target() - away - (insn.mod[0] == 1 ? 0 : insn.pc + kInstructionBytes);
    case Op::kNanosleep:
    case Op::kTrap:
        return above | below(4);
    default:
        return kWords[below(std::size(kWords))];
    }
}

RandomSimt::Warp RandomSimt::started() {
    return {bru::simt_stack::started(0, threads(LaneMask::all())), {}, {bytes(), &program_}};
}

RandomSimt::Warp RandomSimt::anywhere() {
    Warp warp = started();
    bru::simt_stack::State &state = warp.state;
    state.pc = somewhere();
    state.rpc = some_join();
    warp.trap = trap();
    if (one_in(16)) {
        warp.code.program = nullptr;
    }
    const std::int64_t limit = config_.simt_stack.depth;
    std::uint32_t entries = below(limit >= 0 ? 8 : 4);
    if (limit < 0) {
        entries += one_in(2) ? 28 : 59;
    }
    for (std::uint32_t i = 0; i < entries; ++i) {
        const Pc rpc = some_join();
        state.stack.push_back({rpc, one_in(2) ? rpc : somewhere(), subset(LaneMask::all()) | LaneMask(1)});
    }
    if (one_in(2) && entries != 0) {
        state.stack.back().rpc = state.pc;
        state.stack.back().pc = one_in(2) ? state.pc : somewhere();
    }
    return warp;
}

// --- token_stack -----------------------------------------------------------------------------------------------------

RandomTokens::RandomTokens(std::uint32_t seed) : RandomStack(seed) {
    TokenStackConfig &options = config_.token_stack;
    options.order = static_cast<TokenStackOrder>(below(2));
    options.depth = 1 + below(8);
    options.spill = one_in(2);
    options.spill_cycles = below(40);
    options.call_limit = below(4);
    for (isa::Instruction &insn : program_.code) {
        if (!one_in(8)) {
            insn = instruction(insn.pc);
        }
    }
}

isa::Instruction RandomTokens::instruction(Pc pc) {
    isa::Instruction insn = plain(chosen(kTokens, random_), pc);
    const auto next = static_cast<std::int64_t>(pc + kInstructionBytes);
    if (insn.op == Op::kTokenBra || insn.op == Op::kJmp) {
        insn.mod[0] = one_in(3) ? 1 : 0;
        insn.mod[1] = one_in(3) ? 1 : 0;
    } else if (insn.op == Op::kTokenBrx || insn.op == Op::kJmx) {
        insn.mod[0] = one_in(3) ? 1 : 0;
    }
    insn.bitnot = insn.op == Op::kWarpsync && one_in(4);
    if (insn.op == Op::kJmp) {
        insn.imm = static_cast<std::int64_t>(target());
    } else if (isa::is_token_jump(insn.op) || isa::spec_of(insn.op).has(isa::kNoGuard)) {
        if (insn.form == Form::kI) {
            insn.imm = static_cast<std::int64_t>(target()) - next;
        } else if (insn.form == Form::kR && insn.op != Op::kCal) { // added to the register
            insn.imm = static_cast<std::int64_t>(below(512)) - 256;
        }
    } else {
        insn.imm = below(4);
    }
    return insn;
}

std::uint64_t RandomTokens::value(const isa::Instruction &insn) {
    const std::int64_t away = insn.form == Form::kR ? insn.imm : 0;
    const auto wanted = static_cast<std::int64_t>(one_in(6) ? insn.pc + kInstructionBytes : target());
    switch (insn.op) {
    case Op::kTokenBra:
    case Op::kTokenBrx:
        return static_cast<std::uint32_t>(wanted - away - static_cast<std::int64_t>(insn.pc + kInstructionBytes));
    case Op::kJmp:
    case Op::kJmx:
    case Op::kCal:
        return static_cast<std::uint32_t>(wanted - away);
    default:
        return below(4);
    }
}

RandomTokens::Warp RandomTokens::started() {
    return {bru::token_stack::started(0, threads(LaneMask::all())), {}, bytes()};
}

RandomTokens::Warp RandomTokens::anywhere() {
    Warp warp = started();
    bru::token_stack::ControlState &state = warp.state;
    state.pc = somewhere();
    state.active = threads(state.valid);
    state.lmt = one_in(2);
    warp.trap = trap();
    const TokenStackConfig &options = config_.token_stack;
    for (std::uint32_t left = below(options.spill ? 10 : options.depth + 1); left != 0; --left) {
        const LaneMask waiting = one_in(4) ? LaneMask() : subset(state.valid);
        state.stack.push_back({static_cast<bru::token_stack::TokenKind>(below(5)),
                               one_in(2) ? waiting | state.active : waiting, somewhere()});
    }
    return warp;
}

} // namespace smsim::independent_rules
