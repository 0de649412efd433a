// The table of tensor.md 2, and the rules where it is silent: a type that a generation does not have is computed as by
// the first generation that has it.
#include "sm/datapath/compute/matrix/arithmetic.h"

#include <algorithm>

namespace smsim::sm::compute::matrix {
namespace {

/// The first generation from `arithmetic` on that has the types of the operation.
Arithmetic first_with(const MatrixOperation &op, Arithmetic arithmetic) {
    const Arithmetic first = is_fp8(op.a)            ? Arithmetic::k8_9
                             : op.a != Element::kF16 ? Arithmetic::k8_0
                                                     : Arithmetic::k7_0;
    return std::max(arithmetic, first);
}

/// Products of a block in terms of f16: the wider tf32 has half as many.
unsigned block_of(const MatrixOperation &op, unsigned of_f16) {
    return op.a == Element::kTf32 ? of_f16 / 2 : of_f16;
}

} // namespace

SumRule sum_rule(const MatrixOperation &op, Arithmetic arithmetic, bool zero_terms) {
    SumRule rule;
    const bool to_f16 = op.d == Element::kF16;
    rule.out = to_f16 ? Out::kF16 : Out::kF32;
    const Arithmetic generation = first_with(op, arithmetic);
    int unit = 0; // generations differ by one in the bits of the adder
    switch (generation) {
    case Arithmetic::k7_0:
        rule.block = 4;
        unit = 23;
        break;
    case Arithmetic::k7_5:
    case Arithmetic::k8_0:
    case Arithmetic::k8_9:
        rule.block = block_of(op, 8);
        unit = 24;
        break;
    case Arithmetic::k9_0:
    case Arithmetic::kExact:
        rule.block = block_of(op, 16);
        unit = 25;
        break;
    }
    rule.kept = unit;
    if (is_fp8(op.a)) {
        rule.block = 16;
        rule.by_f16 = generation == Arithmetic::k9_0;
        if (!rule.by_f16) {
            rule.kept = 13;
            rule.out = to_f16 ? Out::kF16 : Out::kE8m13;
        }
    }
    if (zero_terms) {
        // -19, -20, -21 for f16 and -132, -133 for f32, of adders of 23, 24 and 25 bits.
        rule.least = to_f16 ? 4 - unit : -108 - unit;
    }
    return rule;
}

} // namespace smsim::sm::compute::matrix
