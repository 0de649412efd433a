// engines.md "token_stack", instruction by instruction.
#include "tb/independent_rules/token_rules.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "tb/independent_rules/stack_step.h"

namespace smsim::independent_rules {
namespace {

using bru::Operands;
using bru::StepEvent;
using bru::StepResult;
using bru::token_stack::Counters;
using bru::token_stack::Token;
using bru::token_stack::TokenKind;
using bru::token_stack::Warp;
using isa::Form;
using isa::Op;

constexpr std::size_t kStackAndMemory = 65536; // tokens of a warp, with spilling

class Step : StackStep {
  public:
    Step(Warp &warp, const isa::Instruction &insn, const Operands &operands, const BruConfig &config,
         Counters &counters)
        : StackStep(warp.state.active, warp.trap, insn, operands, config, warp.program_bytes), warp_(warp),
          s_(warp.state), options_(config.token_stack), counters_(counters) {}

    StepResult run() {
        if (s_.active.none()) {
            raise(Fault::kIllegalInstruction);
            return std::move(result_);
        }
        s_.pc = pc_;
        const Warp before = warp_;
        const Counters counted = counters_;
        const auto common = of_every_mechanism();
        const Pc behind = common ? *common : own();
        if (result_.fault) {
            warp_ = before;
            counters_ = counted;
            counters_.overflows += result_.fault->fault == Fault::kStackOverflow ? 1 : 0;
            return std::move(result_);
        }
        counters_.depth = std::max<std::uint64_t>(counters_.depth, s_.stack.size());
        s_.pc = behind;
        result_.next_pc = behind;
        result_.next_active = s_.active;
        return std::move(result_);
    }

  private:
    Pc own() {
        switch (insn_.op) {
        case Op::kSsy:
            return open(TokenKind::kSync);
        case Op::kPbk:
            return open(TokenKind::kBrk);
        case Op::kPcnt:
            return open(TokenKind::kCont);
        case Op::kPret:
            return prepare();
        case Op::kTokenBra:
        case Op::kTokenBrx:
        case Op::kJmp:
        case Op::kJmx:
            return jump();
        case Op::kCal:
            return call();
        case Op::kSync:
            return leave(TokenKind::kSync);
        case Op::kBrk:
            return leave(TokenKind::kBrk);
        case Op::kCont:
            return leave(TokenKind::kCont);
        case Op::kTokenRet:
            return leave(TokenKind::kRet);
        case Op::kExit:
            return exit();
        case Op::kWarpsync:
            return warpsync();
        default:
            raise(Fault::kIllegalInstruction);
            return next_;
        }
    }

    // --- the stack ---------------------------------------------------------------------------------------------------

    void push(Token token) {
        s_.stack.push_back(token);
        ++counters_.pushes.at(static_cast<std::size_t>(token.kind));
        if (s_.stack.size() > options_.depth) { // the oldest token on the stack makes room
            ++counters_.spilled;
            spend();
        }
        if (s_.stack.size() > (options_.spill ? kStackAndMemory : options_.depth)) {
            raise(Fault::kStackOverflow);
        }
    }

    void spend() {
        result_.extra_cycles += options_.spill_cycles;
        counters_.spill_cycles += options_.spill_cycles;
    }

    Token pop() {
        ++counters_.pops;
        if (s_.stack.size() > options_.depth) { // one returns from memory
            ++counters_.filled;
            spend();
        }
        const Token top = s_.stack.back();
        s_.stack.pop_back();
        return top;
    }

    /// Where others continue after the threads of `p_` have left.
    Pc resume() {
        s_.active &= ~p_;
        if (s_.active.any()) {
            return next_;
        }
        while (!s_.stack.empty()) {
            const Token top = pop();
            s_.active = top.mask & s_.valid;
            if (s_.active.any()) {
                result_.event.passed = top.kind != TokenKind::kDiv;
                return top.pc;
            }
        }
        if (s_.valid.any()) {
            raise(Fault::kStackUnderflow);
        }
        result_.outcome = Outcome::kExited;
        return pc_;
    }

