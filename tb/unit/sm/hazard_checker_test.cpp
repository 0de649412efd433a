// Hazards between instructions of one warp: what counts as one, and exactly until when (sm.md Control fields).
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/config/config.h"
#include "sm/datapath/hazard_checker.h"

namespace smsim::sm {
namespace {

using isa::Form;
using isa::Instruction;
using isa::Op;
using Kind = Hazard::Kind;

constexpr LaneMask kAll = LaneMask::all();
const LaneMask kLow(0x0000ffff);
const LaneMask kHigh(0xffff0000);

Instruction make(Op op, Form form, Pc pc) {
    Instruction insn;
    insn.op = op;
    insn.form = form;
    insn.unit = isa::spec_of(op).unit;
    insn.pc = pc;
    return insn;
}
/// MOV Rd, Rb
Instruction mov(std::uint8_t rd, std::uint8_t rb, Pc pc) {
    Instruction insn = make(Op::kMov, Form::kR, pc);
    insn.rd = rd;
    insn.rb = rb;
    return insn;
}
/// FMUL Rd, Ra, Rb
Instruction fmul(std::uint8_t rd, std::uint8_t ra, std::uint8_t rb, Pc pc) {
    Instruction insn = make(Op::kFmul, Form::kR, pc);
    insn.rd = rd;
    insn.ra = ra;
    insn.rb = rb;
    return insn;
}
/// LDS or LDG Rd, [Ra]; STS [Ra], Rb
Instruction memory(Op op, std::uint8_t rd, std::uint8_t ra, std::uint8_t rb, Pc pc,
                   isa::Access access = isa::Access::k32) {
    Instruction insn = make(op, Form::kR, pc);
    insn.rd = rd;
    insn.ra = ra;
    insn.rb = rb;
    insn.mod[0] = static_cast<std::uint8_t>(access);
    return insn;
}
/// MUFU.RCP Rd, Rb
Instruction mufu(std::uint8_t rd, std::uint8_t rb, Pc pc) {
    Instruction insn = make(Op::kMufu, Form::kR, pc);
    insn.rd = rd;
    insn.rb = rb;
    return insn;
}
/// ISETP.NE.AND Pu, PT, Ra, RZ, PT
Instruction isetp(std::uint8_t pu, std::uint8_t ra, Pc pc) {
    Instruction insn = make(Op::kIsetp, Form::kR, pc);
    insn.pu = pu;
    insn.ra = ra;
    insn.mod[0] = static_cast<std::uint8_t>(isa::Compare::kNe);
    return insn;
}

class HazardCheckerTest : public ::testing::Test {
  protected:
    HazardCheckerTest() { checker.start(kWarp); }
    const Hazard *issue(const Instruction &insn, Cycle now, LaneMask executed = kAll, LaneMask active = kAll) {
        return checker.issue(kWarp, insn, active, executed, now);
    }
    /// Issues `first` at cycle 100 and returns after how many cycles `second` is free of hazards, by trying them all.
    Cycle distance(const Instruction &first, const Instruction &second) {
        for (Cycle after = 1; after < 100; ++after) {
            HazardChecker fresh(config, 1);
            fresh.start(kWarp);
            fresh.issue(kWarp, first, kAll, kAll, 100);
            if (fresh.issue(kWarp, second, kAll, kAll, 100 + after) == nullptr) {
                return after;
            }
        }
        return kNever;
    }

