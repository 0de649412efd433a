// Integer arithmetic and comparison.
#include "sm/datapath/compute/operation.h"

namespace smsim::sm::compute {
namespace {

constexpr std::uint32_t kSignBit = 0x80000000U;

std::int64_t as_signed(std::uint32_t value) {
    return static_cast<std::int32_t>(value);
}

} // namespace

SMSIM_MULTIVERSION void execute_iadd3(const Operation &op) {
    // -x is ~x + 1. The ones of all negated sources are added up front; .X leaves them out, because the carry from pp
    // replaces them: this extends a subtraction over two words.
    const std::uint32_t flip_a = op.insn.neg_a ? ~0U : 0U;
    const std::uint32_t flip_b = op.insn.neg_b ? ~0U : 0U;
    const std::uint32_t flip_c = op.insn.neg_c ? ~0U : 0U;
    const bool extended = op.insn.mod[0] != 0;
    const std::uint32_t ones = extended ? 0 : (flip_a & 1U) + (flip_b & 1U) + (flip_c & 1U);
    const std::uint32_t carry_in = extended ? predicate_pp(op).bits() : 0;
    const bool sets_flags = op.insn.mod[1] != 0;
    if (op.insn.pu == isa::kPt && !extended && !sets_flags) {
        map_abc(op, [=](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
            return (a ^ flip_a) + (b ^ flip_b) + (c ^ flip_c) + ones;
        });
        return;
    }
    Row buffer_b;
    Row buffer_c;
    Row result;
    Row carries;
    const std::uint32_t *a = source_a(op);
    const std::uint32_t *b = source_b(op, buffer_b);
    const std::uint32_t *c = source_c(op, buffer_c);
    // A sum below one of its terms has wrapped; in 32 bits the vectors hold twice as many lanes as in 64.
    for (unsigned i = 0; i < kLanes; ++i) {
        const std::uint32_t x = a[i] ^ flip_a;
        const std::uint32_t two = x + (b[i] ^ flip_b);
        const std::uint32_t z = c[i] ^ flip_c;
        const std::uint32_t three = two + z;
        const std::uint32_t more = ones + ((carry_in >> i) & 1U);
        const std::uint32_t sum = three + more;
        result.lane[i] = sum;
        carries.lane[i] = static_cast<std::uint32_t>(two < x) | static_cast<std::uint32_t>(three < z) |
                          static_cast<std::uint32_t>(sum < more);
    }
    const LaneMask carry = lanes_where([&carries](unsigned i) { return carries.lane[i]; });
    if (sets_flags) {
        ConditionFlags flags = flags_of(result);
        flags.carry = carry;
        flags.overflow = lanes_where([&, a, b, c](unsigned i) {
            const std::int64_t exact = as_signed(a[i] ^ flip_a) + as_signed(b[i] ^ flip_b) + as_signed(c[i] ^ flip_c) +
                                       ones + ((carry_in >> i) & 1U);
            return exact != as_signed(result.lane[i]);
        });
        op.regs.set_flags(flags, op.executed);
    }
    write_rd(op, result);
    op.regs.set_predicate(op.insn.pu, carry, op.executed);
}

SMSIM_MULTIVERSION void execute_imad(const Operation &op) {
    enum class Mode : std::uint8_t { kLow, kHigh, kWide };
    const bool is_unsigned = op.insn.mod[1] != 0;
    switch (modifier<Mode>(op, 0)) {
    case Mode::kHigh:
        if (is_unsigned) {
            map_abc(op, [](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
                return static_cast<std::uint32_t>((std::uint64_t{a} * b) >> 32) + c;
            });
        } else {
            map_abc(op, [](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
                return static_cast<std::uint32_t>(static_cast<std::uint64_t>(as_signed(a) * as_signed(b)) >> 32) + c;
            });
        }
        return;
    case Mode::kWide: {
        Row buffer_b;
        PairBuffer buffer_c;
        PairBuffer result;
        const auto imm = static_cast<std::uint32_t>(op.insn.imm);
        const std::uint32_t *a = source_a(op);
        const std::uint32_t *b = source_b(op, buffer_b);
        const PairRows c = pair_c(op, buffer_c, is_unsigned ? imm : static_cast<std::uint64_t>(as_signed(imm)));
        for (unsigned i = 0; i < kLanes; ++i) {
            const std::uint64_t product = is_unsigned ? std::uint64_t{a[i]} * b[i]
                                                      : static_cast<std::uint64_t>(as_signed(a[i]) * as_signed(b[i]));
            split(result, i, product + join(c, i));
        }
        write_rd_pair(op, result);
        return;
    }
    case Mode::kLow:
        break;
    }
    map_abc(op, [](std::uint32_t a, std::uint32_t b, std::uint32_t c) { return a * b + c; });
}

SMSIM_MULTIVERSION void execute_lea(const Operation &op) {
    const unsigned shift = op.insn.imm2 & 31U;
    map_ab(op, [shift](std::uint32_t a, std::uint32_t b) { return (a << shift) + b; });
}

SMSIM_MULTIVERSION void execute_iabs(const Operation &op) {
    map_b(op, [](std::uint32_t b) { return (b & kSignBit) != 0 ? 0U - b : b; });
}

SMSIM_MULTIVERSION void execute_imnmx(const Operation &op) {
    // Signed order is unsigned order with the sign bit flipped, and vice versa.
    const std::uint32_t flip = op.insn.mod[0] != 0 ? kSignBit : 0;
    const std::uint32_t take_minimum = predicate_pp(op).bits();
    Row buffer;
    Row result;
    const std::uint32_t *a = source_a(op);
    const std::uint32_t *b = source_b(op, buffer);
    for (unsigned i = 0; i < kLanes; ++i) {
        const bool less = static_cast<std::int32_t>(a[i] ^ flip) < static_cast<std::int32_t>(b[i] ^ flip);
        const bool minimum = ((take_minimum >> i) & 1U) != 0;
        result.lane[i] = less == minimum ? a[i] : b[i];
    }
    write_rd(op, result);
}

SMSIM_MULTIVERSION void execute_isetp(const Operation &op) {
    const std::uint32_t flip = op.insn.mod[1] != 0 ? kSignBit : 0;
    Row buffer;
    const std::uint32_t *a = source_a(op);
    const std::uint32_t *b = source_b(op, buffer);
    const auto less = [flip](const std::uint32_t *x, const std::uint32_t *y) {
        return lanes_where([=](unsigned i) {
            return static_cast<std::int32_t>(x[i] ^ flip) < static_cast<std::int32_t>(y[i] ^ flip);
        });
    };
    LaneMask condition;
    switch (modifier<isa::Compare>(op, 0)) {
    case isa::Compare::kLt:
        condition = less(a, b);
        break;
    case isa::Compare::kGe:
        condition = ~less(a, b);
        break;
    case isa::Compare::kGt:
        condition = less(b, a);
        break;
    case isa::Compare::kLe:
        condition = ~less(b, a);
        break;
    case isa::Compare::kEq:
        condition = lanes_where([a, b](unsigned i) { return a[i] == b[i]; });
        break;
    case isa::Compare::kNe:
        condition = lanes_where([a, b](unsigned i) { return a[i] != b[i]; });
        break;
    case isa::Compare::kT:
        condition = LaneMask::all();
        break;
    default: // kF
        break;
    }
    if (op.insn.mod[3] != 0) { // .CC: flags of a - b
        Row difference;
        for (unsigned i = 0; i < kLanes; ++i) {
            difference.lane[i] = a[i] - b[i];
        }
        ConditionFlags flags = flags_of(difference);
        flags.carry = lanes_where([a, b](unsigned i) { return a[i] >= b[i]; });
        flags.overflow =
            lanes_where([&, a, b](unsigned i) { return ((a[i] ^ b[i]) & (a[i] ^ difference.lane[i])) >> 31; });
        op.regs.set_flags(flags, op.executed);
    }
    write_setp(op, condition, modifier<isa::Combine>(op, 2));
}

} // namespace smsim::sm::compute
