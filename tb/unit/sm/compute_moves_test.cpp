// Registers, moves, special registers, constant memory, and the checks before any operation.
#include "tb/unit/sm/compute_support.h"

namespace smsim::sm::compute::test {
namespace {

using isa::SpecialRegister;

TEST(ComputeRegisters, ConstantRegistersDropWrites) {
    WarpRegisters regs(16);
    regs.set(isa::kRz, 3, 5);
    regs.set_pair(isa::kRz, 3, ~0ULL);
    regs.set_uniform(isa::kUrz, 5);
    regs.set_predicate(isa::kPt, LaneMask(), LaneMask::all());
    EXPECT_EQ(regs.value(isa::kRz, 3), 0U);
    EXPECT_EQ(regs.pair(isa::kRz, 3), 0U);
    EXPECT_EQ(regs.uniform(isa::kUrz), 0U);
    EXPECT_EQ(regs.uniform_pair(isa::kUrz), 0U);
    EXPECT_EQ(regs.predicate(isa::kPt), LaneMask::all());
    EXPECT_EQ(regs.predicate(isa::kPt, true), LaneMask());
    EXPECT_EQ(regs.value(0, 3), 0U) << "the pair RZ must not spill into R0";
}

TEST(ComputeRegisters, AllocationIsRoundedToGroupsAndBounded) {
    EXPECT_EQ(WarpRegisters(0).count(), 0U);
    EXPECT_EQ(WarpRegisters(1).count(), 8U);
    EXPECT_EQ(WarpRegisters(16).count(), 16U);
    EXPECT_EQ(WarpRegisters(255).count(), 255U);
    EXPECT_EQ(WarpRegisters(100000).count(), 255U);
    WarpRegisters regs(8);
    regs.set(200, 1, 7);
    EXPECT_EQ(regs.value(200, 1), 0U);
}

TEST(ComputeRegisters, ClearForgetsTheLastWarp) {
    WarpRegisters regs(8);
    regs.set(7, 31, 1);
    regs.set_uniform(62, 1);
    regs.set_predicate(6, LaneMask::all(), LaneMask::all());
    regs.clear();
    EXPECT_EQ(regs.value(7, 31), 0U);
    EXPECT_EQ(regs.uniform(62), 0U);
    EXPECT_EQ(regs.predicate(6), LaneMask());
    EXPECT_EQ(regs.predicate(isa::kPt), LaneMask::all());
}

TEST(ComputeGuard, IsThePredicateOrItsComplement) {
    WarpRegisters regs(8);
    regs.set_predicate(3, LaneMask(0x00ff00ff), LaneMask(0x0000ffff));
    EXPECT_EQ(guard(regs, 3, false), LaneMask(0x000000ff));
    EXPECT_EQ(guard(regs, 3, true), LaneMask(0xffffff00));
    EXPECT_EQ(guard(regs, isa::kPt, false), LaneMask::all());
    EXPECT_EQ(guard(regs, isa::kPt, true), LaneMask());
}

TEST(ComputeMov, CopiesEverySource) {
    check(make(Op::kMov, Form::kR), {}, integers(), [](const In &in) -> Out { return {in.b}; });
}

TEST(ComputeSel, PredicateChoosesTheFirstSource) {
    for (const bool negated : {false, true}) {
        Instruction insn = make(Op::kSel, Form::kR);
        insn.pp_not = negated;
        check(insn, {}, integers(), [](const In &in) -> Out { return {in.pp ? in.a : in.b}; });
    }
}

TEST(ComputeSpecialRegisters, EachOnEveryLane) {
    Warp warp;
    for (unsigned number = 0; number < isa::special_register_names().size(); ++number) {
        for (const Op op : {Op::kS2r, Op::kCs2r, Op::kS2ur}) {
            Instruction insn = make(op, Form::kX);
            insn.rd = 4;
            insn.imm2 = number;
            insn.mod[0] = 1; // CS2R.32
            warp.run(insn, LaneMask(0xfffffff0));
            for (unsigned lane = 4; lane < kLanes; ++lane) {
                const unsigned seen = op == Op::kS2ur ? 4 : lane;
                const unsigned thread = 32 + seen; // warp 1 of a 7 x 3 x 4 CTA
                const std::uint32_t bit = 1U << seen;
                const std::uint32_t below = bit - 1;
                const std::uint32_t table[] = {seen,
                                               1,
                                               thread % 7,
                                               thread / 7 % 3,
                                               thread / 21,
                                               3,
                                               4,
                                               5,
                                               7,
                                               3,
                                               4,
                                               8,
                                               9,
                                               10,
                                               6,
                                               bit,
                                               below,
                                               below | bit,
                                               ~(below | bit),
                                               ~below,
                                               0x9abcdef0,
                                               0x12345678,
                                               0x76543210,
                                               0xfedcba98};
                static_assert(std::size(table) == static_cast<unsigned>(SpecialRegister::kGlobalTimerHi) + 1);
                ASSERT_EQ(op == Op::kS2ur ? warp.regs.uniform(4) : warp.regs.value(4, lane), table[number])
                    << isa::special_register_names()[number] << " lane " << lane;
            }
            EXPECT_EQ(warp.regs.value(4, 0), 0U);
        }
    }
}

TEST(ComputeCs2r, SixtyFourBitsReadBothHalvesOrZero) {
    Warp warp;
    Instruction insn = make(Op::kCs2r, Form::kX);
    insn.rd = 4;
    insn.imm2 = static_cast<std::uint32_t>(SpecialRegister::kClockLo);
    warp.run(insn);
    EXPECT_EQ(warp.regs.pair(4, 9), warp.cycle);
    insn.imm2 = static_cast<std::uint32_t>(SpecialRegister::kGlobalTimerLo);
    warp.run(insn);
    EXPECT_EQ(warp.regs.pair(4, 9), warp.nanoseconds);
    insn.imm2 = static_cast<std::uint32_t>(SpecialRegister::kSmId);
    warp.run(insn);
    EXPECT_EQ(warp.regs.pair(4, 9), 6U);
}

TEST(ComputeIdentity, AnExtentOfZeroCountsAsOne) {
    const WarpIdentity identity = WarpIdentity::of({}, {0, 0, 0}, {}, 0, 0);
    EXPECT_EQ(identity.tid_z.lane[31], 31U);
}

TEST(ComputeUmov, EverySourceAndUrzDropped) {
    Warp warp;
    warp.regs.set_uniform(5, 77);
    warp.put_constant(0x20, 0x11223344);
    Instruction insn = make(Op::kUmov, Form::kU);
    insn.rd = 9;
    insn.ur = 5;
    warp.run(insn);
    EXPECT_EQ(warp.regs.uniform(9), 77U);
    insn.form = Form::kI;
    insn.imm = 0xfffffffe;
    warp.run(insn);
    EXPECT_EQ(warp.regs.uniform(9), 0xfffffffeU);
    insn.form = Form::kC;
    insn.const_bank = 2;
    insn.const_offset = 0x20;
    warp.run(insn);
    EXPECT_EQ(warp.regs.uniform(9), 0x11223344U);
    insn.rd = isa::kUrz;
    warp.run(insn);
    EXPECT_EQ(warp.regs.uniform(isa::kUrz), 0U);
    insn.rd = 62; // a uniform destination beyond the warp's general registers is legal
    WarpRegisters few(8);
    EXPECT_FALSE(execute(insn, few, LaneMask::lane(0), {warp.identity, warp.banks}).has_value());
    EXPECT_EQ(few.uniform(62), 0x11223344U);
}

TEST(ComputeR2ur, TakesTheLowestExecutedLane) {
    Warp warp;
    warp.fill(4, [](unsigned lane) { return 100 + lane; });
    Instruction insn = make(Op::kR2ur, Form::kR);
    insn.rd = 2;
    insn.ra = 4;
    warp.run(insn, LaneMask(0xff00));
    EXPECT_EQ(warp.regs.uniform(2), 108U);
}

TEST(ComputePredicateFile, MovesTheBitsOfTheMaskBothWays) {
    for (const std::uint32_t selected : {0x7fU, 0x15U, 0x00U, 0xffffff2aU}) {
        Warp warp;
        std::mt19937 random(selected);
        for (std::uint8_t p = 0; p < 7; ++p) {
            warp.regs.set_predicate(p, LaneMask(random()), LaneMask::all());
        }
        warp.fill(4, [&](unsigned) { return random(); });
        const auto file = [&](unsigned lane) {
            std::uint32_t bits = 0;
            for (std::uint8_t p = 0; p < 7; ++p) {
                bits |= static_cast<std::uint32_t>(warp.regs.predicate(p).test(lane)) << p;
            }
            return bits;
        };
        const std::uint32_t used = selected & 0x7f;
        const LaneMask mask(0x0ff0f00f);
        Instruction insn = make(Op::kP2r, Form::kI);
        insn.rd = 5;
        insn.ra = 4;
        insn.imm = selected;
        warp.run(insn, mask);
        std::array<std::uint32_t, kLanes> before;
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            before[lane] = file(lane);
            const std::uint32_t merged = (warp.regs.value(4, lane) & ~used) | (before[lane] & used);
            EXPECT_EQ(warp.regs.value(5, lane), mask.test(lane) ? merged : 0);
        }
        insn = make(Op::kR2p, Form::kI);
        insn.ra = 4;
        insn.imm = selected;
        warp.run(insn, mask);
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            const std::uint32_t merged = (before[lane] & ~used) | (warp.regs.value(4, lane) & used);
            EXPECT_EQ(file(lane), mask.test(lane) ? merged : before[lane]);
        }
    }
}

