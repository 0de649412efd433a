// Single- and double-precision arithmetic and comparison, compared with quadruple precision.
#include "tb/unit/sm/compute_support.h"

namespace smsim::sm::compute::test {
namespace {

constexpr Rounding kModes[] = {Rounding::kRn, Rounding::kRm, Rounding::kRp, Rounding::kRz};

std::uint64_t signed32(std::uint64_t bits, bool absolute, bool negate) {
    return ((absolute ? bits & 0x7fffffff : bits) ^ (negate ? 0x80000000 : 0)) & 0xffffffff;
}
std::uint64_t flush(std::uint64_t bits) {
    return (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
}

/// The modifiers .FTZ and .SAT around an operation on floats.
template <typename F>
std::uint64_t around(const Instruction &insn, std::uint64_t a, std::uint64_t b, std::uint64_t c, F f) {
    if (insn.mod[1] != 0) {
        a = flush(a);
        b = flush(b);
        c = flush(c);
    }
    std::uint64_t result = bits_of(f(f32(a), f32(b), f32(c)));
    if (insn.mod[1] != 0) {
        result = flush(result);
    }
    if (insn.mod[2] != 0) {
        const float value = f32(result);
        result = std::isnan(value) || value <= 0 ? 0 : value >= 1 ? 0x3f800000 : result;
    }
    return result;
}

template <typename F> void for_modifiers(Op op, F body) {
    for (const Rounding mode : kModes) {
        for (unsigned rest = 0; rest < 4; ++rest) {
            Instruction insn = make(op, Form::kR);
            insn.mod = {static_cast<std::uint8_t>(mode), static_cast<std::uint8_t>(rest & 1U),
                        static_cast<std::uint8_t>(rest >> 1)};
            body(insn, mode);
        }
    }
}

TEST(ComputeFadd, RoundsCorrectlyInAllModes) {
    for_modifiers(Op::kFadd, [](const Instruction &insn, Rounding mode) {
        check(
            insn, {}, floats(),
            [&](const In &in) -> Out {
                return {around(insn, in.a, in.b, 0, [mode](float a, float b, float) {
                    return reference_add<float>(a, b, std::signbit(a), std::signbit(b), mode);
                })};
            },
            20);
    });
}

TEST(ComputeFmul, RoundsCorrectlyInAllModes) {
    for_modifiers(Op::kFmul, [](const Instruction &insn, Rounding mode) {
        check(
            insn, {}, floats(),
            [&](const In &in) -> Out {
                return {around(insn, in.a, in.b, 0,
                               [mode](float a, float b, float) { return reference_multiply(a, b, mode); })};
            },
            20);
    });
}

TEST(ComputeFfma, RoundsOnceInAllModes) {
    for_modifiers(Op::kFfma, [](const Instruction &insn, Rounding mode) {
        check(
            insn, {}, floats(),
            [&](const In &in) -> Out {
                return {around(insn, in.a, in.b, in.c,
                               [mode](float a, float b, float c) { return reference_fma(a, b, c, mode); })};
            },
            20);
    });
}

TEST(ComputeFloat, AbsoluteValueComesBeforeNegation) {
    for (unsigned signs = 0; signs < 16; ++signs) {
        Instruction insn = make(Op::kFadd, Form::kR);
        insn.abs_a = (signs & 1U) != 0;
        insn.neg_a = (signs & 2U) != 0;
        check(
            insn, {}, floats(),
            [&](const In &in) -> Out {
                const float a = f32(signed32(in.a, insn.abs_a, insn.neg_a));
                return {bits_of(
                    reference_add<float>(a, f32(in.b), std::signbit(a), std::signbit(f32(in.b)), Rounding::kRn))};
            },
            5);
        // Source b in form R, where it can carry signs.
        Warp warp;
        insn.abs_b = (signs & 4U) != 0;
        insn.neg_b = (signs & 8U) != 0;
        insn.rd = 3;
        insn.ra = isa::kRz;
        insn.rb = 2;
        insn.neg_a = true; // -0 + b is b, zeros included
        insn.abs_a = false;
        warp.fill(2,
                  [](unsigned lane) { return std::bit_cast<std::uint32_t>((lane % 2 != 0 ? -1.5F : 0.25F) * lane); });
        warp.run(insn);
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            ASSERT_EQ(warp.regs.value(3, lane), signed32(warp.regs.value(2, lane), insn.abs_b, insn.neg_b));
        }
    }
}

TEST(ComputeFfma, NegatesEachSource) {
    for (unsigned signs = 0; signs < 8; ++signs) {
        Warp warp;
        Instruction insn = make(Op::kFfma, Form::kR);
        insn.neg_a = (signs & 1U) != 0;
        insn.neg_b = (signs & 2U) != 0;
        insn.neg_c = (signs & 4U) != 0;
        insn.rd = 4;
        insn.ra = 1;
        insn.rb = 2;
        insn.rc = 3;
        const auto value = [](unsigned lane, float scale) { return scale * (static_cast<float>(lane) - 11.5F); };
        warp.fill(1, [&](unsigned lane) { return bits_of(value(lane, 1.25F)); });
        warp.fill(2, [&](unsigned lane) { return bits_of(value(lane, -3.0F)); });
        warp.fill(3, [&](unsigned lane) { return bits_of(value(lane, 7.0F)); });
        warp.run(insn);
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            const double a = (insn.neg_a ? -1.0 : 1.0) * value(lane, 1.25F);
            const double b = (insn.neg_b ? -1.0 : 1.0) * value(lane, -3.0F);
            const double c = (insn.neg_c ? -1.0 : 1.0) * value(lane, 7.0F);
            ASSERT_EQ(warp.regs.value(4, lane), bits_of(static_cast<float>(a * b + c)));
        }
    }
}

TEST(ComputeFloat, RoundingModeOfTheHostIsRestored) {
    Warp warp;
    Instruction insn = make(Op::kFadd, Form::kI);
    insn.mod[0] = static_cast<std::uint8_t>(Rounding::kRp);
    insn.rd = 1;
    insn.ra = 1;
    insn.imm = 0x33800000; // 2^-24
    warp.fill(1, [](unsigned) { return 0x3f800000U; });
    warp.run(insn);
    EXPECT_EQ(warp.regs.value(1, 0), 0x3f800001U);
    volatile float one = 1.0F;
    volatile float small = 0x1p-24F;
    EXPECT_EQ(one + small, 1.0F);
}

TEST(ComputeFmnmx, NumberWinsOverNanAndMinusZeroIsBelowZero) {
    for (const bool ftz : {false, true}) {
        Instruction insn = make(Op::kFmnmx, Form::kR);
        insn.mod[0] = ftz;
        insn.abs_a = ftz;
        insn.neg_a = true;
        check(
            insn, {}, floats(),
            [&](const In &in) -> Out {
                const std::uint64_t a = ftz ? flush(signed32(in.a, true, true)) : signed32(in.a, false, true);
                const std::uint64_t b = ftz ? flush(in.b) : in.b;
                const float x = f32(a);
                const float y = f32(b);
                if (std::isnan(x) || std::isnan(y)) {
                    return {std::isnan(x) && std::isnan(y) ? 0x7fffffffU : std::isnan(x) ? b : a};
                }
                const bool x_first = x < y || (x == y && std::signbit(x));
                return {x_first == in.pp ? a : b};
            },
            40);
    }
}

/// The sixteen comparisons from their definition; index = isa::Compare.
template <typename F> bool compare_as(unsigned compare, F a, F b) {
    const bool nan = std::isnan(a) || std::isnan(b);
    const bool table[] = {false,
                          a<b, a == b, a <= b, a>
                              b,
                          !nan && a != b,
                          a >= b,
                          true,
                          !nan,
                          nan,
                          nan || a < b,
                          nan || a == b,
                          nan || a <= b,
                          nan || a > b,
                          nan || a != b,
                          nan || a >= b};
    return table[compare];
}
bool join(unsigned how, bool x, bool y) {
    return how == 0 ? x && y : how == 1 ? x || y : x != y;
}

TEST(ComputeFsetp, EveryComparisonAndCombination) {
    for (unsigned compare = 0; compare < 16; ++compare) {
        for (const bool ftz : {false, true}) {
            for (unsigned how = 0; how < 3; ++how) {
                Instruction insn = make(Op::kFsetp, Form::kR);
                insn.mod = {static_cast<std::uint8_t>(compare), ftz, static_cast<std::uint8_t>(how)};
                insn.pu = 2;
                insn.pv = 3;
                insn.abs_a = how == 2;
                check(
                    insn, {.writes_rd = false}, floats(),
                    [&](const In &in) -> Out {
                        const std::uint64_t a = signed32(in.a, insn.abs_a, false);
                        const bool condition =
                            compare_as(compare, f32(ftz ? flush(a) : a), f32(ftz ? flush(in.b) : in.b));
                        return {0, join(how, condition, in.pp), join(how, !condition, in.pp)};
                    },
                    5);
            }
        }
    }
}

TEST(ComputeFsetp, FlushMakesSubnormalsEqualToZero) {
    Warp warp;
    Instruction insn = make(Op::kFsetp, Form::kI);
    insn.mod = {static_cast<std::uint8_t>(isa::Compare::kEq), 0, 0};
    insn.pu = 0;
    insn.ra = 1;
    warp.fill(1, [](unsigned) { return 0x80000001U; });
    warp.run(insn);
    EXPECT_EQ(warp.regs.predicate(0), LaneMask());
    insn.mod[1] = 1;
    warp.run(insn);
    EXPECT_EQ(warp.regs.predicate(0), LaneMask::all());
}

// --- double precision -----------------------------------------------------------------------------------------------

const Widths kDoubles{.a = true, .b = true, .c = true, .rd = true, .writes_rd = true, .immediate = [](std::uint32_t v) {
                          return std::uint64_t{v} << 32;
                      }};

TEST(ComputeDadd, RoundsCorrectlyInAllModes) {
    for (const Rounding mode : kModes) {
        Instruction insn = make(Op::kDadd, Form::kR);
        insn.mod[0] = static_cast<std::uint8_t>(mode);
        insn.neg_a = mode == Rounding::kRm;
        insn.abs_a = mode == Rounding::kRp;
        check(
            insn, kDoubles, doubles(),
            [&](const In &in) -> Out {
                const double a = insn.neg_a ? -f64(in.a) : insn.abs_a ? std::abs(f64(in.a)) : f64(in.a);
                return {bits_of(reference_add<double>(a, f64(in.b), std::signbit(a), std::signbit(f64(in.b)), mode))};
            },
            30);
    }
}

TEST(ComputeDmul, RoundsCorrectlyInAllModes) {
    for (const Rounding mode : kModes) {
        Instruction insn = make(Op::kDmul, Form::kR);
        insn.mod[0] = static_cast<std::uint8_t>(mode);
        check(
            insn, kDoubles, doubles(),
            [mode](const In &in) -> Out { return {bits_of(reference_multiply(f64(in.a), f64(in.b), mode))}; }, 30);
    }
}

TEST(ComputeDfma, RoundsOnceInAllModes) {
    for (const Rounding mode : kModes) {
        Instruction insn = make(Op::kDfma, Form::kR);
        insn.mod[0] = static_cast<std::uint8_t>(mode);
        check(
            insn, kDoubles, doubles(),
            [mode](const In &in) -> Out { return {bits_of(reference_fma(f64(in.a), f64(in.b), f64(in.c), mode))}; },
            30);
    }
}

TEST(ComputeDsetp, EveryComparisonAndCombination) {
    Widths widths = kDoubles;
    widths.writes_rd = false;
    widths.rd = false;
    for (unsigned compare = 0; compare < 16; ++compare) {
        for (unsigned how = 0; how < 3; ++how) {
            Instruction insn = make(Op::kDsetp, Form::kR);
            insn.mod = {static_cast<std::uint8_t>(compare), static_cast<std::uint8_t>(how)};
            insn.pu = 2;
            insn.pv = 3;
            check(
                insn, widths, doubles(),
                [=](const In &in) -> Out {
                    const bool condition = compare_as(compare, f64(in.a), f64(in.b));
                    return {0, join(how, condition, in.pp), join(how, !condition, in.pp)};
                },
                5);
        }
    }
}

TEST(ComputeNan, ResultsAreCanonical) {
    Warp warp;
    warp.fill(1, [](unsigned) { return 0xffc12345U; });
    Instruction add = make(Op::kFadd, Form::kR);
    add.rd = 2;
    add.ra = 1;
    warp.run(add);
    EXPECT_EQ(warp.regs.value(2, 0), 0x7fffffffU);
    Instruction wide = make(Op::kDadd, Form::kI);
    wide.rd = 4;
    wide.imm = 0xfff80000;
    warp.run(wide);
    EXPECT_EQ(warp.regs.pair(4, 31), 0x7fffffffffffffffULL);
}

} // namespace
} // namespace smsim::sm::compute::test