    static constexpr WarpSlot kWarp{0};
    Config config;
    HazardChecker checker{config, 2};
};

// --- fixed latency: the distance is that of the scheduler pass ---------------------------------------------------

TEST_F(HazardCheckerTest, ReadAfterWriteOfFixedLatencyByPipes) {
    const Instruction alu = mov(4, 1, 0);
    const Instruction fma = fmul(4, 1, 2, 0);
    EXPECT_EQ(distance(alu, mov(5, 4, 16)), config.pipes.alu.latency);
    EXPECT_EQ(distance(fma, fmul(5, 4, 4, 16)), config.pipes.fma.latency);
    EXPECT_EQ(distance(alu, fmul(5, 4, 4, 16)), config.pipes.alu_to_fma);
    EXPECT_EQ(distance(fma, mov(5, 4, 16)), config.pipes.fma.latency);
    config.pipes.fma_to_alu = config.pipes.fma.latency + 3;
    checker = HazardChecker(config, 2);
    EXPECT_EQ(distance(fma, mov(5, 4, 16)), config.pipes.fma_to_alu);
    EXPECT_EQ(distance(alu, memory(Op::kLds, 5, 4, isa::kRz, 16)), config.pipes.to_memory);
}

TEST_F(HazardCheckerTest, PairsOfHalvesHaveLatenciesOfTheirOwnInAndOut) {
    const auto hadd2 = [](std::uint8_t rd, std::uint8_t ra, Pc pc) {
        Instruction insn = fmul(rd, ra, ra, pc);
        insn.op = Op::kHadd2;
        insn.unit = insn.spec().unit;
        return insn;
    };
    config.pipes.half.latency = 6;
    config.pipes.to_half = 7;
    config.pipes.half_to_others = 8;
    checker = HazardChecker(config, 2);
    const Instruction half = hadd2(4, 1, 0);
    EXPECT_EQ(distance(half, hadd2(5, 4, 16)), 6U);
    EXPECT_EQ(distance(mov(4, 1, 0), hadd2(5, 4, 16)), 7U);
    EXPECT_EQ(distance(fmul(4, 1, 2, 0), hadd2(5, 4, 16)), 7U);
    EXPECT_EQ(distance(half, mov(5, 4, 16)), 8U);
    EXPECT_EQ(distance(half, fmul(5, 4, 4, 16)), 8U);
    EXPECT_EQ(distance(half, memory(Op::kLds, 5, 4, isa::kRz, 16)), 8U);
    config.pipes.half_to_others = 1;
    checker = HazardChecker(config, 2);
    EXPECT_EQ(distance(half, mov(5, 4, 16)), 6U) << "no less than the own latency";
}

TEST_F(HazardCheckerTest, ReadAfterWriteNamesBothInstructionsRegisterAndMissingCycles) {
    const Instruction first = mov(4, 1, 0x40);
    const Instruction second = mov(5, 4, 0x50);
    issue(first, 10);
    const Hazard *hazard = issue(second, 11);
    ASSERT_NE(hazard, nullptr);
    EXPECT_EQ(hazard->first, 0x40U);
    EXPECT_EQ(hazard->second, 0x50U);
    EXPECT_EQ(hazard->space, 'R');
    EXPECT_EQ(hazard->index, 4);
    EXPECT_EQ(hazard->kind, Kind::kReadAfterWrite);
    EXPECT_EQ(hazard->cycle, 11U);
    EXPECT_EQ(hazard->missing, 3U);
    EXPECT_EQ(hazard->count, 1U);
}

TEST_F(HazardCheckerTest, WriteAfterWriteOfAShorterPipeOvertakesTheLongerOne) {
    config.pipes.fma.latency = 9;
    checker = HazardChecker(config, 2);
    checker.start(kWarp);
    EXPECT_EQ(distance(fmul(4, 1, 2, 0), mov(4, 3, 16)), 9 - config.pipes.alu.latency + 1);
    EXPECT_EQ(distance(mov(4, 3, 0), fmul(4, 1, 2, 16)), 1U) << "the later result arrives later anyway";
    const Instruction first = fmul(4, 1, 2, 0);
    const Instruction second = mov(4, 3, 16);
    issue(first, 10);
    ASSERT_NE(issue(second, 11), nullptr);
    EXPECT_EQ(checker.hazards()[0].kind, Kind::kWriteAfterWrite);
}

TEST_F(HazardCheckerTest, ReadingASourceOfFixedLatencyAndOverwritingItIsNoHazard) {
    EXPECT_EQ(distance(mov(5, 4, 0), mov(4, 1, 16)), 1U);
}

TEST_F(HazardCheckerTest, RegistersBesideThoseWrittenAreFree) {
    Instruction wide = make(Op::kImad, Form::kR, 0);
    wide.rd = 4;
    wide.mod[0] = 2; // WIDE: R4 and R5
    issue(wide, 10);
    const Instruction below = mov(10, 3, 16);
    const Instruction above = mov(10, 6, 32);
    const Instruction upper = mov(11, 5, 48);
    EXPECT_EQ(issue(below, 11), nullptr);
    EXPECT_EQ(issue(above, 12), nullptr);
    ASSERT_NE(issue(upper, 13), nullptr);
    EXPECT_EQ(checker.hazards()[0].index, 5);
}

// --- variable latency --------------------------------------------------------------------------------------------

TEST_F(HazardCheckerTest, VariableLatencyIsInFlightUntilItsAnswer) {
    const Instruction load = memory(Op::kLds, 4, 2, isa::kRz, 0);
    const Instruction use = mov(5, 4, 16);
    issue(load, 10);
    EXPECT_NE(issue(use, 1000), nullptr);
    checker.result(kWarp, load, kAll, 1010);
    EXPECT_NE(issue(use, 1009), nullptr);
    EXPECT_EQ(issue(use, 1010), nullptr);
    ASSERT_EQ(checker.hazards().size(), 1U);
    EXPECT_EQ(checker.hazards()[0].missing, 0U) << "no number of stall cycles is right: a scoreboard is missing";
}

TEST_F(HazardCheckerTest, AKnownAnswerOfAVariableInstructionStillMissesAScoreboard) {
    const Instruction first = mufu(4, 1, 0);
    const Instruction use = mov(5, 4, 16);
    issue(first, 10);
    checker.result(kWarp, first, kAll, 25);
    const Hazard *hazard = issue(use, 24);
    ASSERT_NE(hazard, nullptr);
    EXPECT_EQ(hazard->missing, 0U);
    EXPECT_EQ(issue(use, 25), nullptr);
}

TEST_F(HazardCheckerTest, OverwritingAPendingLoadIsAHazard) {
    const Instruction load = memory(Op::kLdg, 4, 2, isa::kRz, 0);
    const Instruction over = mov(4, 1, 16);
    issue(load, 10);
    ASSERT_NE(issue(over, 500), nullptr);
    EXPECT_EQ(checker.hazards()[0].kind, Kind::kWriteAfterWrite);
}

TEST_F(HazardCheckerTest, WideLoadsCoverAllTheirRegisters) {
    const Instruction load = memory(Op::kLds, 8, 2, isa::kRz, 0, isa::Access::k128);
    issue(load, 10);
    for (std::uint8_t reg = 7; reg <= 12; ++reg) {
        const Instruction use = mov(20, reg, 16U * reg);
        EXPECT_EQ(issue(use, 50 + reg * 10U) != nullptr, reg >= 8 && reg < 12) << unsigned{reg};
    }
}

TEST_F(HazardCheckerTest, WriteAfterReadLastsUntilTheUnitHasReadItsSources) {
    const Instruction store = memory(Op::kSts, isa::kRz, 2, 4, 0);
    const Instruction over_data = mov(4, 1, 16);
    const Instruction over_address = mov(2, 1, 32);
    issue(store, 10);
    ASSERT_NE(issue(over_data, 11), nullptr);
    ASSERT_NE(issue(over_address, 12), nullptr);
    EXPECT_EQ(checker.hazards()[0].kind, Kind::kWriteAfterRead);
    checker.sources_read(kWarp, store, kAll, 30);
    EXPECT_NE(issue(over_data, 29), nullptr);
    EXPECT_EQ(issue(over_data, 30), nullptr);
    EXPECT_EQ(issue(over_address, 31), nullptr);
}

TEST_F(HazardCheckerTest, TwoMemoryInstructionsMayReadOneRegisterAndBothMustHaveReadIt) {
    const Instruction first = memory(Op::kStg, isa::kRz, 2, 4, 0);
    const Instruction second = memory(Op::kStg, isa::kRz, 6, 4, 16);
    const Instruction over = mov(4, 1, 32);
    issue(first, 10);
    issue(second, 11);
    checker.sources_read(kWarp, second, kAll, 20);
    const Hazard *hazard = issue(over, 25);
    ASSERT_NE(hazard, nullptr);
    EXPECT_EQ(hazard->first, 0U);
    checker.sources_read(kWarp, first, kAll, 30);
    EXPECT_EQ(issue(over, 30), nullptr);
}

// --- predicates ----------------------------------------------------------------------------------------------------

TEST_F(HazardCheckerTest, PredicateAsGuardAndAsSource) {
    Instruction guarded = mov(9, 1, 16);
    guarded.pg = 2;
    EXPECT_EQ(distance(isetp(2, 1, 0), guarded), config.pipes.predicate_to_guard);
    Instruction select = make(Op::kSel, Form::kR, 16);
    select.rd = 9;
    select.pp = 2;
    EXPECT_EQ(distance(isetp(2, 1, 0), select), config.pipes.predicate_to_alu);
    Instruction branch = make(Op::kBra, Form::kX, 16);
    branch.pg = 2;
    EXPECT_EQ(distance(isetp(2, 1, 0), branch), config.pipes.predicate_to_branch);
    branch.pg = isa::kPt;
    branch.pp = 2;
    EXPECT_EQ(distance(isetp(2, 1, 0), branch), config.pipes.predicate_to_branch);
}

TEST_F(HazardCheckerTest, PredicatesAreReportedInTheirOwnSpace) {
    const Instruction set = isetp(3, 1, 0);
    Instruction guarded = mov(9, 1, 16);
    guarded.pg = 3;
    issue(set, 10);
    const Hazard *hazard = issue(guarded, 11);
    ASSERT_NE(hazard, nullptr);
    EXPECT_EQ(hazard->space, 'P');
    EXPECT_EQ(hazard->index, 3);
}

TEST_F(HazardCheckerTest, ConditionFlagsAreReportedByNameWithTheLatencyOfAPredicate) {
    Instruction set = isetp(isa::kPt, 1, 0);
    set.mod[3] = 1; // .CC
    Instruction branch = make(Op::kTokenBra, Form::kI, 16);
    branch.test = ConditionTest::kLt;
    EXPECT_EQ(distance(set, branch), config.pipes.predicate_to_branch);
    issue(set, 10);
    const Hazard *hazard = issue(branch, 11);
    ASSERT_NE(hazard, nullptr);
    EXPECT_EQ(hazard_register(*hazard), "CC");
}

TEST_F(HazardCheckerTest, FlagsOfEachOperationAreAwaitedByEachJumpThatTestsThem) {
    for (const isa::OpSpec &spec : isa::all_operations()) {
        if (!spec.has(isa::kConditionCodes)) {
            continue;
        }
        Instruction set = make(spec.op, Form::kR, 0);
        set.rd = isa::kRz;
        set.pu = isa::kPt;
        set.mod[spec.modifiers.size() - 1] = 1; // .CC
        for (const Op op : {Op::kTokenBra, Op::kTokenBrx, Op::kJmp, Op::kJmx}) {
            Instruction jump = make(op, op == Op::kTokenBrx || op == Op::kJmx ? Form::kR : Form::kI, 16);
            jump.ra = isa::kRz;
            EXPECT_EQ(distance(set, jump), 1U) << spec.name << ": a jump without a test";
            jump.test = ConditionTest::kGeu;
            EXPECT_EQ(distance(set, jump), config.pipes.predicate_to_branch) << spec.name;
        }
    }
}

TEST_F(HazardCheckerTest, FlagsOfAShorterPipeMustNotOvertakeThoseOfALongerOne) {
    config.pipes.fma.latency = 9;
    checker = HazardChecker(config, 2);
    checker.start(kWarp);
    Instruction add = fmul(isa::kRz, 1, 2, 0);
    add.mod[isa::spec_of(Op::kFmul).modifiers.size() - 1] = 1;
    Instruction compare = isetp(isa::kPt, 1, 16);
    compare.mod[3] = 1;
    EXPECT_EQ(distance(add, compare), 9 - config.pipes.alu.latency + 1);
    issue(add, 10);
    const Hazard *hazard = issue(compare, 11);
    ASSERT_NE(hazard, nullptr);
    EXPECT_EQ(hazard->kind, Kind::kWriteAfterWrite);
    EXPECT_EQ(hazard_register(*hazard), "CC");
}

TEST_F(HazardCheckerTest, OperandsOfControlInstructionsOfTheStacksAreAwaited) {
    for (const Op op : {Op::kVbeq, Op::kVbne, Op::kVblt, Op::kVbge, Op::kVbltu, Op::kVbgeu}) {
        Instruction branch = make(op, Form::kR, 16);
        branch.ra = 4;
        branch.rb = 5;
        EXPECT_EQ(distance(mov(4, 1, 0), branch), config.pipes.to_branch) << isa::spec_of(op).name;
        EXPECT_EQ(distance(mov(5, 1, 0), branch), config.pipes.to_branch) << isa::spec_of(op).name;
        checker.start(kWarp);
        issue(memory(Op::kLds, 5, 1, isa::kRz, 0), 10);
        const Hazard *hazard = issue(branch, 40);
        ASSERT_NE(hazard, nullptr) << isa::spec_of(op).name;
        EXPECT_EQ(hazard_register(*hazard), "R5");
        EXPECT_EQ(hazard->missing, 0U) << "a scoreboard is missing";
    }
    for (const Op op : {Op::kTokenBrx, Op::kJmx, Op::kCal}) {
        Instruction jump = make(op, Form::kR, 16);
        jump.ra = 4;
        EXPECT_EQ(distance(mov(4, 1, 0), jump), config.pipes.to_branch) << isa::spec_of(op).name;
    }
    for (const Op op : {Op::kSync, Op::kBrk, Op::kCont, Op::kTokenRet}) {
        Instruction leave = make(op, Form::kX, 16);
        leave.pg = 2;
        EXPECT_EQ(distance(isetp(2, 1, 0), leave), config.pipes.predicate_to_branch) << isa::spec_of(op).name;
    }
}

TEST_F(HazardCheckerTest, AGuardIsReadByAllActiveThreadsAlsoByThoseThatDoNotExecute) {
    const Instruction set = isetp(3, 1, 0);
    Instruction guarded = mov(9, 1, 16);
    guarded.pg = 3;
    issue(set, 10);
    EXPECT_NE(issue(guarded, 11, LaneMask{}), nullptr);
}

TEST_F(HazardCheckerTest, ConstantRegistersAndPredicatesAreNeverInFlight) {
    const Instruction to_zero = mov(isa::kRz, 1, 0);
    const Instruction from_zero = mov(5, isa::kRz, 16);
    issue(to_zero, 10);
    EXPECT_EQ(issue(from_zero, 11), nullptr);
    const Instruction set = isetp(isa::kPt, 1, 32);
    const Instruction plain = mov(6, 1, 48);
    issue(set, 12);
    EXPECT_EQ(issue(plain, 13), nullptr);
}

// --- uniform registers ---------------------------------------------------------------------------------------------

Instruction umov(std::uint8_t urd, Pc pc) {
    Instruction insn = make(Op::kUmov, Form::kI, pc);
    insn.rd = urd;
    return insn;
}
Instruction mov_from_uniform(std::uint8_t rd, std::uint8_t ur, Pc pc) {
    Instruction insn = make(Op::kMov, Form::kU, pc);
    insn.rd = rd;
    insn.ur = ur;
    return insn;
}

TEST_F(HazardCheckerTest, UniformRegistersHaveTheirOwnLatencies) {
    EXPECT_EQ(distance(umov(4, 0), mov_from_uniform(4, 4, 16)), config.pipes.uniform.latency);
    Instruction branch = make(Op::kBrx, Form::kU, 16);
    branch.ur = 4;
    EXPECT_EQ(distance(umov(4, 0), branch), config.pipes.uniform_to_branch);
    const Instruction write = umov(4, 0);
    const Instruction read = mov_from_uniform(5, 4, 16);
    issue(write, 10);
    const Hazard *hazard = issue(read, 11);
    ASSERT_NE(hazard, nullptr);
    EXPECT_EQ(hazard->space, 'U');
    EXPECT_EQ(hazard->index, 4);
}

TEST_F(HazardCheckerTest, AUniformAddressIsAwaitedAndReadLate) {
    Instruction load = make(Op::kLdg, Form::kU, 16);
    load.rd = 8;
    load.ur = 4;
    EXPECT_EQ(distance(umov(5, 0), load), std::max(config.pipes.uniform.latency, config.pipes.uniform_to_memory));
    const Instruction over_high = umov(5, 32);
    const Instruction over_low = umov(4, 48);
    issue(load, 10, kLow, kLow);
    const Hazard *hazard = issue(over_high, 11, kHigh, kHigh);
    ASSERT_NE(hazard, nullptr) << "the register belongs to no thread";
    EXPECT_EQ(hazard->kind, Kind::kWriteAfterRead);
    EXPECT_EQ(hazard->space, 'U');
    EXPECT_EQ(hazard->index, 5);
    checker.sources_read(kWarp, load, kLow, 30);
    EXPECT_NE(issue(over_low, 29), nullptr);
    EXPECT_EQ(issue(over_high, 30), nullptr);
}

TEST_F(HazardCheckerTest, AUniformRegisterBelongsToNoThread) {
    const Instruction write = umov(4, 0);
    const Instruction read = mov_from_uniform(5, 4, 16);
    issue(write, 10, kLow, kLow);
    EXPECT_NE(issue(read, 11, kHigh, kHigh), nullptr);
}

TEST_F(HazardCheckerTest, AnInstructionWithoutExecutingThreadsReadsNoUniformRegisterUnlessItIsABranch) {
    const Instruction write = umov(4, 0);
    const Instruction read = mov_from_uniform(5, 4, 16);
    Instruction branch = make(Op::kBra, Form::kU, 32);
    branch.ur = 4;
    issue(write, 10);
    EXPECT_EQ(issue(read, 11, LaneMask{}), nullptr);
    EXPECT_NE(issue(branch, 12, LaneMask{}), nullptr);
}

// --- lanes ---------------------------------------------------------------------------------------------------------

TEST_F(HazardCheckerTest, OtherThreadsOfTheWarpDoNotCount) {
    const Instruction load = memory(Op::kLdg, 4, 2, isa::kRz, 0);
    const Instruction use = mov(5, 4, 16);
    const Instruction over = mov(4, 1, 32);
    issue(load, 10, kLow);
    EXPECT_EQ(issue(use, 11, kHigh), nullptr);
    EXPECT_EQ(issue(over, 12, kHigh), nullptr);
    EXPECT_NE(issue(use, 13, LaneMask(0x00018000)), nullptr);
}

TEST_F(HazardCheckerTest, EachPathOfADivergedWarpKeepsItsOwnValueInFlight) {
    const Instruction load = memory(Op::kLdg, 4, 2, isa::kRz, 0);
    const Instruction other = mov(4, 1, 16);
    const Instruction use = mov(5, 4, 32);
    issue(load, 10, kLow, kLow);
    issue(other, 11, kHigh, kHigh); // the other path writes the same register
    const Hazard *hazard = issue(use, 20, kLow, kLow);
    ASSERT_NE(hazard, nullptr) << "the load is still under way for the low half";
    EXPECT_EQ(hazard->first, 0U);
    EXPECT_EQ(issue(use, 21, kHigh, kHigh), nullptr);
}

TEST_F(HazardCheckerTest, OneInstructionInFlightOnTwoPathsIsAnsweredByPath) {
    const Instruction load = memory(Op::kLdg, 4, 2, isa::kRz, 0);
    const Instruction use = mov(5, 4, 16);
    issue(load, 10, kLow, kLow);
    issue(load, 20, kHigh, kHigh);
    checker.result(kWarp, load, kHigh, 30); // the later one returns first
    EXPECT_EQ(issue(use, 30, kHigh, kHigh), nullptr);
    EXPECT_NE(issue(use, 31, kLow, kLow), nullptr);
    checker.result(kWarp, load, kLow, 40);
    EXPECT_EQ(issue(use, 40, kLow, kLow), nullptr);
}

TEST_F(HazardCheckerTest, AnInstructionWithoutExecutingThreadsPutsNothingInFlight) {
    const Instruction write = mov(4, 1, 0);
    const Instruction use = mov(5, 4, 16);
    issue(write, 10, LaneMask{});
    EXPECT_EQ(issue(use, 11), nullptr);
}

// --- warps, counts and order -------------------------------------------------------------------------------------

TEST_F(HazardCheckerTest, WarpsAreIndependentAndAStartClearsTheSlot) {
    const Instruction load = memory(Op::kLdg, 4, 2, isa::kRz, 0);
    const Instruction use = mov(5, 4, 16);
    checker.start(WarpSlot(1));
    issue(load, 10);
    EXPECT_EQ(checker.issue(WarpSlot(1), use, kAll, kAll, 11), nullptr);
    checker.start(kWarp);
    EXPECT_EQ(issue(use, 12), nullptr);
}

TEST_F(HazardCheckerTest, RepeatedHazardsAreCountedInOneEntryWithTheFirstCycleAndTheWorstDistance) {
    const Instruction first = mov(4, 1, 0);
    const Instruction second = mov(5, 4, 16);
    for (const Cycle base : {100U, 200U, 300U}) {
        issue(first, base);
        issue(second, base + (base == 200U ? 1 : 3));
    }
    EXPECT_EQ(checker.count(), 3U);
    const auto found = checker.hazards();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].count, 3U);
    EXPECT_EQ(found[0].cycle, 103U);
    EXPECT_EQ(found[0].missing, 3U);
}

TEST_F(HazardCheckerTest, AnInstructionReturnsItsFirstHazardAlsoWhenThatIsAnOldOne) {
    const Instruction r4 = mov(4, 1, 0);
    const Instruction r6 = mov(6, 1, 16);
    const Instruction both = fmul(7, 4, 6, 32);
    issue(r4, 10);
    ASSERT_NE(issue(both, 11), nullptr); // known from now on: R4
    issue(r4, 20);
    issue(r6, 21);
    const Hazard *hazard = issue(both, 22);
    ASSERT_NE(hazard, nullptr);
    EXPECT_EQ(hazard->index, 4);
    EXPECT_EQ(checker.count(), 3U) << "two of R4, one of R6";
}

TEST_F(HazardCheckerTest, EntriesComeInOrderOfTheirInstructions) {
    const Instruction late = mov(4, 1, 0x80);
    const Instruction early = mov(6, 1, 0x10);
    const Instruction use = fmul(8, 4, 6, 0x20);
    issue(late, 10);
    issue(early, 11);
    issue(use, 12);
    const auto found = checker.hazards();
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].first, 0x10U);
    EXPECT_EQ(found[1].first, 0x80U);
}

} // namespace
} // namespace smsim::sm