    // --- regions -----------------------------------------------------------------------------------------------------

    Pc open(TokenKind kind) {
        const std::int64_t end = static_cast<std::int64_t>(next_) + insn_.imm;
        if (!is_instruction(end)) {
            raise(Fault::kIllegalTarget);
            return next_;
        }
        push({kind, s_.active, static_cast<Pc>(end)});
        return next_;
    }

    Pc leave(TokenKind kind) {
        if (p_.none()) {
            return next_;
        }
        this->kind(StepEvent::Kind::kSync);
        // Searches down the stack for the token of the region; SYNC may find DIV above it, BRK and CONT no RET.
        std::size_t own = s_.stack.size();
        bool crossed = false;
        while (own != 0 && s_.stack[own - 1].kind != kind) {
            const TokenKind above = s_.stack[--own].kind;
            crossed = crossed || (kind == TokenKind::kSync ? above != TokenKind::kDiv
                                                           : kind != TokenKind::kRet && above == TokenKind::kRet);
        }
        if (own == 0) {
            raise(kind == TokenKind::kSync && !s_.stack.empty() ? Fault::kTokenMismatch : Fault::kStackUnderflow);
            return next_;
        }
        if (crossed || !s_.stack[own - 1].mask.contains(p_)) {
            raise(Fault::kTokenMismatch);
            return next_;
        }
        for (; kind != TokenKind::kSync && own != s_.stack.size(); ++own) {
            s_.stack[own].mask &= ~p_;
        }
        return resume();
    }

    Pc exit() {
        kind(StepEvent::Kind::kExit);
        s_.valid &= ~p_;
        for (Token &token : s_.stack) {
            token.mask &= ~p_;
        }
        return p_.any() ? resume() : next_;
    }

    Pc warpsync() {
        kind(p_.any() ? StepEvent::Kind::kSync : StepEvent::Kind::kPlain);
        result_.event.passed = true;
        bool all_here = true;
        bool all_named = true;
        for_each_lane(p_, [&](unsigned t) {
            all_here = all_here && p_.contains(named_by(t) & s_.valid);
            all_named = all_named && named_by(t).test(t);
        });
        if (!all_named || !all_here) {
            raise(all_named ? Fault::kWarpSyncDiverged : Fault::kWarpSyncMembership);
        }
        return next_;
    }

    // --- jumps and calls ---------------------------------------------------------------------------------------------

    std::int64_t target(unsigned t) const {
        const bool relative = insn_.op == Op::kTokenBra || insn_.op == Op::kTokenBrx;
        if (insn_.form == Form::kI) { // BRA, CAL count from the next instruction
            return insn_.imm + (insn_.op == Op::kJmp ? 0 : static_cast<std::int64_t>(next_));
        }
        const auto word = static_cast<std::uint32_t>(operand(t));
        const std::int64_t away = insn_.form == Form::kR ? insn_.imm : 0;
        return away +
               (relative ? static_cast<std::int64_t>(next_) + static_cast<std::int32_t>(word) : std::int64_t{word});
    }

    using Groups = std::vector<std::pair<std::int64_t, LaneMask>>; ///< targets with the threads that jump there

    /// The threads of `jumping` grouped by target, in the order of their lowest threads; IllegalTarget for a target
    /// that is no instruction.
    Groups groups_of(LaneMask jumping) {
        Groups groups;
        for_each_lane(jumping, [&](unsigned t) {
            const std::int64_t to = target(t);
            if (!is_instruction(to)) {
                raise(Fault::kIllegalTarget);
            }
            for (auto &[known, threads] : groups) {
                if (known == to) {
                    threads |= LaneMask::lane(t);
                    return;
                }
            }
            groups.emplace_back(to, LaneMask::lane(t));
        });
        return groups;
    }

