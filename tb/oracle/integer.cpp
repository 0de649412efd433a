#include "tb/oracle/integer.h"

#include <bit>

namespace smsim::oracle {
namespace {

using isa::Instruction;
using isa::Op;

std::int32_t as_signed(std::uint32_t x) {
    return static_cast<std::int32_t>(x);
}

void write_pair(std::uint32_t *row, unsigned slot, std::uint64_t value) {
    row[slot] = static_cast<std::uint32_t>(value);
    row[slot + 1] = static_cast<std::uint32_t>(value >> 32);
}

/// IADD3: complemented sources and ones are added one by one, so that the bits beyond 32 are the carry. With .X the
/// incoming carry replaces the ones.
void iadd3(const Step &step, std::uint32_t *row, std::uint8_t &predicates) {
    const Instruction &insn = *step.insn;
    const bool extended = insn.mod[0] != 0;
    std::uint64_t sum = extended && predicate(predicates, insn.pp, insn.pp_not) ? 1 : 0;
    const auto add = [&](std::uint32_t value, bool negated) {
        sum += negated ? ~value : value;
        sum += negated && !extended ? 1 : 0;
    };
    add(step.a(row), insn.neg_a);
    add(step.b(row), insn.neg_b);
    add(step.c(row), insn.neg_c);
    row[step.rd] = static_cast<std::uint32_t>(sum);
    set_predicate(predicates, insn.pu, (sum >> 32) != 0);
}

void imad(const Step &step, std::uint32_t *row) {
    const bool is_unsigned = step.insn->mod[1] != 0;
    const std::uint32_t a = step.a(row);
    const std::uint32_t b = step.b(row);
    const std::uint64_t product =
        is_unsigned ? std::uint64_t{a} * b : static_cast<std::uint64_t>(std::int64_t{as_signed(a)} * as_signed(b));
    switch (step.insn->mod[0]) {
    case 0:
        row[step.rd] = static_cast<std::uint32_t>(product) + step.c(row);
        break;
    case 1:
        row[step.rd] = static_cast<std::uint32_t>(product >> 32) + step.c(row);
        break;
    default:
        write_pair(row, step.rd, product + step.c64(row));
        break;
    }
}

/// Bitwise: `one` where the selector is 1, otherwise `zero`.
std::uint32_t select(std::uint32_t selector, std::uint32_t one, std::uint32_t zero) {
    return (selector & one) | (~selector & zero);
}

/// The table as a tree of selections: a selects the half, b the quarter, c the bit.
std::uint32_t lop3(std::uint32_t table, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const auto entry = [&](unsigned index) { return 0U - ((table >> index) & 1); };
    const auto by_c = [&](unsigned index) { return select(c, entry(index + 1), entry(index)); };
    const auto by_b = [&](unsigned index) { return select(b, by_c(index + 2), by_c(index)); };
    return select(a, by_b(4), by_b(0));
}

std::uint32_t shf(const Instruction &insn, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const std::uint64_t value = std::uint64_t{c} << 32 | a;
    const unsigned amount = insn.mod[1] != 0 ? b % 32 : (b < 32 ? b : 32);
    return static_cast<std::uint32_t>(insn.mod[0] == 0 ? value << amount >> 32 : value >> amount);
}

std::uint32_t shr(bool is_signed, std::uint32_t a, std::uint32_t b) {
    if (is_signed) {
        return static_cast<std::uint32_t>(as_signed(a) >> (b < 31 ? b : 31));
    }
    return b < 32 ? a >> b : 0;
}

std::uint32_t prmt(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const std::uint64_t bytes = std::uint64_t{c} << 32 | a;
    std::uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const std::uint32_t selector = (b >> (4 * i)) & 0xf;
        std::uint32_t byte = (bytes >> (8 * (selector & 7))) & 0xff;
        if ((selector & 8) != 0) {
            byte = (byte & 0x80) != 0 ? 0xff : 0;
        }
        result |= byte << (8 * i);
    }
    return result;
}

std::uint32_t flo(const Instruction &insn, std::uint32_t value) {
    if (insn.mod[0] != 0 && as_signed(value) < 0) {
        value = ~value;
    }
    if (value == 0) {
        return ~std::uint32_t{0};
    }
    const auto zeros = static_cast<std::uint32_t>(std::countl_zero(value));
    return insn.mod[1] != 0 ? zeros : 31 - zeros;
}

std::uint32_t brev(std::uint32_t value) {
    std::uint32_t result = 0;
    for (unsigned i = 0; i < 32; ++i) {
        result |= ((value >> i) & 1) << (31 - i);
    }
    return result;
}

template <typename T> bool compare(isa::Compare how, T a, T b) {
    using enum isa::Compare;
    switch (how) {
    case kLt:
        return a < b;
    case kEq:
        return a == b;
    case kLe:
        return a <= b;
    case kGt:
        return a > b;
    case kNe:
        return a != b;
    case kGe:
        return a >= b;
    case kT:
        return true;
    default:
        return false;
    }
}

/// pu, then pv: if both name the same predicate, the value of pv remains.
void write_both(const Instruction &insn, std::uint8_t &predicates, bool u, bool v) {
    set_predicate(predicates, insn.pu, u);
    set_predicate(predicates, insn.pv, v);
}

void isetp(const Step &step, const std::uint32_t *row, std::uint8_t &predicates) {
    const Instruction &insn = *step.insn;
    const auto how = static_cast<isa::Compare>(insn.mod[0]);
    const bool holds = insn.mod[1] != 0 ? compare(how, step.a(row), step.b(row))
                                        : compare(how, as_signed(step.a(row)), as_signed(step.b(row)));
    const auto op = static_cast<isa::Combine>(insn.mod[2]);
    const bool p = predicate(predicates, insn.pp, insn.pp_not);
    write_both(insn, predicates, combine(op, holds, p), combine(op, !holds, p));
}

void psetp(const Instruction &insn, std::uint8_t &predicates) {
    const bool inner = combine(static_cast<isa::Combine>(insn.mod[0]), predicate(predicates, insn.pa, insn.pa_not),
                               predicate(predicates, insn.pb, insn.pb_not));
    const auto op = static_cast<isa::Combine>(insn.mod[1]);
    const bool p = predicate(predicates, insn.pp, insn.pp_not);
    write_both(insn, predicates, combine(op, inner, p), combine(op, !inner, p));
}

void plop3(const Instruction &insn, std::uint8_t &predicates) {
    const unsigned index = (predicate(predicates, insn.pa, insn.pa_not) ? 4 : 0) |
                           (predicate(predicates, insn.pb, insn.pb_not) ? 2 : 0) |
                           (predicate(predicates, insn.pp, insn.pp_not) ? 1 : 0);
    write_both(insn, predicates, ((insn.imm2 >> index) & 1) != 0, ((insn.imm >> index) & 1) != 0);
}

} // namespace