TEST(ComputeLdc, EveryAccessSizePerLane) {
    Warp warp;
    for (unsigned i = 0; i < warp.bytes.size(); ++i) {
        warp.bytes[i] = static_cast<std::uint8_t>(i * 37 + 11);
    }
    for (unsigned access = 0; access < 7; ++access) {
        const unsigned bytes = isa::access_bytes(static_cast<isa::Access>(access));
        const bool is_signed = access == 1 || access == 3;
        Instruction insn = make(Op::kLdc, Form::kC);
        insn.mod[0] = static_cast<std::uint8_t>(access);
        insn.rd = 8;
        insn.ra = 4;
        insn.const_bank = 2;
        insn.const_offset = 0x60;
        // Indices on both sides of zero: addresses wrap at 32 bits.
        const auto index = [bytes](unsigned lane) { return (lane % 6 - 3U) * bytes; };
        warp.fill(4, index);
        for (std::uint8_t reg = 8; reg < 12; ++reg) {
            warp.fill(reg, [](unsigned) { return 0xabadcafeU; });
        }
        const LaneMask mask(0xfffeffff);
        warp.run(insn, mask);
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            for (unsigned word = 0; word < 4; ++word) {
                std::uint32_t want = 0xabadcafe;
                if (mask.test(lane) && word * 4 < bytes) {
                    want = 0;
                    for (unsigned i = 0; i < std::min(bytes, 4U); ++i) {
                        want |= std::uint32_t{warp.bytes[0x60U + index(lane) + word * 4 + i]} << (8 * i);
                    }
                    const std::uint32_t sign = 1U << (8 * std::min(bytes, 4U) - 1);
                    want = is_signed ? (want ^ sign) - sign : want;
                }
                ASSERT_EQ(warp.regs.value(static_cast<std::uint8_t>(8 + word), lane), want) << access << " " << lane;
            }
        }
    }
}

