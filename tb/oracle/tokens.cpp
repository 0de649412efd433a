#include "tb/oracle/tokens.h"

#include <algorithm>

#include <fmt/format.h>

namespace smsim::oracle {
namespace {

using isa::Form;
using isa::Op;

/// The most tokens of a warp; a program whose stack grows without bound reaches this.
constexpr std::size_t kMostTokens = 65536;

void push(Machine &machine, std::uint32_t thread, TokenKind kind, std::int64_t address) {
    std::vector<Token> &tokens = machine.threads[thread].tokens;
    if (tokens.size() == kMostTokens) {
        machine.fault(thread, Fault::kStackOverflow, fmt::format("{} tokens", kMostTokens));
    }
    tokens.push_back({kind, machine.index_of(thread, address)});
}

/// Whether the next call would exceed the call limit.
bool at_call_limit(const Machine &machine, std::uint32_t thread) {
    const auto open = std::ranges::count(machine.threads[thread].tokens, TokenKind::kRet, &Token::kind);
    return machine.launch.call_limit != 0 && open == static_cast<std::ptrdiff_t>(machine.launch.call_limit);
}

void open(Machine &machine, std::uint32_t thread, const Step &step) {
    Thread &t = machine.threads[thread];
    const std::int64_t address = isa::named_address(*step.insn).value_or(-1);
    switch (step.op) {
    case Op::kSsy:
        push(machine, thread, TokenKind::kSync, address);
        break;
    case Op::kPbk:
        push(machine, thread, TokenKind::kBrk, address);
        break;
    case Op::kPcnt:
        push(machine, thread, TokenKind::kCont, address);
        break;
    default: // PRET
        t.limit_reached = at_call_limit(machine, thread);
        if (!t.limit_reached) {
            push(machine, thread, TokenKind::kRet, address);
        }
        break;
    }
    ++t.pc;
}

TokenKind left_by(Op op) {
    switch (op) {
    case Op::kSync:
        return TokenKind::kSync;
    case Op::kBrk:
        return TokenKind::kBrk;
    case Op::kCont:
        return TokenKind::kCont;
    default:
        return TokenKind::kRet;
    }
}

void leave(Machine &machine, std::uint32_t thread, const Step &step) {
    Thread &t = machine.threads[thread];
    const TokenKind kind = left_by(step.op);
    const auto found = std::ranges::find(t.tokens.rbegin(), t.tokens.rend(), kind, &Token::kind);
    if (found == t.tokens.rend()) {
        const bool other = step.op == Op::kSync && !t.tokens.empty();
        machine.fault(thread, other ? Fault::kTokenMismatch : Fault::kStackUnderflow, "its token is not on the stack");
    }
    // SYNC takes the topmost token, BRK and CONT do not leave a function, RET leaves whatever is open.
    const bool passes_return =
        std::ranges::find(t.tokens.rbegin(), found, TokenKind::kRet, &Token::kind) != found && kind != TokenKind::kRet;
    if (passes_return || (kind == TokenKind::kSync && found != t.tokens.rbegin())) {
        machine.fault(thread, Fault::kTokenMismatch, "another region lies above its token");
    }
    t.pc = found->pc;
    t.tokens.erase(std::prev(found.base()), t.tokens.end());
}

} // namespace

void execute_region(Machine &machine, std::uint32_t thread, const Step &step, bool executes) {
    Thread &t = machine.threads[thread];
    if (isa::opens_region(step.op)) {
        open(machine, thread, step);
        return;
    }
    t.set = 0; // others reach the same place by other ways
    if (executes) {
        leave(machine, thread, step);
    } else {
        ++t.pc;
    }
}

std::int64_t token_target(const Step &step, const std::uint32_t *row) {
    const isa::Instruction &insn = *step.insn;
    if (const auto named = isa::named_address(insn)) {
        return *named;
    }
    const auto next = static_cast<std::int64_t>(insn.pc + kInstructionBytes);
    const auto extended = [](std::uint32_t value) { return std::int64_t{static_cast<std::int32_t>(value)}; };
    switch (step.op) {
    case Op::kTokenBra:
        return next + extended(step.b(row));
    case Op::kTokenBrx:
        return next + extended(step.a(row)) + insn.imm;
    case Op::kJmp:
        return step.b(row);
    case Op::kJmx:
        return std::int64_t{step.a(row)} + insn.imm;
    default: // CAL Ra
        return step.a(row);
    }
}

bool enter_call(Machine &machine, std::uint32_t thread) {
    if (at_call_limit(machine, thread)) {
        return false;
    }
    const std::int64_t behind = (std::int64_t{machine.threads[thread].pc} + 1) * kInstructionBytes;
    push(machine, thread, TokenKind::kRet, behind);
    return true;
}

} // namespace smsim::oracle
