#include "tb/oracle/flags.h"

#include <cmath>
#include <limits>

#include "tb/oracle/floating.h"
#include "tb/oracle/integer.h"

namespace smsim::oracle {
namespace {

using isa::Op;

std::int64_t sign_extended(std::uint32_t x) {
    return static_cast<std::int32_t>(x);
}

std::uint8_t flags_of(bool zero, bool sign, bool carry, bool overflow) {
    return static_cast<std::uint8_t>((zero ? kZero : 0) | (sign ? kSign : 0) | (carry ? kCarry : 0) |
                                     (overflow ? kOverflow : 0));
}

/// Flags of a result whose full value is `wide` as a sum of unsigned words and `exact` as a sum of signed ones.
std::uint8_t of_integer(std::uint64_t wide, std::int64_t exact) {
    const auto result = static_cast<std::uint32_t>(wide);
    const bool fits =
        exact >= std::numeric_limits<std::int32_t>::min() && exact <= std::numeric_limits<std::int32_t>::max();
    return flags_of(result == 0, sign_extended(result) < 0, wide >> 32 != 0, !fits);
}

/// a + b + c: a subtracted source is added as its complement, plus the ones that complete the negation.
std::uint8_t of_sum(const Step &step, const std::uint32_t *row, std::uint8_t predicates) {
    const isa::Instruction &insn = *step.insn;
    const bool extended = insn.mod[0] != 0;
    std::uint64_t wide = extended && predicate(predicates, insn.pp, insn.pp_not) ? 1 : 0;
    auto exact = static_cast<std::int64_t>(wide);
    const auto add = [&](std::uint32_t value, bool negated) {
        const std::uint64_t one = negated && !extended ? 1 : 0;
        value = negated ? ~value : value;
        wide += value + one;
        exact += sign_extended(value) + static_cast<std::int64_t>(one);
    };
    add(step.a(row), insn.neg_a);
    add(step.b(row), insn.neg_b);
    add(step.c(row), insn.neg_c);
    return of_integer(wide, exact);
}

std::uint8_t of_difference(std::uint32_t a, std::uint32_t b) {
    return of_integer(std::uint64_t{a} + ~b + 1, sign_extended(a) - sign_extended(b));
}

std::uint8_t of_result(const Step &step, std::uint32_t result) {
    if (step.op == Op::kLop3) {
        return flags_of(result == 0, sign_extended(result) < 0, false, false);
    }
    const float value = to_float(result);
    return flags_of(std::isnan(value) || value == 0, std::isnan(value) || value < 0, false, false);
}

} // namespace

void execute_with_flags(const Step &step, std::uint32_t *row, std::uint8_t &predicates, std::uint8_t &flags) {
    switch (step.op) {
    case Op::kIadd3:
        flags = of_sum(step, row, predicates);
        break;
    case Op::kIsetp:
        flags = of_difference(step.a(row), step.b(row));
        break;
    case Op::kFsetp: {
        const FloatOrder order = float_order(step, row);
        flags = flags_of(order.equal || order.unordered, order.less || order.unordered, false, false);
        break;
    }
    default:
        break;
    }
    if (step.op == Op::kIadd3 || step.op == Op::kIsetp || step.op == Op::kLop3) {
        execute_integer(step, row, predicates);
    } else {
        execute_float(step, row, predicates);
    }
    if (step.op != Op::kIadd3 && step.op != Op::kIsetp && step.op != Op::kFsetp) {
        flags = of_result(step, row[step.rd]);
    }
}

bool passes(ConditionTest test, std::uint8_t flags) {
    const bool z = (flags & kZero) != 0;
    const bool s = (flags & kSign) != 0;
    const bool c = (flags & kCarry) != 0;
    const bool o = (flags & kOverflow) != 0;
    using enum ConditionTest;
    switch (test) {
    case kF:
        return false;
    case kLt:
        return (s && !z) != o;
    case kEq:
        return z && !s;
    case kLe:
        return s != (z || o);
    case kGt:
        return !z && s == o;
    case kNe:
        return !z;
    case kGe:
        return s == o;
    case kNum:
        return !(z && s);
    case kNan:
        return z && s;
    case kLtu:
        return s != o;
    case kEqu:
        return z;
    case kLeu:
        return z || s != o;
    case kGtu:
        return !s != (z || o);
    case kNeu:
        return !z || s;
    case kGeu:
        return (!s || z) != o;
    case kT:
        return true;
    case kOff:
        return !o;
    case kLo:
        return !c;
    case kSff:
        return !s;
    case kLs:
        return !c || z;
    case kHi:
        return c && !z;
    case kSft:
        return s;
    case kHs:
        return c;
    case kOft:
        return o;
    }
    return false;
}

} // namespace smsim::oracle
