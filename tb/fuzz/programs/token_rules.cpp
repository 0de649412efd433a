#include "tb/fuzz/programs/token_rules.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "tb/fuzz/programs/snapshot_fields.h"

namespace smsim::fuzz {
namespace {

using isa::Op;
using Kind = TokenRules::Kind;
using State = TokenRules::State;
using Token = TokenRules::Token;

constexpr std::array<std::string_view, 5> kKinds = {"SYNC", "DIV", "RET", "BRK", "CONT"};

State at(State state, Pc pc) {
    state.pc = pc;
    return state;
}

Kind pushed_by(Op op) {
    return op == Op::kSsy ? Kind::kSync : op == Op::kPbk ? Kind::kBrk : op == Op::kPcnt ? Kind::kCont : Kind::kRet;
}
Kind left_by(Op op) {
    return op == Op::kSync ? Kind::kSync : op == Op::kBrk ? Kind::kBrk : op == Op::kCont ? Kind::kCont : Kind::kRet;
}

/// engines.md "Leaving": `leavers` are removed from whatever they leave.
State without(State state, LaneMask leavers) {
    state.active &= ~leavers;
    if (state.active.any()) {
        state.pc += kInstructionBytes;
        return state;
    }
    while (!state.stack.empty() && state.active.none()) {
        state.active = state.stack.back().mask;
        state.pc = state.stack.back().pc;
        state.stack.pop_back();
    }
    return state;
}

/// The state that SYNC, BRK, CONT or RET leads to; the pc of the instruction itself if there is no such token.
State left(const State &before, Op op, LaneMask leavers) {
    State state = before;
    const Kind kind = left_by(op);
    const bool sync = op == Op::kSync;
    auto token = std::ranges::find_if(state.stack.rbegin(), state.stack.rend(), [&](const Token &one) {
        return sync ? one.kind != Kind::kDiv : one.kind == kind;
    });
    if (token == state.stack.rend() || token->kind != kind || !token->mask.contains(leavers)) {
        return before;
    }
    for (auto above = state.stack.rbegin(); above != token && !sync; ++above) {
        above->mask &= ~leavers;
    }
    return without(std::move(state), leavers);
}

State ended(const State &before, LaneMask leavers) {
    State state = before;
    state.valid &= ~leavers;
    for (Token &token : state.stack) {
        token.mask &= ~leavers;
    }
    return without(std::move(state), leavers);
}

} // namespace

State TokenRules::read(const ControlSnapshot &snapshot) {
    const SnapshotFields fields(snapshot);
    const auto mask = [](std::uint64_t bits) { return LaneMask(static_cast<std::uint32_t>(bits)); };
    State state{fields.value("PC"),
                mask(fields.value("ActiveMask")),
                mask(fields.value("ValidMask")),
                fields.value("LMT") != 0,
                {}};
    fields.each_entry("tokens", [&](const auto &column) {
        state.stack.push_back({static_cast<Kind>(column("kind")), mask(column("mask")) & state.valid, column("pc")});
    });
    return state;
}

std::string TokenRules::text(const State &state) {
    std::string text = fmt::format("{:#010x} of {:#010x} at {:#x}{}", state.active.bits(), state.valid.bits(), state.pc,
                                   state.lmt ? " LMT" : "");
    for (const Token &token : state.stack) {
        text += fmt::format(" [{} {:#010x} {:#x}]", kKinds.at(static_cast<std::size_t>(token.kind)), token.mask.bits(),
                            token.pc);
    }
    return text;
}

bool TokenRules::at_call_limit(const State &state) const {
    return config_.call_limit != 0 &&
           std::ranges::count(state.stack, Kind::kRet, &Token::kind) == static_cast<std::ptrdiff_t>(config_.call_limit);
}

/// engines.md "Divergence", for the threads that have reached a jump: their paths are read from the tokens.
std::string TokenRules::broken_groups(const sm::ExecutedInstruction &instruction, const State &before,
                                      const State &after) const {
    const isa::Instruction &insn = instruction.insn;
    const Pc next = insn.pc + kInstructionBytes;
    const LaneMask staying = before.active & ~instruction.executed;
    if (after.stack.size() < before.stack.size() ||
        !std::equal(before.stack.begin(), before.stack.end(), after.stack.begin())) {
        return "a jump should keep what is on the stack";
    }
    std::vector<Token> groups{{Kind::kDiv, after.active, after.pc}}; // in the order in which they run
    groups.insert(groups.end(), after.stack.rbegin(),
                  after.stack.rend() - static_cast<std::ptrdiff_t>(before.stack.size()));
    LaneMask all;
    for (const Token &group : groups) {
        if (group.kind != Kind::kDiv || group.mask.none() || (group.mask & all).any()) {
            return "each group of a jump should wait in a token DIV";
        }
        all |= group.mask;
    }
    const bool call = insn.op == Op::kCal;
    const LaneMask expected = call ? instruction.executed : before.active;
    if (all != expected || after.valid != before.valid || after.lmt != before.lmt) {
        return "a jump should move all active threads, and nothing else";
    }
    const auto fixed = isa::named_address(insn);
    const auto falls = [&](const Token &group) { return group.pc == next && !call; };
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const Token &group = groups[i];
        if (!call && (group.mask & staying).any() && group.pc != next) {
            return "threads that do not jump should be after the jump";
        }
        if (fixed && group.pc != static_cast<Pc>(*fixed) && (call || (group.mask & instruction.executed).any())) {
            return "threads should be at the target";
        }
        if (std::ranges::count(groups, group.pc, &Token::pc) != 1) {
            return "threads with one target should be one group";
        }
        const bool last = config_.order == TokenStackOrder::kTakenFirst;
        if (falls(group) && i != (last ? groups.size() - 1 : 0)) {
            return "the fall-through group should go at another time";
        }
        if (i > 0 && !falls(group) && !falls(groups[i - 1]) && group.mask.lowest() < groups[i - 1].mask.lowest()) {
            return "groups should run by their lowest threads";
        }
    }
    return "";
}