bool combine(isa::Combine op, bool left, bool right) {
    switch (op) {
    case isa::Combine::kAnd:
        return left && right;
    case isa::Combine::kOr:
        return left || right;
    case isa::Combine::kXor:
        break;
    }
    return left != right;
}

void execute_integer(const Step &step, std::uint32_t *row, std::uint8_t &predicates) {
    const Instruction &insn = *step.insn;
    const auto pp = [&] { return predicate(predicates, insn.pp, insn.pp_not); };
    const auto mask = static_cast<std::uint32_t>(insn.imm) & 0x7f;
    std::uint32_t &rd = row[step.rd];
    switch (step.op) {
    case Op::kMov:
    case Op::kUmov:
        rd = step.b(row);
        break;
    case Op::kSel:
        rd = pp() ? step.a(row) : step.b(row);
        break;
    case Op::kP2r:
        rd = (step.a(row) & ~mask) | (predicates & mask);
        break;
    case Op::kR2p:
        predicates = static_cast<std::uint8_t>((predicates & ~mask) | (step.a(row) & mask));
        break;
    case Op::kIadd3:
        iadd3(step, row, predicates);
        break;
    case Op::kImad:
        imad(step, row);
        break;
    case Op::kLea:
        rd = (step.a(row) << insn.imm2) + step.b(row);
        break;
    case Op::kIabs:
        rd = as_signed(step.b(row)) < 0 ? 0U - step.b(row) : step.b(row);
        break;
    case Op::kImnmx: {
        const std::uint32_t a = step.a(row);
        const std::uint32_t b = step.b(row);
        const bool a_less = insn.mod[0] != 0 ? a < b : as_signed(a) < as_signed(b);
        rd = a_less == pp() ? a : b;
        break;
    }
    case Op::kLop3:
        rd = lop3(insn.imm2, step.a(row), step.b(row), step.c(row));
        break;
    case Op::kShf:
        rd = shf(insn, step.a(row), step.b(row), step.c(row));
        break;
    case Op::kShl:
        rd = step.b(row) < 32 ? step.a(row) << step.b(row) : 0;
        break;
    case Op::kShr:
        rd = shr(insn.mod[0] != 0, step.a(row), step.b(row));
        break;
    case Op::kPrmt:
        rd = prmt(step.a(row), step.b(row), step.c(row));
        break;
    case Op::kPopc:
        rd = static_cast<std::uint32_t>(std::popcount(step.b(row)));
        break;
    case Op::kFlo:
        rd = flo(insn, step.b(row));
        break;
    case Op::kBrev:
        rd = brev(step.b(row));
        break;
    case Op::kIsetp:
        isetp(step, row, predicates);
        break;
    case Op::kPsetp:
        psetp(insn, predicates);
        break;
    case Op::kPlop3:
        plop3(insn, predicates);
        break;
    default:
        break;
    }
}

} // namespace smsim::oracle