    /// The first group continues, the others wait: the second is on top.
    Pc part(const Groups &groups) {
        for (std::size_t last = groups.size() - 1; last != 0 && !result_.fault; --last) {
            push({TokenKind::kDiv, groups[last].second, static_cast<Pc>(groups[last].first)});
        }
        s_.active = groups.front().second;
        return static_cast<Pc>(groups.front().first);
    }

    Pc jump() {
        kind(StepEvent::Kind::kBranch);
        const bool has_unanimous = insn_.op == Op::kTokenBra || insn_.op == Op::kJmp;
        const bool unanimous = has_unanimous && insn_.mod[0] == 1;
        const bool limited = insn_.mod[has_unanimous ? 1 : 0] == 1;
        if (p_.none() || (unanimous && p_ != s_.active) || (limited && s_.lmt)) {
            return next_;
        }
        Groups groups = groups_of(p_);
        if (result_.fault) {
            return next_;
        }
        result_.event.jumped = p_;
        LaneMask falls = s_.active & ~p_;
        const auto through = static_cast<std::int64_t>(next_);
        std::erase_if(groups, [&](const auto &group) {
            falls |= group.first == through ? group.second : LaneMask();
            return group.first == through;
        });
        if (falls.any()) {
            const bool last = options_.order == TokenStackOrder::kTakenFirst;
            groups.insert(last ? groups.end() : groups.begin(), {through, falls});
        }
        result_.event.split = groups.size() != 1;
        return part(groups);
    }

    bool at_limit() {
        std::uint32_t calls = 0;
        for (const Token &token : s_.stack) {
            calls += token.kind == TokenKind::kRet ? 1 : 0;
        }
        const bool reached = options_.call_limit != 0 && calls >= options_.call_limit;
        counters_.limited += reached ? 1 : 0;
        return reached;
    }

    Pc call() {
        kind(StepEvent::Kind::kBranch);
        if (p_.none() || at_limit()) {
            return next_;
        }
        const Groups groups = groups_of(p_);
        if (result_.fault) {
            return next_;
        }
        result_.event.jumped = p_;
        push({TokenKind::kRet, s_.active, next_});
        result_.event.split = groups.front().second != s_.active;
        return part(groups);
    }

    Pc prepare() {
        if (at_limit()) {
            s_.lmt = true;
            return next_;
        }
        s_.lmt = false;
        return open(TokenKind::kRet);
    }

    Warp &warp_;
    bru::token_stack::ControlState &s_;
    const TokenStackConfig &options_;
    Counters &counters_;
};

} // namespace

StepResult second_step(Warp &warp, const isa::Instruction &insn, const Operands &operands, const BruConfig &config,
                       Counters &counters) {
    return Step(warp, insn, operands, config, counters).run();
}

bool passes(ConditionTest test, const ConditionFlags &flags, unsigned t) {
    const bool z = flags.zero.test(t);
    const bool s = flags.sign.test(t);
    const bool c = flags.carry.test(t);
    const bool o = flags.overflow.test(t);
    using Test = ConditionTest;
    switch (test) {
    case Test::kF:
        return false;
    case Test::kLt:
        return (s && !z) != o;
    case Test::kEq:
        return z && !s;
    case Test::kLe:
        return s != (z || o);
    case Test::kGt:
        return !z && s == o;
    case Test::kNe:
        return !z;
    case Test::kGe:
        return s == o;
    case Test::kNum:
        return !z || !s;
    case Test::kNan:
        return z && s;
    case Test::kLtu:
        return s != o;
    case Test::kEqu:
        return z;
    case Test::kLeu:
        return z || s != o;
    case Test::kGtu:
        return s == (z || o);
    case Test::kNeu:
        return !z || s;
    case Test::kGeu:
        return (!s || z) != o;
    case Test::kT:
        return true;
    case Test::kOff:
        return !o;
    case Test::kOft:
        return o;
    case Test::kSff:
        return !s;
    case Test::kSft:
        return s;
    case Test::kLo:
        return !c;
    case Test::kHs:
        return c;
    case Test::kHi:
        return c && !z;
    case Test::kLs:
        return !c || z;
    }
    return false;
}

} // namespace smsim::independent_rules
