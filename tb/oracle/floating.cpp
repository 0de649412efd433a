#include "tb/oracle/floating.h"

#include <bit>
#include <cmath>

#include "tb/oracle/integer.h"

namespace smsim::oracle {
namespace {

using isa::Instruction;

constexpr std::uint32_t kSign = 0x80000000;
constexpr std::uint32_t kCanonicalNan = 0x7fffffff;
constexpr std::uint64_t kCanonicalNan64 = 0x7fffffffffffffff;

/// |x| before -x.
float source(std::uint32_t bits, bool absolute, bool negated) {
    bits &= absolute ? ~kSign : ~std::uint32_t{0};
    return to_float(negated ? bits ^ kSign : bits);
}

/// Comparisons; those from LTU on are also true for unordered operands.
bool compare(isa::Compare how, float a, float b) {
    using enum isa::Compare;
    const bool unordered = std::isnan(a) || std::isnan(b);
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
        return a < b || a > b;
    case kGe:
        return a >= b;
    case kT:
        return true;
    case kNum:
        return !unordered;
    case kNan:
        return unordered;
    case kLtu:
        return unordered || a < b;
    case kEqu:
        return unordered || a == b;
    case kLeu:
        return unordered || a <= b;
    case kGtu:
        return unordered || a > b;
    case kNeu:
        return !(a == b);
    case kGeu:
        return unordered || a >= b;
    case kF:
        break;
    }
    return false;
}

} // namespace

FloatOrder float_order(const Step &step, const std::uint32_t *row) {
    const float a = source(step.a(row), step.insn->abs_a, step.insn->neg_a);
    const float b = source(step.b(row), step.insn->abs_b, step.insn->neg_b);
    return {.less = a < b, .equal = a == b, .unordered = std::isnan(a) || std::isnan(b)};
}

std::uint32_t float_bits(float value) {
    return std::isnan(value) ? kCanonicalNan : std::bit_cast<std::uint32_t>(value);
}

float to_float(std::uint32_t bits) {
    return std::bit_cast<float>(bits);
}

std::uint64_t double_bits(double value) {
    return std::isnan(value) ? kCanonicalNan64 : std::bit_cast<std::uint64_t>(value);
}

double to_double(std::uint64_t bits) {
    return std::bit_cast<double>(bits);
}

void execute_float(const Step &step, std::uint32_t *row, std::uint8_t &predicates) {
    const Instruction &insn = *step.insn;
    const float a = source(step.a(row), insn.abs_a, insn.neg_a);
    const float b = source(step.b(row), insn.abs_b, insn.neg_b);
    switch (step.op) {
    case isa::Op::kFadd:
        row[step.rd] = float_bits(a + b);
        break;
    case isa::Op::kFmul:
        row[step.rd] = float_bits(a * b);
        break;
    case isa::Op::kFfma:
        row[step.rd] = float_bits(std::fma(a, b, source(step.c(row), insn.abs_c, insn.neg_c)));
        break;
    default: { // FSETP
        const bool holds = compare(static_cast<isa::Compare>(insn.mod[0]), a, b);
        const auto op = static_cast<isa::Combine>(insn.mod[2]);
        const bool p = predicate(predicates, insn.pp, insn.pp_not);
        set_predicate(predicates, insn.pu, combine(op, holds, p));
        set_predicate(predicates, insn.pv, combine(op, !holds, p));
        break;
    }
    }
}

} // namespace smsim::oracle
