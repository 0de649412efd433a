// IADD3, IMAD, LEA, IABS, IMNMX and ISETP compared with wide integer arithmetic.
#include <algorithm>

#include "tb/unit/sm/compute_support.h"

namespace smsim::sm::compute::test {
namespace {

using Wide = __int128;

std::int64_t s32(std::uint64_t v) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(v));
}

TEST(ComputeIadd3, AddsAndNegatesEachSource) {
    // Source a can carry its sign in every form.
    for (const bool negate : {false, true}) {
        Instruction insn = make(Op::kIadd3, Form::kR);
        insn.neg_a = negate;
        check(insn, {}, integers(), [negate](const In &in) -> Out {
            return {static_cast<std::uint64_t>((negate ? -Wide(in.a) : Wide(in.a)) + Wide(in.b) + Wide(in.c))};
        });
    }
    for (unsigned negated = 0; negated < 8; ++negated) {
        Instruction insn = make(Op::kIadd3, Form::kR);
        insn.neg_a = (negated & 1U) != 0;
        insn.neg_b = (negated & 2U) != 0;
        insn.neg_c = (negated & 4U) != 0;
        Warp warp;
        std::mt19937_64 random(negated);
        warp.fill(1, [&](unsigned) { return static_cast<std::uint32_t>(random()); });
        warp.fill(2, [&](unsigned) { return static_cast<std::uint32_t>(random()); });
        warp.fill(3, [&](unsigned) { return static_cast<std::uint32_t>(random()); });
        insn.rd = 5;
        insn.ra = 1;
        insn.rb = 2;
        insn.rc = 3;
        warp.run(insn);
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            const auto term = [&](std::uint8_t reg, unsigned bit) {
                const Wide value = warp.regs.value(reg, lane);
                return (negated & bit) != 0 ? -value : value;
            };
            ASSERT_EQ(warp.regs.value(5, lane), static_cast<std::uint32_t>(term(1, 1) + term(2, 2) + term(3, 4)));
        }
    }
}

TEST(ComputeIadd3, CarryOutIsSetWhenTheSumPasses32Bits) {
    Instruction insn = make(Op::kIadd3, Form::kR);
    insn.pu = 2;
    check(insn, {}, integers(), [](const In &in) -> Out {
        const Wide sum = Wide(in.a) + Wide(in.b) + Wide(in.c);
        return {static_cast<std::uint64_t>(sum), sum > 0xffffffff, false};
    });
}

TEST(ComputeIadd3, ExtendedFormAddsTheCarryPredicate) {
    Instruction insn = make(Op::kIadd3, Form::kR);
    insn.mod[0] = 1;
    insn.pu = 2;
    for (const bool negated : {false, true}) {
        insn.pp_not = negated;
        check(insn, {}, integers(), [](const In &in) -> Out {
            const Wide sum = Wide(in.a) + Wide(in.b) + Wide(in.c) + (in.pp ? 1 : 0);
            return {static_cast<std::uint64_t>(sum), sum > 0xffffffff, false};
        });
    }
}

TEST(ComputeIadd3, PairsAddAndSubtract64Bits) {
    std::mt19937_64 random(7);
    const Source source = integers();
    for (const bool subtract : {false, true}) {
        for (unsigned round = 0; round < 20; ++round) {
            Warp warp;
            std::array<std::uint64_t, kLanes> x;
            std::array<std::uint64_t, kLanes> y;
            for (unsigned lane = 0; lane < kLanes; ++lane) {
                x[lane] = source(random);
                y[lane] = source(random);
                warp.regs.set_pair(4, lane, x[lane]);
                warp.regs.set_pair(6, lane, y[lane]);
            }
            Instruction low = make(Op::kIadd3, Form::kR);
            low.rd = 8;
            low.pu = 0;
            low.ra = 4;
            low.rb = 6;
            low.neg_b = subtract;
            Instruction high = low;
            high.mod[0] = 1;
            high.rd = 9;
            high.pu = 1;
            high.ra = 5;
            high.rb = 7;
            high.pp = 0;
            warp.run(low);
            warp.run(high);
            for (unsigned lane = 0; lane < kLanes; ++lane) {
                ASSERT_EQ(warp.regs.pair(8, lane), subtract ? x[lane] - y[lane] : x[lane] + y[lane]);
                // The last carry out of a subtraction means that nothing was borrowed.
                const bool carry = subtract ? x[lane] >= y[lane] : ((Wide(x[lane]) + Wide(y[lane])) >> 64) != 0;
                ASSERT_EQ(warp.regs.predicate(1).test(lane), carry) << x[lane] << " " << y[lane];
            }
        }
    }
}

TEST(ComputeImad, LowHalf) {
    check(make(Op::kImad, Form::kR), {}, integers(),
          [](const In &in) -> Out { return {static_cast<std::uint64_t>(Wide(in.a) * Wide(in.b) + Wide(in.c))}; });
}

