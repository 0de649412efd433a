// Condition flags set by operations with .CC (engines.md token_stack), compared with wide arithmetic.
#include <algorithm>

#include "tb/unit/sm/compute_support.h"

namespace smsim::sm::compute::test {
namespace {

using Wide = __int128;

struct Flags {
    bool z = false;
    bool s = false;
    bool c = false;
    bool o = false;
    friend bool operator==(const Flags &, const Flags &) = default;
};

void PrintTo(const Flags &flags, std::ostream *out) {
    *out << (flags.z ? "Z" : "-") << (flags.s ? "S" : "-") << (flags.c ? "C" : "-") << (flags.o ? "O" : "-");
}

Instruction with_flags(Op op) {
    Instruction insn = make(op, Form::kR);
    insn.mod[insn.spec().modifiers.size() - 1] = 1;
    insn.ra = 1;
    insn.rb = 2;
    insn.rc = 3;
    return insn;
}

/// Executes `insn` on many values of R1, R2, R3 and compares the flags of every thread; RZ as destination suppresses
/// none of them.
void check_flags(Instruction insn, const Source &source, const std::function<Flags(const In &)> &expected) {
    std::mt19937_64 random(17);
    for (unsigned round = 0; round < 60; ++round) {
        Warp warp;
        std::array<In, kLanes> in;
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            in[lane] = {source(random), source(random), source(random), random() % 2 != 0};
            in[lane].b = random() % 4 == 0 ? in[lane].a : in[lane].b; // equal values are not rare
            warp.regs.set(1, lane, in[lane].a32());
            warp.regs.set(2, lane, in[lane].b32());
            warp.regs.set(3, lane, in[lane].c32());
            warp.regs.set_predicate(1, in[lane].pp ? LaneMask::all() : LaneMask(), LaneMask::lane(lane));
            in[lane].a = in[lane].a32();
            in[lane].b = in[lane].b32();
            in[lane].c = in[lane].c32();
        }
        insn.rd = round % 2 == 0 ? isa::kRz : 1;
        warp.run(insn);
        const ConditionFlags &flags = warp.regs.flags();
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            const Flags found{flags.zero.test(lane), flags.sign.test(lane), flags.carry.test(lane),
                              flags.overflow.test(lane)};
            ASSERT_EQ(found, expected(in[lane])) << std::hex << in[lane].a << " " << in[lane].b << " " << in[lane].c;
        }
    }
}

std::int64_t s32(std::uint64_t v) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(v));
}

TEST(ComputeFlags, OfASumAreZeroSignCarryAndSignedOverflow) {
    check_flags(with_flags(Op::kIadd3), integers(), [](const In &in) -> Flags {
        const auto result = static_cast<std::uint32_t>(in.a + in.b + in.c);
        const Wide exact = Wide(s32(in.a)) + s32(in.b) + s32(in.c);
        return {result == 0, s32(result) < 0, Wide(in.a) + in.b + in.c > 0xffffffff, exact != s32(result)};
    });
}

TEST(ComputeFlags, OfADifferenceHaveNoBorrowAsCarry) {
    Instruction insn = with_flags(Op::kIadd3);
    insn.neg_b = true;
    insn.rc = isa::kRz;
    check_flags(insn, integers(), [](const In &in) -> Flags {
        const auto result = static_cast<std::uint32_t>(in.a - in.b);
        return {result == 0, s32(result) < 0, in.a >= in.b, Wide(s32(in.a)) - s32(in.b) != s32(result)};
    });
}

TEST(ComputeFlags, OfAnExtendedSumIncludeTheCarryIn) {
    Instruction insn = with_flags(Op::kIadd3);
    insn.mod[0] = 1;
    insn.pp = 1;
    insn.rc = isa::kRz;
    check_flags(insn, integers(), [](const In &in) -> Flags {
        const auto result = static_cast<std::uint32_t>(in.a + in.b + (in.pp ? 1 : 0));
        const Wide exact = Wide(s32(in.a)) + s32(in.b) + (in.pp ? 1 : 0);
        return {result == 0, s32(result) < 0, Wide(in.a) + in.b + (in.pp ? 1 : 0) > 0xffffffff, exact != s32(result)};
    });
}

