// The core of the barrier unit compared with bcu.md, rule by rule.
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bcu/barrier.h"
#include "tb/unit/bcu/barrier_instructions.h"

namespace smsim::bcu {
namespace {

using namespace smsim::test;
using isa::RedOp;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Executes and expects no fault.
Effect run(CtaBarriers &cta, std::uint32_t warp, const BarrierCall &call) {
    const auto result = cta.execute(warp, call.operation());
    if (const auto *fault = std::get_if<FaultReport>(&result)) {
        ADD_FAILURE() << fault_name(fault->fault) << ": " << fault->detail;
        return {};
    }
    return std::get<Effect>(result);
}

/// Executes and expects the fault with this message; the state must not change.
void expect_fault(CtaBarriers &cta, std::uint32_t warp, const BarrierCall &call, Fault cause, const std::string &text) {
    std::vector<std::uint32_t> before;
    for (std::uint32_t id = 0; id < kBarriers; ++id) {
        before.push_back(pack(cta.barrier(BarrierId(id))));
    }
    const std::uint32_t word = cta.warp_word(warp);
    const auto result = cta.execute(warp, call.operation());
    ASSERT_TRUE(std::holds_alternative<FaultReport>(result));
    const auto &fault = std::get<FaultReport>(result);
    EXPECT_STREQ(fault_name(fault.fault), fault_name(cause));
    EXPECT_EQ(fault.detail, text);
    for (std::uint32_t id = 0; id < kBarriers; ++id) {
        EXPECT_EQ(pack(cta.barrier(BarrierId(id))), before[id]) << "barrier " << id;
    }
    EXPECT_EQ(cta.warp_word(warp), word);
    EXPECT_FALSE(cta.blocked_at(warp));
}

ArrivalOperands operands(const BarrierCall &call) {
    const auto resolved = resolve_operands(call.operation());
    if (const auto *fault = std::get_if<FaultReport>(&resolved)) {
        ADD_FAILURE() << fault->detail;
        return {};
    }
    return std::get<ArrivalOperands>(resolved);
}

void expect_operands(const BarrierCall &call, std::uint32_t id, std::uint32_t count) {
    const ArrivalOperands found = operands(call);
    EXPECT_EQ(found.id, BarrierId(id));
    EXPECT_EQ(found.count, count);
}

// --- operands --------------------------------------------------------------------------------------------------------

TEST(BarrierOperands, FormI) {
    expect_operands(bar_sync(15, 4064), 15, 4064);
}

TEST(BarrierOperands, BarrierIsBarSyncOfBarrierZeroForAllAliveWarps) {
    const BarrierCall barrier = barrier_call(isa::Op::kBarrier, isa::Form::kX, 0);
    expect_operands(barrier, 0, 0);
    CtaBarriers cta(2);
    EXPECT_TRUE(run(cta, 0, barrier).blocked);
    EXPECT_THAT(run(cta, 1, bar_sync(0)).completion->released, ElementsAre(0));
}

TEST(Operands, OfBarriersInRegistersHaveTheBarrierBeforeTheCount) {
    const isa::NarrowVectorOperands vectors{everywhere(3), everywhere(64)};
    const auto operation = [&](isa::Op op, isa::Form form) {
        static std::vector<BarrierCall> calls;
        calls.reserve(5);
        calls.push_back(barrier_call(op, form, 0));
        return operation_of(calls.back().insn, LaneMask(0x3), LaneMask(0x1), vectors);
    };
    const Operation both = operation(isa::Op::kBar, isa::Form::kR);
    EXPECT_EQ(both.id_lanes[0], 3U);
    EXPECT_EQ(both.count_lanes[0], 64U);
    EXPECT_EQ(both.pmask, LaneMask(0x3));
    EXPECT_EQ(both.contribution, LaneMask(0x1));
    EXPECT_EQ(operation(isa::Op::kBar, isa::Form::kRri).id_lanes[0], 3U);
    EXPECT_EQ(operation(isa::Op::kBarRed, isa::Form::kR).id_lanes[0], 3U);
    EXPECT_EQ(operation(isa::Op::kBar, isa::Form::kRir).count_lanes[0], 3U) << "the only one in a register";
    EXPECT_EQ(operation(isa::Op::kR2b, isa::Form::kRi).count_lanes[0], 3U);
}

TEST(BarrierOperands, FormR_LowBitsOfBothRegisters) {
    BarrierCall call = barrier_call(isa::Op::kBar, isa::Form::kR, 0);
    call.ids = everywhere(0xabc3);
    call.counts = everywhere(0xff00'0040);
    expect_operands(call, 3, 64);
}

TEST(BarrierOperands, FormRri_BarrierInRegister) {
    BarrierCall call = barrier_call(isa::Op::kBar, isa::Form::kRri, 0);
    call.ids = everywhere(0x17);
    call.insn.imm2 = 96;
    expect_operands(call, 7, 96);
}

TEST(BarrierOperands, Bcu_B3_OneRegisterIsFormRriWithCountZero) {
    BarrierCall call = barrier_call(isa::Op::kBar, isa::Form::kRri, 0);
    call.ids = everywhere(4);
    call.counts = everywhere(64); // no operand of this form
    expect_operands(call, 4, 0);
}

TEST(BarrierOperands, FormRir_CountInRegister) {
    BarrierCall call = barrier_call(isa::Op::kBar, isa::Form::kRir, 1);
    call.insn.barid = 9;
    call.ids = everywhere(2); // not an operand of this form
    call.counts = everywhere(128);
    expect_operands(call, 9, 128);
}

TEST(BarrierOperands, Red_FormsIRriRir) {
    expect_operands(bar_red(RedOp::kOr, 2, 64), 2, 64);
    BarrierCall rri = barrier_call(isa::Op::kBarRed, isa::Form::kRri, 0);
    rri.ids = everywhere(5);
    rri.insn.imm2 = 32;
    expect_operands(rri, 5, 32);
    BarrierCall rir = barrier_call(isa::Op::kBarRed, isa::Form::kRir, 0);
    rir.insn.barid = 6;
    rir.counts = everywhere(96);
    expect_operands(rir, 6, 96);
}

TEST(BarrierOperands, Bcu_B4_RedFormR_IdInBits0To3CountInBits4To15) {
    BarrierCall call = barrier_call(isa::Op::kBarRed, isa::Form::kR, 0);
    call.ids = everywhere(0xffff'0000 | 0xfe0 << 4 | 0xb);
    expect_operands(call, 11, 0xfe0);
}

TEST(BarrierOperands, AReadComesFromTheLowestThreadOfPmask) {
    BarrierCall call = barrier_call(isa::Op::kBar, isa::Form::kR, 0);
    call.ids = everywhere(1);
    call.counts = everywhere(32);
    call.ids[0] = 9; // not in pmask
    call.counts[0] = 7;
    call.pmask = ~LaneMask::lane(0);
    expect_operands(call, 1, 32);
}

TEST(BarrierOperands, Bcu_B2_ThreadsThatDifferInTheBitsUsed) {
    CtaBarriers cta(2);
    BarrierCall call = barrier_call(isa::Op::kBar, isa::Form::kR, 0);
    call.ids = everywhere(3);
    call.counts = everywhere(64);
    call.ids[5] = 4;
    call.pmask = ~LaneMask::lane(0);
    expect_fault(cta, 0, call, Fault::kBarrierOperand,
                 "BAR.SYNC: thread 1 gives barrier 3, thread 5 gives 4; all threads of the warp must agree");
    call.ids[5] = 3;
    call.counts[31] = 96;
    expect_fault(cta, 0, call, Fault::kBarrierOperand,
                 "BAR.SYNC: thread 1 gives count 64, thread 31 gives 96; all threads of the warp must agree");
    BarrierCall red = barrier_call(isa::Op::kBarRed, isa::Form::kR, 2);
    red.ids[7] = 1U << 15;
    expect_fault(cta, 0, red, Fault::kBarrierOperand,
                 "BAR.RED.POPC: thread 0 gives the barrier and count operand 0, thread 7 gives 32768; all threads of "
                 "the warp must agree");
}

TEST(BarrierOperands, Bcu_B2_OtherBitsMayDiffer) {
    BarrierCall call = barrier_call(isa::Op::kBar, isa::Form::kR, 0);
    call.ids = everywhere(3);
    call.counts = everywhere(64);
    call.ids[5] = 0xfff3;
    call.counts[6] = 0xffff'f040;
    expect_operands(call, 3, 64);
    BarrierCall red = barrier_call(isa::Op::kBarRed, isa::Form::kR, 0);
    red.ids[7] = 1U << 16;
    expect_operands(red, 0, 0);
}

TEST(BarrierOperands, CountMustBeAMultipleOf32) {
    CtaBarriers cta(2);
    expect_fault(cta, 0, bar_sync(4, 48), Fault::kBarrierCount, "BAR.SYNC 4: count 48 is not a multiple of 32 threads");
    expect_fault(cta, 0, bar_red(RedOp::kAnd, 2, 1), Fault::kBarrierCount,
                 "BAR.RED.AND 2: count 1 is not a multiple of 32 threads");
}

TEST(BarrierOperands, ArvNeedsACount) {
    CtaBarriers cta(2);
    expect_fault(cta, 0, bar_arv(4, 0), Fault::kBarrierCount,
                 "BAR.ARV 4: count 0; a warp that does not wait must say how many threads are expected");
}

TEST(BarrierOperands, AFormThatTheOperationLacksIsAFault) {
    CtaBarriers cta(1);
    expect_fault(cta, 0, barrier_call(isa::Op::kBar, isa::Form::kC, 0), Fault::kIllegalInstruction,
                 "BAR.SYNC has no form C");
    BarrierCall other = bar_sync(0);
    other.insn.op = isa::Op::kMov;
    other.insn.unit = isa::Unit::kAlu;
    expect_fault(cta, 0, other, Fault::kIllegalInstruction, "MOV is not a barrier instruction");
}

TEST(BarrierOperands, TheirFaultsDoNotDependOnTheStateOfTheBarrier) {
    BarrierCall differ = barrier_call(isa::Op::kBar, isa::Form::kRri, 0);
    differ.ids[5] = 1;
    for (const auto &[call, cause] : std::vector<std::pair<BarrierCall, Fault>>{
             {bar_sync(4, 48), Fault::kBarrierCount},
             {bar_arv(4, 0), Fault::kBarrierCount},
             {differ, Fault::kBarrierOperand},
             {r2b_bar(9, 0xc001), Fault::kBarrierOperand},
             {barrier_call(isa::Op::kBar, isa::Form::kC, 0), Fault::kIllegalInstruction},
         }) {
        CtaBarriers cta(1);
        const auto known = operand_fault(call.operation());
        ASSERT_TRUE(known);
        EXPECT_EQ(known->fault, cause);
        expect_fault(cta, 0, call, cause, known->detail); // the same on arrival
        BarrierCall nobody = call;
        nobody.pmask = LaneMask{};
        EXPECT_FALSE(operand_fault(nobody.operation()));
    }
    for (const BarrierCall &call : {bar_sync(0), bar_arv(1, 64), r2b_bar(9, 0x4081), b2r_bar(3), b2r_result()}) {
        EXPECT_FALSE(operand_fault(call.operation()));
    }
}

// --- arrival and completion ------------------------------------------------------------------------------------------

TEST(BarSync, AllAliveWarps_LastArrivalReleasesTheOthersInWarpOrder) {
    CtaBarriers cta(3);
    EXPECT_TRUE(run(cta, 2, bar_sync(1)).blocked);
    EXPECT_TRUE(run(cta, 0, bar_sync(1)).blocked);
    EXPECT_EQ(cta.blocked_at(0), BarrierId(1));
    const Effect last = run(cta, 1, bar_sync(1));
    EXPECT_FALSE(last.blocked);
    ASSERT_TRUE(last.completion);
    EXPECT_EQ(last.completion->id, BarrierId(1));
    EXPECT_THAT(last.completion->released, ElementsAre(0, 2));
    EXPECT_EQ(cta.blocked_at(0), std::nullopt);
}

TEST(BarSync, CompletesAtItsCountAndIsUsableAgainAtOnce) {
    CtaBarriers cta(4);
    for (int round = 0; round < 2; ++round) {
        EXPECT_TRUE(run(cta, 3, bar_sync(0, 64)).blocked);
        EXPECT_TRUE(run(cta, 1, bar_sync(0, 64)).completion);
        EXPECT_EQ(cta.barrier(BarrierId(0)), BarrierState{});
    }
}

TEST(BarSync, AWarpOfOneThreadCountsAs32) {
    CtaBarriers cta(2);
    run(cta, 0, bar_sync(0).with(LaneMask::lane(17)));
    EXPECT_EQ(cta.barrier(BarrierId(0)).arrived, 1U);
    EXPECT_TRUE(run(cta, 1, bar_sync(0)).completion);
}

TEST(BarSync, Bcu_B6_ASingleWarpNeverWaits) {
    CtaBarriers cta(1);
    const Effect effect = run(cta, 0, bar_sync(0).with(LaneMask::first(5)));
    EXPECT_FALSE(effect.blocked);
    EXPECT_TRUE(effect.completion);
}

TEST(BarSync, BarriersAreIndependent) {
    CtaBarriers cta(2);
    EXPECT_TRUE(run(cta, 0, bar_sync(0)).blocked);
    EXPECT_TRUE(run(cta, 1, bar_sync(1)).blocked);
    EXPECT_EQ(cta.barrier(BarrierId(0)).arrived, 1U);
    EXPECT_EQ(cta.barrier(BarrierId(1)).arrived, 1U);
}

TEST(BarArv, NeverBlocksAndCompletesForThoseWhoWait) {
    CtaBarriers cta(3);
    const Effect first = run(cta, 0, bar_arv(2, 96));
    EXPECT_FALSE(first.blocked);
    EXPECT_EQ(first.arrived, BarrierId(2));
    EXPECT_FALSE(first.completion);
    EXPECT_TRUE(run(cta, 1, bar_sync(2, 96)).blocked);
    const Effect last = run(cta, 2, bar_arv(2, 96));
    EXPECT_FALSE(last.blocked);
    ASSERT_TRUE(last.completion);
    EXPECT_THAT(last.completion->released, ElementsAre(1));
}

TEST(BarArv, AWarpMayArriveMoreThanOnce) {
    CtaBarriers cta(2);
    run(cta, 0, bar_arv(2, 96));
    run(cta, 0, bar_arv(2, 96));
    EXPECT_TRUE(run(cta, 1, bar_sync(2, 96)).completion);
}

TEST(BarArrival, EmptyPmaskHasNoEffect) {
    CtaBarriers cta(2);
    for (const BarrierCall &call : {bar_sync(0), bar_arv(0, 0), bar_red(RedOp::kAnd, 0, 17), r2b_bar(0, 0x4001),
                                    r2b_warp(0x8001), b2r_bar(0), b2r_warp(), b2r_result()}) {
        const Effect effect = run(cta, 0, call.with(LaneMask()));
        EXPECT_FALSE(effect.blocked);
        EXPECT_FALSE(effect.arrived);
        EXPECT_FALSE(effect.restored);
        EXPECT_FALSE(effect.writes);
        EXPECT_FALSE(effect.undefined_read);
    }
    EXPECT_EQ(cta.barrier(BarrierId(0)), BarrierState{});
    EXPECT_EQ(cta.warp_word(0), 0U);
}

TEST(BarArrival, MismatchOfKind) {
    CtaBarriers cta(3);
    run(cta, 0, bar_sync(5, 64));
    expect_fault(cta, 1, bar_red(RedOp::kAnd, 5, 64), Fault::kBarrierMismatch,
                 "BAR.RED.AND 5 with count 64: the barrier is in use by BAR.SYNC/ARV with count 64");
    run(cta, 2, bar_red(RedOp::kOr, 6));
    expect_fault(cta, 1, bar_sync(6), Fault::kBarrierMismatch,
                 "BAR.SYNC 6 with count 0: the barrier is in use by BAR.RED.OR with count 0");
}

TEST(BarArrival, MismatchOfCount) {
    CtaBarriers cta(2);
    run(cta, 0, bar_sync(5, 64));
    expect_fault(cta, 1, bar_sync(5), Fault::kBarrierMismatch,
                 "BAR.SYNC 5 with count 0: the barrier is in use by BAR.SYNC/ARV with count 64");
    expect_fault(cta, 1, bar_arv(5, 96), Fault::kBarrierMismatch,
                 "BAR.ARV 5 with count 96: the barrier is in use by BAR.SYNC/ARV with count 64");
}

TEST(BarArrival, MismatchOfReduction) {
    CtaBarriers cta(2);
    run(cta, 0, bar_red(RedOp::kAnd, 0));
    expect_fault(cta, 1, bar_red(RedOp::kPopc, 0), Fault::kBarrierMismatch,
                 "BAR.RED.POPC 0 with count 0: the barrier is in use by BAR.RED.AND with count 0");
}

TEST(BarArrival, Overflow) {
    // Only reachable through a restored context: a barrier completes when its count is reached.
    CtaBarriers cta(2);
    run(cta, 0, r2b_bar(3, pack({2, 2, BarrierKind::kSync, RedOp::kAnd, false, 0})));
    expect_fault(cta, 1, bar_sync(3, 64), Fault::kBarrierOverflow,
                 "BAR.SYNC 3: 96 threads have arrived, 64 are expected");
}

TEST(BarArrival, OverflowOfTheStateWord) {
    CtaBarriers cta(2);
    run(cta, 0, r2b_bar(3, pack({127, 0, BarrierKind::kSync, RedOp::kAnd, false, 0})));
    expect_fault(cta, 1, bar_sync(3), Fault::kBarrierOverflow,
                 "BAR.SYNC 3: 128 warps have arrived, the barrier counts to 127");
    run(cta, 0, r2b_bar(4, pack({0, 0, BarrierKind::kRed, RedOp::kPopc, false, 8191})));
    expect_fault(cta, 1, bar_red(RedOp::kPopc, 4), Fault::kBarrierOverflow,
                 "BAR.RED.POPC 4: population count 8223 exceeds 8191");
}

// --- exit ------------------------------------------------------------------------------------------------------------

TEST(WarpExit, Bcu_B6_ReevaluatesBarriersThatExpectAllAliveWarps) {
    CtaBarriers cta(5);
    run(cta, 0, bar_sync(1));
    run(cta, 3, bar_sync(7));
    run(cta, 2, bar_sync(1));
    EXPECT_THAT(cta.exit(1), IsEmpty()); // three arrivals and exits at barrier 1, two at barrier 7
    EXPECT_THAT(cta.exit(4), IsEmpty()); // one more each

    CtaBarriers trio(3);
    run(trio, 2, bar_sync(1));
    run(trio, 0, bar_sync(1));
    const auto completed = trio.exit(1);
    ASSERT_EQ(completed.size(), 1U);
    EXPECT_EQ(completed[0].id, BarrierId(1));
    EXPECT_THAT(completed[0].released, ElementsAre(0, 2));
    EXPECT_EQ(trio.barrier(BarrierId(1)), BarrierState{});
}

TEST(WarpExit, Bcu_B6_EarlierExitsCountForLaterArrivals) {
    CtaBarriers cta(3);
    cta.exit(0);
    run(cta, 1, bar_sync(0));
    EXPECT_TRUE(run(cta, 2, bar_sync(0)).completion);
}

TEST(WarpExit, DoesNotCountWhereACountIsGiven) {
    CtaBarriers cta(3);
    run(cta, 0, bar_sync(0, 64));
    EXPECT_THAT(cta.exit(1), IsEmpty());
    EXPECT_EQ(cta.blocked_at(0), BarrierId(0));
    EXPECT_TRUE(run(cta, 2, bar_sync(0, 64)).completion);
}

TEST(WarpExit, LeavesARestoredBarrierThatHasReachedItsCount) {
    CtaBarriers cta(3);
    run(cta, 0, r2b_bar(0, pack({2, 2, BarrierKind::kSync, RedOp::kAnd, false, 0})));
    EXPECT_THAT(cta.exit(1), IsEmpty());
    EXPECT_EQ(cta.barrier(BarrierId(0)).arrived, 2U);
}

TEST(WarpExit, IdleBarriersDoNotComplete) {
    CtaBarriers cta(2);
    EXPECT_THAT(cta.exit(0), IsEmpty());
    EXPECT_THAT(cta.exit(1), IsEmpty());
    EXPECT_EQ(cta.exited(), 2U);
}

TEST(WarpExit, CompletesAReductionWithTheArrivalsSoFar) {
    CtaBarriers cta(2);
    run(cta, 0, bar_red(RedOp::kPopc, 0, 0, LaneMask::first(5)));
    ASSERT_EQ(cta.exit(1).size(), 1U);
    EXPECT_EQ(run(cta, 0, b2r_result()).value, 5U);
}

// --- reductions ------------------------------------------------------------------------------------------------------

/// Result of a two-warp reduction as read by both warps.
Effect reduce(RedOp op, LaneMask pmask0, LaneMask pp0, LaneMask pmask1, LaneMask pp1) {
    CtaBarriers cta(2);
    EXPECT_TRUE(run(cta, 0, bar_red(op, 3, 64, pp0).with(pmask0)).blocked);
    EXPECT_TRUE(run(cta, 1, bar_red(op, 3, 64, pp1).with(pmask1)).completion);
    Effect first = run(cta, 0, b2r_result());
    const Effect second = run(cta, 1, b2r_result());
    EXPECT_TRUE(first.writes);
    EXPECT_EQ(first.value, second.value);
    EXPECT_EQ(first.predicate, second.predicate);
    return first;
}

TEST(BarRed, AndIsTrueWhenEveryThreadContributesTrue) {
    const LaneMask all = LaneMask::all();
    EXPECT_TRUE(reduce(RedOp::kAnd, all, all, all, all).predicate);
    EXPECT_FALSE(reduce(RedOp::kAnd, all, ~LaneMask::lane(9), all, all).predicate);
    EXPECT_FALSE(reduce(RedOp::kAnd, all, all, all, ~LaneMask::lane(31)).predicate);
    EXPECT_EQ(reduce(RedOp::kAnd, all, all, all, all).value, 0U);
}

TEST(BarRed, OrIsTrueWhenSomeThreadContributesTrue) {
    const LaneMask all = LaneMask::all();
    EXPECT_FALSE(reduce(RedOp::kOr, all, LaneMask(), all, LaneMask()).predicate);
    EXPECT_TRUE(reduce(RedOp::kOr, all, LaneMask::lane(4), all, LaneMask()).predicate);
    EXPECT_TRUE(reduce(RedOp::kOr, all, LaneMask(), all, LaneMask::lane(0)).predicate);
    EXPECT_EQ(reduce(RedOp::kOr, all, all, all, all).value, 0U);
}

TEST(BarRed, PopcCountsAndGivesFalse) {
    const Effect result = reduce(RedOp::kPopc, LaneMask::all(), LaneMask::first(20), LaneMask::all(), LaneMask::all());
    EXPECT_EQ(result.value, 52U);
    EXPECT_FALSE(result.predicate);
}

TEST(BarRed, ThreadsOutsidePmaskContributeNothing) {
    const LaneMask low = LaneMask::first(16);
    EXPECT_TRUE(reduce(RedOp::kAnd, low, low, low, low).predicate);
    EXPECT_FALSE(reduce(RedOp::kOr, low, ~low, low, ~low).predicate);
    EXPECT_EQ(reduce(RedOp::kPopc, low, LaneMask::all(), LaneMask::lane(3), LaneMask::all()).value, 17U);
}

TEST(BarRed, CompletionLeavesTheWordOfTheBarrierWithEveryWarpThatArrived) {
    CtaBarriers cta(3);
    run(cta, 0, bar_red(RedOp::kPopc, 3, 64, LaneMask::first(3)));
    run(cta, 2, bar_red(RedOp::kPopc, 3, 64, LaneMask::first(4)));
    const std::uint32_t word = pack({2, 2, BarrierKind::kRed, RedOp::kPopc, false, 7});
    EXPECT_EQ(cta.warp_word(0), word);
    EXPECT_EQ(cta.warp_word(1), 0U);
    EXPECT_EQ(cta.warp_word(2), word);
}

TEST(BarRed, SyncLeavesTheWarpsWordAlone) {
    CtaBarriers cta(2);
    run(cta, 0, r2b_warp(0x1234'8001));
    run(cta, 0, bar_sync(0));
    run(cta, 1, bar_sync(0));
    EXPECT_EQ(cta.warp_word(0), 0x1234'8001U);
}

// --- B2R, R2B --------------------------------------------------------------------------------------------------------

TEST(B2r, BarReadsTheBarrierAsItIs) {
    CtaBarriers cta(3);
    EXPECT_EQ(run(cta, 0, b2r_bar(6)).value, 0U);
    run(cta, 1, bar_red(RedOp::kAnd, 6, 64));
    const Effect effect = run(cta, 0, b2r_bar(6));
    EXPECT_TRUE(effect.writes);
    EXPECT_EQ(effect.value, pack({1, 2, BarrierKind::kRed, RedOp::kAnd, true, 0}));
}

TEST(B2r, Bcu_B5_WarpReadsTheWarpsOwnCopy) {
    CtaBarriers cta(2);
    run(cta, 0, bar_red(RedOp::kOr, 6));
    run(cta, 1, bar_red(RedOp::kOr, 6));
    run(cta, 1, bar_sync(6)); // the barrier is in use again
    const Effect effect = run(cta, 0, b2r_warp());
    EXPECT_TRUE(effect.writes);
    EXPECT_EQ(effect.value, pack({2, 0, BarrierKind::kRed, RedOp::kOr, true, 0}));
}

TEST(B2rResult, BeforeAnyReductionIsCountedAsUndefined) {
    CtaBarriers cta(1);
    const Effect before = run(cta, 0, b2r_result());
    EXPECT_TRUE(before.undefined_read);
    EXPECT_TRUE(before.writes);
    EXPECT_EQ(before.value, 0U);
    EXPECT_FALSE(before.predicate);
    run(cta, 0, bar_red(RedOp::kAnd, 0));
    EXPECT_FALSE(run(cta, 0, b2r_result()).undefined_read);
}

TEST(B2rResult, ARestoredWordThatIsNoReductionIsUndefined) {
    CtaBarriers cta(1);
    for (const std::uint32_t word : {0xffff'4001U, 0xffff'c001U, 0xffff'8001U}) { // SYNC, kind 3, reduction 3
        run(cta, 0, r2b_warp(word));
        const Effect effect = run(cta, 0, b2r_result());
        EXPECT_TRUE(effect.undefined_read) << std::hex << word;
        EXPECT_EQ(effect.value, 0U);
        EXPECT_FALSE(effect.predicate);
    }
}

TEST(R2b, ValueComesFromTheLowestThreadOfPmask) {
    CtaBarriers cta(2);
    BarrierCall warp = r2b_warp(0);
    warp.counts[3] = 0xdead'beef;
    run(cta, 0, warp.with(~LaneMask::first(3)));
    EXPECT_EQ(run(cta, 0, b2r_warp()).value, 0xdead'beefU);
    BarrierCall bar = r2b_bar(2, 0);
    bar.counts[3] = 0x4081;
    EXPECT_EQ(run(cta, 0, bar.with(~LaneMask::first(3))).restored, BarrierId(2));
    EXPECT_EQ(run(cta, 0, b2r_bar(2)).value, 0x4081U);
}

TEST(R2b, BarOnABarrierWithBlockedWarpsIsBusy) {
    CtaBarriers cta(4);
    run(cta, 3, bar_sync(9));
    run(cta, 1, bar_sync(9));
    expect_fault(cta, 0, r2b_bar(9, 0), Fault::kBarrierBusy, "R2B.BAR 9: the barrier has blocked warps: 1, 3");
    run(cta, 0, bar_arv(8, 64));
    run(cta, 0, r2b_bar(8, 0)); // arrivals that do not wait do not matter
    EXPECT_EQ(cta.barrier(BarrierId(8)), BarrierState{});
}

TEST(R2b, BarRefusesAWordThatIsNoState) {
    CtaBarriers cta(1);
    expect_fault(cta, 0, r2b_bar(9, 0xc001), Fault::kBarrierOperand,
                 "R2B.BAR 9: 0x0000c001 is not the state of a barrier (kind 3, reduction 0)");
    expect_fault(cta, 0, r2b_bar(9, 0x38001), Fault::kBarrierOperand,
                 "R2B.BAR 9: 0x00038001 is not the state of a barrier (kind 2, reduction 3)");
}

TEST(R2b, FinePoints_BarDoesNotTestForCompletion) {
    CtaBarriers cta(2);
    const std::uint32_t full = pack({2, 2, BarrierKind::kSync, RedOp::kAnd, false, 0});
    EXPECT_FALSE(run(cta, 0, r2b_bar(0, full)).completion);
    EXPECT_EQ(run(cta, 0, b2r_bar(0)).value, full);
}

TEST(ContextRestore, ASavedBarrierContinuesWithTheSameResult) {
    // The same arrivals twice: once without interruption, and once with all state moved to a fresh CTA halfway.
    for (const RedOp op : {RedOp::kAnd, RedOp::kOr, RedOp::kPopc}) {
        const LaneMask pp[4] = {LaneMask::first(32), LaneMask::first(31), LaneMask(), LaneMask::lane(2)};
        const auto part = [&](CtaBarriers &cta, std::uint32_t warp) {
            return run(cta, warp, bar_red(op, 12, 128, pp[warp]));
        };
        CtaBarriers straight(5);
        CtaBarriers saved(5);
        for (CtaBarriers *cta : {&straight, &saved}) {
            run(*cta, 4, bar_red(RedOp::kPopc, 0, 32, LaneMask::first(9))); // something in WarpBarState
            run(*cta, 4, bar_arv(1, 64));
            part(*cta, 0);
            part(*cta, 1);
        }
        CtaBarriers restored(5);
        for (unsigned id = 0; id < kBarriers; ++id) {
            run(restored, 4, r2b_bar(id, run(saved, 4, b2r_bar(id)).value));
        }
        run(restored, 4, r2b_warp(run(saved, 4, b2r_warp()).value));
        for (CtaBarriers *cta : {&straight, &restored}) {
            EXPECT_TRUE(part(*cta, 2).blocked);
            EXPECT_TRUE(part(*cta, 3).completion);
        }
        for (const std::uint32_t warp : {2U, 3U, 4U}) {
            EXPECT_EQ(straight.warp_word(warp), restored.warp_word(warp));
            EXPECT_EQ(run(straight, warp, b2r_result()).value, run(restored, warp, b2r_result()).value);
            EXPECT_EQ(run(straight, warp, b2r_result()).predicate, run(restored, warp, b2r_result()).predicate);
        }
        EXPECT_EQ(run(restored, 4, b2r_result()).value, 9U);
        EXPECT_TRUE(run(restored, 3, bar_sync(1, 64)).completion); // the ARV before the save still counts
    }
}

// --- reports and misuse ----------------------------------------------------------------------------------------------

TEST(BarrierReport, NamesWaitingWarpsTheirPlacesAndMissingWarps) {
    CtaBarriers cta(5);
    run(cta, 0, bar_sync(0));
    run(cta, 3, bar_sync(0));
    run(cta, 1, bar_red(RedOp::kOr, 4, 96));
    run(cta, 2, bar_arv(9, 64)); // no warp waits there
    cta.exit(4);
    const auto waits = cta.waits();
    ASSERT_EQ(waits.size(), 2U);
    EXPECT_THAT(waits[0].blocked, ElementsAre(0, 3));
    EXPECT_THAT(waits[0].missing, ElementsAre(1, 2));
    EXPECT_EQ(
        cta.describe(),
        "barrier 0 (BAR.SYNC/ARV): 2 of 4 living warps have arrived; blocked here: 0, 3; could still arrive: 1, 2\n"
        "barrier 4 (BAR.RED.OR): 1 of 3 warps have arrived; blocked here: 1; could still arrive: 0, 2, 3\n");
}

TEST(BarrierReport, NamesOperandsWithOtherBitsThatHaveLedAWarpThere) {
    CtaBarriers cta(4);
    BarrierCall both = barrier_call(isa::Op::kBar, isa::Form::kR, 0);
    both.insn.ra = 4;
    both.insn.rb = 5;
    both.ids = everywhere(17);
    both.counts = everywhere(4096 + 96);
    run(cta, 1, both);
    run(cta, 2, bar_sync(1, 96));
    EXPECT_EQ(cta.describe(),
              "barrier 1 (BAR.SYNC/ARV): 2 of 3 warps have arrived; blocked here: 1, 2; could still arrive: 0, 3\n"
              "barrier 1: warp 1 has come with other bits set than count: R4 holds 17, which acts as barrier 1\n"
              "barrier 1: warp 1 has come with other bits set than count: R5 holds 4192, which acts as count 96\n");
    run(cta, 0, bar_sync(1, 96));
    run(cta, 1, bar_sync(2));
    EXPECT_EQ(
        cta.describe(),
        "barrier 2 (BAR.SYNC/ARV): 1 of 4 living warps have arrived; blocked here: 1; could still arrive: 0, 2, 3\n");
}

/// The operands of `call` that have other bits, in words.
std::vector<std::string> other_bits(const BarrierCall &call) {
    std::vector<std::string> texts;
    for (const BarrierOperand &operand : operands_with_other_bits(call.operation())) {
        texts.push_back(text_of(operand));
    }
    return texts;
}

TEST(BarrierOperands, WithOtherBitsAreFoundInEveryFormAndOnlyThere) {
    BarrierCall id = barrier_call(isa::Op::kBar, isa::Form::kRri, 0);
    id.insn.rb = 4;
    id.ids = everywhere(15);
    EXPECT_THAT(other_bits(id), IsEmpty());
    id.ids = everywhere(16);
    EXPECT_THAT(other_bits(id), ElementsAre("R4 holds 16, which acts as barrier 0"));
    BarrierCall count = barrier_call(isa::Op::kBar, isa::Form::kRir, 1);
    count.insn.rc = 6;
    count.counts = everywhere(0xfe0);
    EXPECT_THAT(other_bits(count), IsEmpty());
    count.counts = everywhere(4128);
    EXPECT_THAT(other_bits(count), ElementsAre("R6 holds 4128, which acts as count 32"));
    BarrierCall joint = barrier_call(isa::Op::kBarRed, isa::Form::kR, 0);
    joint.insn.rb = 7;
    joint.ids = everywhere(0x201);
    EXPECT_THAT(other_bits(joint), IsEmpty());
    joint.ids = everywhere(0x100201);
    EXPECT_THAT(other_bits(joint), ElementsAre("R7 holds 0x100201, which acts as barrier 1 with count 32"));
    EXPECT_THAT(other_bits(bar_sync(1, 64)), IsEmpty());
    EXPECT_THAT(other_bits(r2b_bar(1, 0xffffffff)), IsEmpty());
}

TEST(BarrierOperands, OfThreadsThatDoNotTakePartDoNotMatter) {
    BarrierCall call = barrier_call(isa::Op::kBar, isa::Form::kRri, 0);
    call.insn.rb = 4;
    call.ids = everywhere(1);
    call.ids[3] = 17;
    call.ids[9] = 33;
    EXPECT_THAT(other_bits(call), ElementsAre("R4 holds 17, which acts as barrier 1")) << "the lowest thread with some";
    EXPECT_THAT(other_bits(call.with(LaneMask(0xfff0))), ElementsAre("R4 holds 33, which acts as barrier 1"));
    EXPECT_THAT(other_bits(call.with(LaneMask(0x7))), IsEmpty());
}

TEST(BarrierReport, IsEmptyWhenNoWarpWaits) {
    CtaBarriers cta(2);
    run(cta, 0, bar_arv(0, 64));
    EXPECT_EQ(cta.describe(), "");
}

TEST(CtaBarriers, SizeIsLimitedByTheStateWord) {
    EXPECT_THROW(CtaBarriers(0), InputError);
    EXPECT_THROW(CtaBarriers(128), InputError);
    EXPECT_EQ(CtaBarriers(127).warps(), 127U);
}

TEST(CtaBarriers, AWarpThatCannotRunIsALogicError) {
    CtaBarriers cta(3);
    EXPECT_THROW(cta.execute(3, bar_sync(0).operation()), std::logic_error);
    cta.exit(0);
    EXPECT_THROW(cta.execute(0, bar_sync(0).operation()), std::logic_error);
    run(cta, 1, bar_sync(0));
    EXPECT_THROW(cta.execute(1, bar_sync(0).operation()), std::logic_error);
    EXPECT_THROW(cta.exit(1), std::logic_error);
}

} // namespace
} // namespace smsim::bcu