TEST(ComputeImad, HighHalfSignedAndUnsigned) {
    Instruction insn = make(Op::kImad, Form::kR);
    insn.mod[0] = 1;
    check(insn, {}, integers(), [](const In &in) -> Out {
        return {static_cast<std::uint64_t>(((Wide(s32(in.a)) * s32(in.b)) >> 32) + Wide(in.c))};
    });
    insn.mod[1] = 1;
    check(insn, {}, integers(), [](const In &in) -> Out {
        return {static_cast<std::uint64_t>(((Wide(in.a) * Wide(in.b)) >> 32) + Wide(in.c))};
    });
}

TEST(ComputeImad, WideExtendsAnImmediateAddendBySign) {
    Instruction insn = make(Op::kImad, Form::kR);
    insn.mod[0] = 2;
    Widths widths{.c = true, .rd = true};
    // The immediate as b stays 32 bits; as c it is extended.
    widths.immediate = [](std::uint32_t v) { return static_cast<std::uint64_t>(s32(v)); };
    check(insn, widths, integers(), [](const In &in) -> Out {
        return {static_cast<std::uint64_t>(Wide(s32(in.a)) * s32(in.b) + Wide(static_cast<std::int64_t>(in.c)))};
    });
    insn.mod[1] = 1;
    widths.immediate = [](std::uint32_t v) { return std::uint64_t{v}; };
    check(insn, widths, integers(),
          [](const In &in) -> Out { return {static_cast<std::uint64_t>(Wide(in.a) * Wide(in.b) + Wide(in.c))}; });
}

TEST(ComputeLea, ShiftsThenAdds) {
    for (const unsigned shift : {0U, 1U, 4U, 31U}) {
        Instruction insn = make(Op::kLea, Form::kR);
        insn.imm2 = shift;
        check(insn, {}, integers(), [shift](const In &in) -> Out {
            return {static_cast<std::uint64_t>((Wide(in.a) << shift) + Wide(in.b))};
        });
    }
}

TEST(ComputeIabs, LeastNumberStays) {
    check(make(Op::kIabs, Form::kR), {}, integers(),
          [](const In &in) -> Out { return {static_cast<std::uint64_t>(std::abs(s32(in.b)))}; });
}

TEST(ComputeImnmx, PredicateChoosesMinimumOrMaximum) {
    for (const bool is_unsigned : {false, true}) {
        Instruction insn = make(Op::kImnmx, Form::kR);
        insn.mod[0] = is_unsigned ? 1 : 0;
        check(insn, {}, integers(), [is_unsigned](const In &in) -> Out {
            const std::int64_t a = is_unsigned ? static_cast<std::int64_t>(in.a) : s32(in.a);
            const std::int64_t b = is_unsigned ? static_cast<std::int64_t>(in.b) : s32(in.b);
            return {static_cast<std::uint64_t>(in.pp ? std::min(a, b) : std::max(a, b))};
        });
    }
}

TEST(ComputeIsetp, EveryComparisonTypeAndCombination) {
    for (unsigned compare = 0; compare < 8; ++compare) {
        for (const bool is_unsigned : {false, true}) {
            for (unsigned how = 0; how < 3; ++how) {
                Instruction insn = make(Op::kIsetp, Form::kR);
                insn.mod = {static_cast<std::uint8_t>(compare), is_unsigned, static_cast<std::uint8_t>(how)};
                insn.pu = 2;
                insn.pv = 3;
                insn.pp_not = how == 1;
                check(
                    insn, {.writes_rd = false}, integers(),
                    [=](const In &in) -> Out {
                        const std::int64_t a = is_unsigned ? static_cast<std::int64_t>(in.a) : s32(in.a);
                        const std::int64_t b = is_unsigned ? static_cast<std::int64_t>(in.b) : s32(in.b);
                        const bool table[] = {false, a<b, a == b, a <= b, a> b, a != b, a >= b, true};
                        const auto join = [&](bool x) {
                            return how == 0 ? x && in.pp : how == 1 ? x || in.pp : x != in.pp;
                        };
                        return {0, join(table[compare]), join(!table[compare])};
                    },
                    5);
            }
        }
    }
}

TEST(ComputeIsetp, ComplementStaysWhereBothDestinationsAreOne) {
    Warp warp;
    Instruction insn = make(Op::kIsetp, Form::kI);
    insn.mod = {2, 0, 0}; // EQ
    insn.pu = 3;
    insn.pv = 3;
    insn.ra = 1;
    warp.run(insn); // 0 == 0
    EXPECT_EQ(warp.regs.predicate(3), LaneMask());
}

} // namespace
} // namespace smsim::sm::compute::test