TEST(ComputeLdc, IndexRegisterMayBeOverwritten) {
    Warp warp;
    warp.put_constant(0x10, 0xaaaaaaaabbbbbbbb);
    Instruction insn = make(Op::kLdc, Form::kC);
    insn.mod[0] = static_cast<std::uint8_t>(isa::Access::k64);
    insn.rd = 4;
    insn.ra = 4;
    warp.fill(4, [](unsigned) { return 0x10U; });
    warp.run(insn);
    EXPECT_EQ(warp.regs.pair(4, 17), 0xaaaaaaaabbbbbbbbULL);
}

TEST(ComputeLdc, FaultsArePrecise) {
    Warp warp;
    Instruction insn = make(Op::kLdc, Form::kC);
    insn.mod[0] = static_cast<std::uint8_t>(isa::Access::k32);
    insn.rd = 5;
    insn.ra = 4;
    warp.put_constant(0, 0x55);
    warp.fill(4, [](unsigned lane) { return lane == 9 ? 0xfdU : 0U; });
    auto fault = warp.execute(insn);
    ASSERT_TRUE(fault.has_value());
    EXPECT_EQ(fault->fault, Fault::kIllegalAddress);
    EXPECT_NE(fault->detail.find("lane 9: c[0][0xfd]"), std::string::npos) << fault->detail;
    EXPECT_EQ(warp.regs.value(5, 0), 0U) << "lanes before the faulting one must not change";
    warp.run(insn, ~LaneMask::lane(9));
    EXPECT_EQ(warp.regs.value(5, 0), 0x55U);
    warp.fill(4, [](unsigned) { return 2U; });
    fault = warp.execute(insn);
    ASSERT_TRUE(fault.has_value());
    EXPECT_EQ(fault->fault, Fault::kMisalignedAddress);
    warp.fill(4, [](unsigned) { return 0xfffffffcU; });
    fault = warp.execute(insn);
    ASSERT_TRUE(fault.has_value());
    EXPECT_EQ(fault->fault, Fault::kIllegalAddress);
    insn.const_bank = 200;
    fault = warp.execute(insn);
    ASSERT_TRUE(fault.has_value());
    EXPECT_EQ(fault->fault, Fault::kIllegalAddress);
}