TEST(ComputeFlags, OfAnIntegerCompareAreThoseOfTheDifferenceForEveryComparison) {
    for (const auto compare : {isa::Compare::kF, isa::Compare::kLt, isa::Compare::kGe}) {
        for (const bool is_unsigned : {false, true}) {
            Instruction insn = with_flags(Op::kIsetp);
            insn.mod[0] = static_cast<std::uint8_t>(compare);
            insn.mod[1] = is_unsigned ? 1 : 0;
            check_flags(insn, integers(), [](const In &in) -> Flags {
                const auto result = static_cast<std::uint32_t>(in.a - in.b);
                return {result == 0, s32(result) < 0, in.a >= in.b, Wide(s32(in.a)) - s32(in.b) != s32(result)};
            });
        }
    }
}

TEST(ComputeFlags, OfLogicHaveNeitherCarryNorOverflow) {
    for (const std::uint32_t table : {0xc0U, 0x96U}) {
        Instruction insn = with_flags(Op::kLop3);
        insn.imm2 = table;
        check_flags(insn, integers(), [table](const In &in) -> Flags {
            const auto result = static_cast<std::uint32_t>(table == 0xc0 ? in.a & in.b : in.a ^ in.b ^ in.c);
            return {result == 0, s32(result) < 0, false, false};
        });
    }
}

float f32(std::uint64_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

Flags of_float(float value) {
    return {value == 0 || std::isnan(value), value < 0 || std::isnan(value), false, false};
}

TEST(ComputeFlags, OfFloatArithmeticAreThoseOfTheResultAndBothOfANan) {
    check_flags(with_flags(Op::kFadd), floats(), [](const In &in) { return of_float(f32(in.a) + f32(in.b)); });
    check_flags(with_flags(Op::kFmul), floats(), [](const In &in) { return of_float(f32(in.a) * f32(in.b)); });
    check_flags(with_flags(Op::kFfma), floats(),
                [](const In &in) { return of_float(std::fma(f32(in.a), f32(in.b), f32(in.c))); });
}

TEST(ComputeFlags, OfAFloatCompareAreZeroAndSignBothForUnordered) {
    check_flags(with_flags(Op::kFsetp), floats(), [](const In &in) -> Flags {
        const float a = f32(in.a);
        const float b = f32(in.b);
        const bool unordered = std::isnan(a) || std::isnan(b);
        return {a == b || unordered, a < b || unordered, false, false};
    });
}

TEST(ComputeFlags, ChangeInThreadsThatExecuteAnInstructionWithCcOnly) {
    Warp warp;
    Instruction insn = with_flags(Op::kIadd3); // 0 + 0 + 0
    warp.run(insn, LaneMask(0x0f));
    EXPECT_EQ(warp.regs.flags().zero, LaneMask(0x0f));
    insn.mod[1] = 0;
    warp.fill(1, [](unsigned) { return 1; });
    warp.run(insn);
    EXPECT_EQ(warp.regs.flags().zero, LaneMask(0x0f));
    insn.mod[1] = 1;
    warp.run(insn, LaneMask(0x03));
    EXPECT_EQ(warp.regs.flags().zero, LaneMask(0x0c));
}

TEST(ComputeFlags, LetABranchExecuteWhereItsTestHolds) {
    Warp warp;
    warp.regs.set_flags({LaneMask(0x0f), LaneMask(0x33), {}, {}}, LaneMask::all());
    Instruction branch = make(Op::kTokenBra, Form::kI);
    EXPECT_EQ(second_guard(warp.regs, branch), LaneMask::all());
    branch.test = ConditionTest::kEq;
    EXPECT_EQ(second_guard(warp.regs, branch), LaneMask(0x0c));
    Instruction exit = make(Op::kExit, Form::kX);
    warp.regs.set_predicate(2, LaneMask(0x55), LaneMask::all());
    exit.pp = 2;
    exit.pp_not = true;
    EXPECT_EQ(second_guard(warp.regs, exit), ~LaneMask(0x55));
}

} // namespace
} // namespace smsim::sm::compute::test
