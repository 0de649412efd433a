// Arithmetic on pairs of 16-bit floats compared with the list of all numbers of the format: the exact result lies
// between two of them, and rounding gives the nearer one, or the even one of two equally near.
#include <algorithm>
#include <cfenv>

#include "tb/unit/sm/compute_support.h"

namespace smsim::sm::compute::test {
namespace {

using isa::HalfFormat;
using isa::HalfLimit;

constexpr std::uint32_t kNan = 0x7fff;
constexpr std::uint32_t kSign = 0x8000;

/// A format as the list of its numbers from +0 to the largest one, and the one that would follow it.
class Numbers {
  public:
    explicit Numbers(HalfFormat format)
        : digits_(format == HalfFormat::kF16 ? 10 : 7), bias_(format == HalfFormat::kF16 ? 15 : 127) {
        for (std::uint32_t bits = 0; bits <= infinity(); ++bits) {
            const int field = static_cast<int>(bits >> digits_);
            const std::uint32_t fraction = bits & ((1U << digits_) - 1);
            values_.push_back(
                std::ldexp(field == 0 ? fraction : fraction + (1U << digits_), std::max(field, 1) - bias_ - digits_));
        }
    }

    std::uint32_t infinity() const { return static_cast<std::uint32_t>(2 * bias_ + 1) << digits_; }
    std::uint32_t one() const { return static_cast<std::uint32_t>(bias_) << digits_; }
    std::uint32_t least_normal() const { return 1U << digits_; }
    double value(std::uint32_t bits) const {
        const std::uint32_t magnitude = bits & ~kSign;
        const double number = magnitude > infinity()    ? std::numeric_limits<double>::quiet_NaN()
                              : magnitude == infinity() ? std::numeric_limits<double>::infinity()
                                                        : values_[magnitude];
        return (bits & kSign) != 0 ? -number : number;
    }

    /// The number nearest to `exact`, which may have been moved to an odd neighbour: no number and no midpoint of two
    /// has an odd last bit.
    std::uint32_t nearest(double exact) const {
        if (std::isnan(exact)) {
            return kNan;
        }
        const std::uint32_t sign = std::signbit(exact) ? kSign : 0;
        const double magnitude = std::fabs(exact);
        const auto above = std::upper_bound(values_.begin(), values_.end(), magnitude);
        if (above == values_.end()) {
            return sign | infinity();
        }
        const auto upper = static_cast<std::uint32_t>(above - values_.begin());
        const double middle = (values_[upper - 1] + values_[upper]) / 2;
        const bool up = magnitude > middle || (magnitude == middle && upper % 2 == 0);
        return sign | (up ? upper : upper - 1);
    }