TEST(ComputeConstant, OperandOutsideItsBankFaults) {
    Warp warp;
    Instruction insn = make(Op::kMov, Form::kC);
    insn.rd = 1;
    insn.const_offset = 0xfc;
    EXPECT_FALSE(warp.execute(insn).has_value());
    insn.const_offset = 0xfd;
    auto fault = warp.execute(insn);
    ASSERT_TRUE(fault.has_value());
    EXPECT_EQ(fault->fault, Fault::kIllegalAddress);
    EXPECT_NE(fault->detail.find("c[0][0xfd]"), std::string::npos) << fault->detail;
    insn.const_bank = 5;
    insn.const_offset = 0;
    EXPECT_TRUE(warp.execute(insn).has_value());
    // 64-bit operands need eight bytes.
    struct Case {
        Op op;
        Form form;
        std::array<std::uint8_t, isa::kMaxModifiers> mod;
        bool wide;
    };
    const Case cases[] = {
        {Op::kDadd, Form::kC, {}, true},     {Op::kDfma, Form::kRrc, {}, true},  {Op::kDsetp, Form::kC, {}, true},
        {Op::kImad, Form::kRrc, {2}, true},  {Op::kImad, Form::kC, {2}, false},  {Op::kF2i, Form::kC, {0, 1}, true},
        {Op::kF2i, Form::kC, {2, 0}, false}, {Op::kF2f, Form::kC, {0, 1}, true}, {Op::kI2f, Form::kC, {0, 2}, true},
        {Op::kI2f, Form::kC, {1, 0}, false}, {Op::kFfma, Form::kRrc, {}, false}};
    for (const Case &c : cases) {
        insn = make(c.op, c.form);
        insn.mod = c.mod;
        insn.const_offset = 0xfc;
        EXPECT_EQ(warp.execute(insn).has_value(), c.wide) << insn.spec().name;
    }
}

TEST(ComputeConstant, ReadersCheckBothEnds) {
    Warp warp;
    warp.put_constant(0xf8, 0x8877665544332211);
    EXPECT_EQ(read_constant64(warp.banks, 0, 0xf8), 0x8877665544332211ULL);
    EXPECT_EQ(read_constant32(warp.banks, 0, 0xfc), 0x88776655U);
    EXPECT_FALSE(read_constant64(warp.banks, 0, 0xf9).has_value());
    EXPECT_FALSE(read_constant32(warp.banks, 0, ~0ULL).has_value());
    EXPECT_FALSE(read_constant32(warp.banks, 32, 0).has_value());
}

TEST(ComputeExecute, RegisterThatTheWarpDoesNotHaveFaults) {
    Warp warp;
    for (std::uint8_t Instruction::*member : {&Instruction::rd, &Instruction::ra, &Instruction::rb, &Instruction::rc}) {
        Instruction insn = make(Op::kIadd3, Form::kR);
        insn.*member = 63;
        EXPECT_FALSE(warp.execute(insn).has_value());
        insn.*member = 64;
        const auto fault = warp.execute(insn);
        ASSERT_TRUE(fault.has_value());
        EXPECT_EQ(fault->fault, Fault::kIllegalInstruction);
        EXPECT_NE(fault->detail.find("R64"), std::string::npos) << fault->detail;
    }
}

TEST(ComputeExecute, NothingHappensWithoutLanes) {
    Warp warp;
    Instruction insn = make(Op::kUmov, Form::kI);
    insn.rd = 1;
    insn.imm = 5;
    EXPECT_FALSE(warp.execute(insn, LaneMask()).has_value());
    EXPECT_EQ(warp.regs.uniform(1), 0U);
}

TEST(ComputeExecute, KnowsEveryOperationOfItsUnitsInEveryForm) {
    Warp warp;
    for (const isa::OpSpec &spec : isa::all_operations()) {
        const bool compute_unit =
            spec.unit == isa::Unit::kAlu || spec.unit == isa::Unit::kFma || spec.unit == isa::Unit::kXu ||
            spec.unit == isa::Unit::kFp64 || spec.unit == isa::Unit::kHalf || spec.unit == isa::Unit::kUniform ||
            spec.unit == isa::Unit::kTensor || spec.op == Op::kLdc || spec.op == Op::kShfl || spec.op == Op::kMovm;
        EXPECT_EQ(is_compute(spec.op), compute_unit) << spec.name;
        for (const isa::FormSpec &form : spec.forms) {
            const auto fault = warp.execute(make(spec.op, form.form));
            EXPECT_EQ(fault.has_value(), !compute_unit) << spec.name;
            if (fault.has_value()) {
                EXPECT_EQ(fault->fault, Fault::kIllegalInstruction);
            }
        }
    }
    EXPECT_TRUE(warp.execute([] {
                        Instruction unknown;
                        unknown.op = static_cast<Op>(0xff);
                        return unknown;
                    }())
                    .has_value());
}

} // namespace
} // namespace smsim::sm::compute::test