std::string TokenRules::broken_jump(const sm::ExecutedInstruction &instruction, const State &before,
                                    const State &after) const {
    const isa::Instruction &insn = instruction.insn;
    const Pc next = insn.pc + kInstructionBytes;
    const bool refused = isa::is_unanimous(insn) && instruction.executed != instruction.active;
    const bool limited = isa::obeys_call_limit(insn) && before.lmt;
    const bool too_deep = insn.op == Op::kCal && at_call_limit(before);
    if (instruction.executed.none() || refused || limited || too_deep) {
        return after == at(before, next) ? "" : "no thread should jump";
    }
    State called = before;
    if (insn.op == Op::kCal) {
        called.stack.push_back({Kind::kRet, before.active, next});
    }
    return broken_groups(instruction, called, after);
}

std::string TokenRules::broken(const sm::ExecutedInstruction &instruction, const State &before,
                               const State &after) const {
    const isa::Instruction &insn = instruction.insn;
    const Pc next = insn.pc + kInstructionBytes;
    if (isa::is_token_jump(insn.op)) {
        return broken_jump(instruction, before, after);
    }
    if (isa::opens_region(insn.op)) {
        State expected = at(before, next);
        const bool skipped = insn.op == Op::kPret && at_call_limit(before);
        if (!skipped) {
            expected.stack.push_back({pushed_by(insn.op), before.active, static_cast<Pc>(*isa::named_address(insn))});
        }
        expected.lmt = insn.op == Op::kPret ? skipped : before.lmt;
        return after == expected ? "" : "a token of the active threads should be pushed";
    }
    if (instruction.executed.none()) {
        return after == at(before, next) ? "" : "no thread executes this";
    }
    if (isa::leaves_region(insn.op)) {
        return after == left(before, insn.op, instruction.executed)
                   ? ""
                   : "the leavers should wait in their token, or the next group go on";
    }
    switch (insn.op) {
    case Op::kExit: {
        const State expected = ended(before, instruction.executed);
        if (expected.valid.none()) {
            return after.valid.none() && after.stack.empty() ? "" : "the warp should end with an empty stack";
        }
        return after == expected && expected.active.any() ? "" : "the others should go on";
    }
    case Op::kTrap:
    case Op::kRtt:
        return after == at(before, after.pc) && program_.contains(after.pc) ? "" : "a trap should move the warp only";
    default:
        return after == at(before, next) ? "" : "this instruction should leave the stack alone";
    }
}

} // namespace smsim::fuzz