  private:
    int digits_;
    int bias_;
    std::vector<double> values_;
};

/// a * b + c in double precision, an inexact one with its last bit set; the host reports what is inexact.
double fused(double a, double b, double c) {
    const volatile double x = a;
    const volatile double y = b;
    const volatile double z = c;
    const int mode = std::fegetround();
    const volatile double nearest = std::fma(x, y, z); // has the sign of a zero
    std::fesetround(FE_TOWARDZERO);
    std::feclearexcept(FE_ALL_EXCEPT);
    const volatile double down = std::fma(x, y, z);
    const bool inexact = std::fetestexcept(FE_INEXACT) != 0;
    std::fesetround(mode);
    return inexact ? std::bit_cast<double>(std::bit_cast<std::uint64_t>(double{down}) | 1) : double{nearest};
}

std::uint32_t compute(Op op, const Numbers &numbers, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const double x = numbers.value(a);
    const double y = numbers.value(b);
    switch (op) {
    case Op::kHadd2:
        return numbers.nearest(fused(x, 1.0, y));
    case Op::kHmul2:
        return numbers.nearest(x * y);
    default:
        return numbers.nearest(fused(x, y, numbers.value(c)));
    }
}

/// One half with .FTZ, .SAT and .RELU around the operation.
std::uint32_t half_of(const Instruction &insn, const Numbers &numbers, std::uint32_t a, std::uint32_t b,
                      std::uint32_t c) {
    const auto flush = [&](std::uint32_t bits) {
        return insn.mod[1] != 0 && (bits & ~kSign) < numbers.least_normal() ? bits & kSign : bits;
    };
    const std::uint32_t result = flush(compute(insn.op, numbers, flush(a), flush(b), flush(c)));
    const double value = numbers.value(result);
    switch (static_cast<HalfLimit>(insn.mod[2])) {
    case HalfLimit::kSat:
        return value > 0 ? std::min(result, numbers.one()) : 0;
    case HalfLimit::kRelu:
        return value > 0 || std::isnan(value) ? result : 0;
    case HalfLimit::kNone:
        break;
    }
    return result;
}

std::uint64_t pair_of(const Instruction &insn, const Numbers &numbers, const In &in) {
    const auto half = [&](unsigned shift) {
        return half_of(insn, numbers, in.a32() >> shift & 0xffff, in.b32() >> shift & 0xffff,
                       in.c32() >> shift & 0xffff);
    };
    return half(0) | half(16) << 16;
}

/// Zeros, the smallest number, numbers around the smallest normal one and around 1, the largest, infinities, NaNs; and
/// random ones.
Source halves(const Numbers &numbers) {
    const auto half = [numbers](std::mt19937_64 &random) -> std::uint64_t {
        const std::uint32_t edges[] = {0,
                                       1,
                                       2,
                                       3,
                                       numbers.least_normal() - 1,
                                       numbers.least_normal(),
                                       numbers.least_normal() + 1,
                                       numbers.one() - 1,
                                       numbers.one(),
                                       numbers.one() + 1,
                                       numbers.one() + 3,
                                       numbers.infinity() - 2,
                                       numbers.infinity() - 1,
                                       numbers.infinity(),
                                       numbers.infinity() + 1,
                                       kNan};
        if (random() % 3 == 0) {
            return random() & 0xffff;
        }
        const std::uint64_t draw = random();
        return edges[draw % std::size(edges)] | (draw >> 40 & kSign);
    };
    return [half](std::mt19937_64 &random) {
        const std::uint64_t low = half(random);
        return low | half(random) << 16;
    };
}

constexpr Op kOperations[] = {Op::kHadd2, Op::kHmul2, Op::kHfma2};
constexpr HalfFormat kFormats[] = {HalfFormat::kF16, HalfFormat::kBf16};

TEST(ComputeHalf, RoundsOnceInBothFormatsWithEveryModifier) {
    for (const HalfFormat format : kFormats) {
        const Numbers numbers(format);
        for (const Op op : kOperations) {
            for (std::uint8_t modifiers = 0; modifiers < 6; ++modifiers) {
                Instruction insn = make(op, Form::kR);
                insn.mod = {static_cast<std::uint8_t>(format), static_cast<std::uint8_t>(modifiers % 2),
                            static_cast<std::uint8_t>(modifiers / 2)};
                check(
                    insn, {}, halves(numbers), [&](const In &in) -> Out { return {pair_of(insn, numbers, in)}; }, 60);
            }
        }
    }
}

/// Operands of about the same magnitude, so that their digits overlap.
TEST(ComputeHalf, RoundsOnceWhereSumsCancelAndTiesAreBroken) {
    for (const HalfFormat format : kFormats) {
        const Numbers numbers(format);
        for (const Op op : kOperations) {
            Instruction insn = make(op, Form::kR);
            insn.mod[0] = static_cast<std::uint8_t>(format);
            insn.rd = 3;
            insn.ra = 4;
            insn.rb = 5;
            insn.rc = 6;
            std::mt19937_64 random(1);
            const auto near_one = [&] {
                const auto half = [&] {
                    const std::uint32_t around = numbers.one() / 2 + random() % numbers.one();
                    return around | (random() & kSign);
                };
                const std::uint64_t low = half();
                return static_cast<std::uint32_t>(low | half() << 16);
            };
            for (unsigned round = 0; round < 4000; ++round) {
                Warp warp;
                for (const std::uint8_t reg : {insn.ra, insn.rb, insn.rc}) {
                    warp.fill(reg, [&](unsigned) { return near_one(); });
                }
                warp.run(insn);
                for (unsigned lane = 0; lane < kLanes; ++lane) {
                    In in;
                    in.a = warp.regs.value(4, lane);
                    in.b = warp.regs.value(5, lane);
                    in.c = warp.regs.value(6, lane);
                    ASSERT_EQ(warp.regs.value(3, lane), pair_of(insn, numbers, in))
                        << insn.spec().name << std::hex << " a " << in.a << " b " << in.b << " c " << in.c;
                }
            }
        }
    }
}

std::uint32_t result_of(Instruction insn, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    Warp warp;
    insn.rd = 3;
    insn.ra = 4;
    insn.rb = 5;
    insn.rc = 6;
    warp.fill(4, [a](unsigned) { return a; });
    warp.fill(5, [b](unsigned) { return b; });
    warp.fill(6, [c](unsigned) { return c; });
    warp.run(insn);
    return warp.regs.value(3, 17);
}

TEST(ComputeHalf, AFusedSumFarBelowATieDecidesIt) {
    Instruction insn = make(Op::kHfma2, Form::kR);
    // 3 * 683 = 2049 is the midpoint of 2048 and 2050; the smallest number of the format moves it away.
    EXPECT_EQ(result_of(insn, 0x42004200, 0x61566156, 0x80010001), 0x68006801U);
    insn.mod[0] = static_cast<std::uint8_t>(HalfFormat::kBf16);
    // 7 * 37 = 259 is that of 258 and 260; it would be 260, and the smallest number is 141 binary orders below.
    EXPECT_EQ(result_of(insn, 0x40e040e0, 0x42144214, 0x80010000), 0x43814382U);
    EXPECT_EQ(result_of(insn, 0xc0e0c0e0, 0x42144214, 0x00018000), 0xc381c382U);
}

TEST(ComputeHalf, EachSourceCanGiveOneOfItsHalvesToBoth) {
    const std::uint32_t a = 0x3c004000; // 1 above 2
    const std::uint32_t b = 0x42004400; // 3 above 4
    const std::uint32_t c = 0x45004600; // 5 above 6
    Instruction insn = make(Op::kHfma2, Form::kR);
    const auto with = [&](std::uint8_t of_a, std::uint8_t of_b, std::uint8_t of_c) {
        insn.mod[3] = of_a;
        insn.mod[4] = of_b;
        insn.mod[5] = of_c;
        return result_of(insn, a, b, c);
    };
    EXPECT_EQ(with(0, 0, 0), 0x48004b00U); // 8, 14
    EXPECT_EQ(with(1, 0, 0), 0x49804b00U); // 11, 14
    EXPECT_EQ(with(2, 0, 0), 0x48004900U); // 8, 10
    EXPECT_EQ(with(0, 1, 0), 0x48804b00U); // 9, 14
    EXPECT_EQ(with(0, 2, 0), 0x48004a00U); // 8, 12
    EXPECT_EQ(with(0, 0, 1), 0x48804b00U); // 9, 14
    EXPECT_EQ(with(0, 0, 2), 0x48004a80U); // 8, 13
}

TEST(ComputeHalf, SignsOfASourceAreThoseOfBothHalvesAbsoluteValueFirst) {
    for (const Op op : kOperations) {
        Instruction insn = make(op, Form::kR);
        insn.neg_a = true;
        EXPECT_EQ(result_of(insn, 0xbc003c00, 0x3c003c00, 0), op == Op::kHadd2 ? 0x40000000U : 0x3c00bc00U);
        if (op != Op::kHfma2) {
            insn.abs_a = true;
            EXPECT_EQ(result_of(insn, 0xbc003c00, 0x3c003c00, 0), op == Op::kHadd2 ? 0x00000000U : 0xbc00bc00U);
        }
    }
    Instruction insn = make(Op::kHfma2, Form::kR);
    insn.neg_b = insn.neg_c = true;
    EXPECT_EQ(result_of(insn, 0x3c003c00, 0x3c004000, 0x40003c00), 0xc200c200U); // -1 - 2, -2 - 1
}

} // namespace
} // namespace smsim::sm::compute::test
