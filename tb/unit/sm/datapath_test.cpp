// The datapath of one sub-partition alone: compute pipes, control and barrier instructions, observers, hazards.
#include "model/config/config.h"
#include "tb/unit/sm/datapath_bench.h"

namespace smsim::sm::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// --- compute pipes -------------------------------------------------------------------------------------------------

TEST(Datapath, LatencyAndIntervalOfEachPipe) {
    Config config;
    config.pipes.alu = {4, 1};
    config.pipes.fma = {5, 2};
    config.pipes.xu = {17, 3};
    config.pipes.fp64 = {33, 8};
    config.pipes.uniform = {7, 6};
    config.pipes.special_register = 20;
    Bench bench(config);
    struct Case {
        Instruction insn;
        Cycle latency;
        std::uint32_t interval;
    };
    const Case kCases[] = {
        {mov(1, 5), 4, 1},
        {make(Op::kFadd, Form::kR), 5, 2},
        {make(Op::kPopc, Form::kR), 17, 3},
        {make(Op::kDadd, Form::kR), 33, 8},
        {umov(1, 2), 7, 6},
        {s2r(1, SpecialRegister::kLaneId), 20, 3},
    };
    for (const Case &c : kCases) {
        const Instruction &insn = c.insn;
        const Answer answer = bench.run(insn);
        EXPECT_EQ(answer.status, tlm::TLM_COMPLETED) << insn.spec().name;
        EXPECT_EQ(answer.latency, c.latency) << insn.spec().name;
        EXPECT_EQ(answer.interval, c.interval) << insn.spec().name;
        EXPECT_EQ(answer.outcome, Outcome::kContinue);
    }
    const auto &by_unit = bench.datapath.stats().by_unit;
    EXPECT_EQ(by_unit[static_cast<std::size_t>(isa::Unit::kXu)], 2U);
    EXPECT_EQ(by_unit[static_cast<std::size_t>(isa::Unit::kFp64)], 1U);
}

TEST(Datapath, DoublePrecisionIsExecutedAtIssueAndGoesToTheUnitOfTheSmForItsTime) {
    Config config;
    config.pipes.fp64_per_sm = true;
    Bench bench(config);
    Instruction add = make(Op::kDadd, Form::kI);
    add.rd = 4;
    add.ra = 2;
    add.imm = 0x3ff00000; // upper half of 1.0
    bench.on_fp64_call = [&](IssuePayload &payload, tlm::tlm_phase &phase, sc_core::sc_time &) {
        EXPECT_EQ(protocol::extension_of(payload)->insn, &add);
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    };
    const Answer answer = bench.issue(add);
    EXPECT_EQ(answer.status, tlm::TLM_UPDATED);
    EXPECT_EQ(answer.interval, 1U);
    EXPECT_EQ(bench.peek(5)[0], 0x3ff00000U);
    ASSERT_NE(answer.payload, nullptr);
    const Cycle now = bench.clock.now();
    for (tlm::tlm_phase phase : {tlm::END_REQ, tlm::BEGIN_RESP}) {
        answer.payload->set_response_status(tlm::TLM_OK_RESPONSE);
        sc_core::sc_time delay = bench.clock.span(7);
        (*bench.fp64)->nb_transport_bw(*answer.payload, phase, delay);
    }
    EXPECT_THAT(bench.phases, ElementsAre(fmt::format("{} END_REQ", now + 7), fmt::format("{} BEGIN_RESP", now + 7)));
    EXPECT_EQ(bench.answered.response, tlm::TLM_OK_RESPONSE);
}

TEST(Datapath, DoublePrecisionThatRaisesAnExceptionDoesNotReachTheUnitOfTheSm) {
    Config config;
    config.pipes.fp64_per_sm = true;
    Bench bench(config);
    bench.on_fp64_call = [](IssuePayload &, tlm::tlm_phase &, sc_core::sc_time &) {
        ADD_FAILURE();
        return tlm::TLM_ACCEPTED;
    };
    Instruction add = make(Op::kDadd, Form::kI);
    add.rd = 100; // the warp has 16 registers
    const Answer answer = bench.issue(add);
    EXPECT_EQ(answer.status, tlm::TLM_COMPLETED);
    EXPECT_EQ(answer.fault.fault, Fault::kIllegalInstruction);
}

TEST(Datapath, OnlyActiveThreadsWithATrueGuardExecute) {
    Bench bench;
    bench.run(s2r(1, SpecialRegister::kLaneId));
    bench.run(lanes_below(2, 1, 8));
    bench.run(mov(3, 100));
    Instruction guarded = mov(3, 200);
    guarded.pg = 2;
    EXPECT_EQ(bench.run(guarded, LaneMask(0xf0)).executed, LaneMask(0xf0));
    guarded.imm = 300;
    guarded.pg_not = true;
    EXPECT_EQ(bench.run(guarded, LaneMask(0xff00)).executed, LaneMask(0xff00));
    guarded.imm = 400;
    EXPECT_EQ(bench.run(guarded, LaneMask(0xff)).executed, LaneMask{});
    EXPECT_EQ(bench.peek(3), filled([](unsigned i) {
                  return i >= 4 && i < 8 ? 200U : i >= 8 && i < 16 ? 300U : 100U;
              }));
}

TEST(Datapath, SpecialRegistersKnowWarpAndCycle) {
    Bench bench;
    bench.advance(123);
    Instruction clock = s2r(1, SpecialRegister::kClockLo);
    bench.run(clock);
    bench.run(s2r(2, SpecialRegister::kTidX));
    bench.run(s2r(3, SpecialRegister::kCtaIdX));
    bench.run(s2r(4, SpecialRegister::kNctaIdX));
    EXPECT_EQ(bench.peek(1)[0], 123U);
    EXPECT_EQ(bench.peek(2), filled([](unsigned i) { return 32 + i; })) << "second warp of its CTA";
    EXPECT_EQ(bench.peek(3)[0], 3U);
    EXPECT_EQ(bench.peek(4)[0], 9U);
}

TEST(Datapath, TheGlobalTimerFollowsTheClockAsConfigured) {
    Config config;
    config.sm.clock_ghz = 1.1;
    Bench bench(config);
    bench.advance(11'000'000);
    bench.run(s2r(1, SpecialRegister::kGlobalTimerLo));
    EXPECT_EQ(bench.peek(1)[0], 10'000'000U) << "the simulation's period of 909 ps would give 9999000";
}

TEST(Datapath, AWarpStartsWithClearRegistersAndWarpsDoNotShareThem) {
    Bench bench;
    bench.start(WarpSlot(1), 16);
    bench.run(mov(1, 77));
    const Instruction other = mov(1, 88);
    bench.issue(other, kAll, WarpSlot(1));
    EXPECT_EQ(bench.peek(1)[0], 77U);
    bench.start(kWarp, 16);
    EXPECT_EQ(bench.peek(1)[0], 0U);
}

TEST(Datapath, TheSpecialRegisterOfTheSmHoldsItsNumber) {
    Bench bench;
    bench.run(s2r(1, SpecialRegister::kSmId));
    EXPECT_EQ(bench.peek(1), filled([](unsigned) { return 5U; }));
}

TEST(Datapath, AFaultOfAComputeInstructionIsAnErrorResponse) {
    Bench bench;
    Instruction ldc = make(Op::kLdc, Form::kC);
    ldc.rd = 1;
    ldc.mod[0] = static_cast<std::uint8_t>(Access::k32);
    ldc.const_offset = 64;
    const Answer answer = bench.issue(ldc);
    EXPECT_EQ(answer.response, tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(answer.fault.fault, Fault::kIllegalAddress);
    EXPECT_EQ(bench.peek(1)[0], 0U);
}

TEST(Datapath, LdcReadsTheConstantBank) {
    Bench bench;
    bench.on_load_store_call = completes<LoadStoreExtension>(bench, 9);
    bench.run(s2r(1, SpecialRegister::kLaneId));
    Instruction ldc = make(Op::kLdc, Form::kC);
    ldc.rd = 2;
    ldc.ra = 1;
    ldc.const_offset = 4;
    ldc.mod[0] = static_cast<std::uint8_t>(Access::kU8);
    bench.run(ldc);
    EXPECT_EQ(bench.peek(2), filled([](unsigned i) { return 4 + i; }));
}

TEST(Datapath, ARegisterThatTheWarpDoesNotHaveIsAnIllegalInstructionOnEveryUnit) {
    Bench bench; // 16 registers
    const auto refused = [&](const Instruction &insn) {
        const Answer answer = bench.issue(insn);
        EXPECT_EQ(answer.response, tlm::TLM_GENERIC_ERROR_RESPONSE) << insn.spec().name;
        EXPECT_EQ(answer.fault.fault, Fault::kIllegalInstruction) << insn.spec().name;
        EXPECT_THAT(answer.fault.detail, ::testing::HasSubstr("R16")) << insn.spec().name;
    };
    refused(mov(16, 1));
    Instruction load = memory(Op::kLdg);
    load.rd = 16;
    refused(load);
    Instruction jump = make(Op::kBrx, Form::kR);
    jump.ra = 16;
    refused(jump);
    Instruction read = make(Op::kB2r, Form::kI);
    read.rd = 16;
    refused(read);
}

// --- control instructions ----------------------------------------------------------------------------------------

TEST(Datapath, ABranchGetsGuardsOfAllLanesAndItsAnswerComesBack) {
    Bench bench;
    bench.run(s2r(1, SpecialRegister::kLaneId));
    bench.run(lanes_below(2, 1, 16));
    bench.run(lanes_below(3, 1, 4));
    Instruction bra = make(Op::kBra, Form::kX);
    bra.pg = 2;
    bra.pp = 3;
    bra.pp_not = true;
    bench.on_branch_call = completes<BranchExtension>(bench, 2, [&](BranchExtension &ext) {
        EXPECT_EQ(ext.warp, kWarp);
        EXPECT_EQ(ext.insn->op, Op::kBra);
        EXPECT_EQ(ext.guard, LaneMask(0xffff));
        EXPECT_EQ(ext.guard_pp, ~LaneMask(0xf));
        EXPECT_EQ(ext.sequence, 7U);
        ext.interval = 3;
        ext.outcome = Outcome::kSleep;
        ext.next_pc = 0x80;
        ext.next_active = LaneMask(0x3);
    });
    const Answer answer = bench.run(bra, LaneMask(0xff));
    EXPECT_EQ(answer.executed, LaneMask(0xf0));
    EXPECT_EQ(answer.latency, 2U);
    EXPECT_EQ(answer.interval, 3U);
    EXPECT_EQ(answer.outcome, Outcome::kSleep);
    EXPECT_EQ(answer.next_pc, 0x80U);
    EXPECT_EQ(answer.next_active, LaneMask(0x3));
}

TEST(Datapath, OperandsReachTheBranchUnitAndItsResultTheRegisters) {
    Bench bench;
    bench.run(s2r(4, SpecialRegister::kLaneId));
    Instruction brx = make(Op::kBrx, Form::kR);
    brx.ra = 4;
    Instruction lepc = make(Op::kLepc, Form::kI);
    lepc.rd = 2;
    bench.on_branch_call = completes<BranchExtension>(
        bench, 2, [](BranchExtension &ext) { EXPECT_EQ(ext.vectors[0][31], 31U) << "all lanes, active or not"; });
    bench.run(brx, LaneMask(0x1));
    bench.on_branch_call = completes<BranchExtension>(bench, 2, [](BranchExtension &ext) {
        ext.write_lanes = LaneMask(0x6);
        ext.value = 0x1122334455667788ULL;
    });
    bench.run(lepc);
    EXPECT_EQ(bench.peek(3), filled([](unsigned i) { return i == 1 || i == 2 ? 0x11223344U : 0U; }));
}

TEST(Datapath, AConstantOperandOutsideItsBankFaultsBeforeTheBranchUnit) {
    Bench bench;
    bench.on_branch_call = [](BranchPayload &, tlm::tlm_phase &, sc_core::sc_time &) {
        ADD_FAILURE() << "the branch unit must not see it";
        return tlm::TLM_COMPLETED;
    };
    Instruction insn = make(Op::kCall, Form::kC);
    insn.const_bank = 3;
    insn.const_offset = 0x20;
    const Answer answer = bench.issue(insn);
    EXPECT_EQ(answer.response, tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(answer.fault.fault, Fault::kIllegalAddress);
    EXPECT_EQ(answer.fault.detail, "constant c[0x3][0x20] is outside its bank");
}

TEST(Datapath, AControlInstructionThatWaitsForASharedPipelineIsAnsweredLater) {
    Bench bench;
    bench.datapath.observe(&bench);
    BranchPayload *held = nullptr;
    bench.on_branch_call = [&](BranchPayload &payload, tlm::tlm_phase &phase, sc_core::sc_time &) {
        payload.acquire();
        held = &payload;
        protocol::extension_of(payload)->interval = 2;
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    };
    const Instruction exit = make(Op::kExit, Form::kX);
    bench.advance(1);
    const Answer first = bench.issue(exit, LaneMask(0xf));
    EXPECT_EQ(first.status, tlm::TLM_UPDATED);
    EXPECT_EQ(first.phase, tlm::END_REQ);
    EXPECT_EQ(first.interval, 2U);
    EXPECT_THAT(bench.observed, ElementsAre("postponed 1: EXIT 0xf 0xf")) << "not executed yet";
    bench.advance(2);
    auto &ext = *protocol::extension_of(*held);
    ext.outcome = Outcome::kExited;
    held->set_response_status(tlm::TLM_OK_RESPONSE);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = bench.clock.span(2);
    EXPECT_EQ(bench.branch->nb_transport_bw(*held, phase, delay), tlm::TLM_COMPLETED);
    held->release();
    EXPECT_THAT(bench.phases, ElementsAre("5 BEGIN_RESP"));
    EXPECT_EQ(bench.answered.outcome, Outcome::kExited);
    EXPECT_EQ(bench.answered.response, tlm::TLM_OK_RESPONSE);
    EXPECT_THAT(bench.observed, ElementsAre("postponed 1: EXIT 0xf 0xf", "1: EXIT 0xf 0xf"))
        << "the cycle is of the issue";
}

TEST(Datapath, AFaultOfTheBranchUnitReachesTheIBuffer) {
    Bench bench;
    bench.on_branch_call = [&](BranchPayload &payload, tlm::tlm_phase &, sc_core::sc_time &) {
        protocol::extension_of(payload)->fault = {Fault::kIllegalTarget, "far away"};
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    };
    const Instruction bra = make(Op::kBra, Form::kX);
    const Answer answer = bench.issue(bra);
    EXPECT_EQ(answer.response, tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(answer.fault.fault, Fault::kIllegalTarget);
    EXPECT_EQ(answer.fault.detail, "far away");
}

// --- barrier instructions ------------------------------------------------------------------------------------------

TEST(Datapath, AFaultOfBarrierOperandsIsRaisedAtTheIssueAndDoesNotReachTheUnit) {
    Bench bench;
    bench.on_barrier_call = [](BarrierPayload &, tlm::tlm_phase &, sc_core::sc_time &) {
        ADD_FAILURE() << "the unit got the request";
        return tlm::TLM_COMPLETED;
    };
    Instruction arrive = make(Op::kBar, Form::kI);
    arrive.mod[0] = 1;
    arrive.imm2 = 48;
    const Answer answer = bench.issue(arrive);
    EXPECT_EQ(answer.status, tlm::TLM_COMPLETED);
    EXPECT_EQ(answer.response, tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(answer.fault.fault, Fault::kBarrierCount);
}

TEST(Datapath, AnArrivalThatTheBranchUnitRefusesDoesNotReachTheBarrierUnit) {
    Bench bench;
    unsigned asked = 0;
    bench.on_barrier_call = completes<BarrierExtension>(bench, 6, [&](BarrierExtension &) { ++asked; });
    std::optional<ArrivalRefusal> refusal;
    bench.on_branch_call =
        completes<BranchExtension>(bench, 2, [&](BranchExtension &ext) { ext.refuses_arrivals = refusal; });
    const Instruction arrive = make(Op::kBar, Form::kI);
    const Instruction read = make(Op::kB2r, Form::kI);
    bench.run(arrive);
    refusal = ArrivalRefusal{Fault::kBarrierDiverged, "not now"};
    bench.run(make(Op::kBra, Form::kX));
    const Answer answer = bench.issue(arrive);
    EXPECT_EQ(answer.response, tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(answer.fault.fault, Fault::kBarrierDiverged);
    EXPECT_EQ(answer.fault.detail, "not now");
    bench.run(arrive, LaneMask()); // no thread arrives
    bench.run(read);
    EXPECT_EQ(asked, 3U);
    refusal.reset();
    bench.run(make(Op::kBra, Form::kX));
    bench.run(arrive);
    EXPECT_EQ(asked, 4U) << "it holds until the next answer";
    refusal = ArrivalRefusal{Fault::kBarrierDiverged, "not now"};
    bench.run(make(Op::kBra, Form::kX));
    bench.start(kWarp, 16);
    bench.run(arrive);
    EXPECT_EQ(asked, 5U) << "and not for the next warp of the slot";
}

TEST(Datapath, AReductionContributesThePredicateOfEveryLane) {
    Bench bench;
    bench.run(s2r(4, SpecialRegister::kLaneId));
    bench.run(lanes_below(2, 4, 3));
    LaneMask contribution;
    bench.on_barrier_call =
        completes<BarrierExtension>(bench, 6, [&](BarrierExtension &ext) { contribution = ext.contribution; });
    Instruction red = make(Op::kBarRed, Form::kI);
    red.pp = 2;
    bench.run(red);
    EXPECT_EQ(contribution, LaneMask(0x7));
    red.pp_not = true;
    bench.run(red);
    EXPECT_EQ(contribution, ~LaneMask(0x7));
}

TEST(Datapath, BarrierResultsAreWrittenForTheExecutingThreads) {
    Bench bench;
    bench.on_barrier_call = completes<BarrierExtension>(bench, 16, [](BarrierExtension &ext) {
        ext.writes = true;
        ext.value = 42;
        ext.predicate = true;
    });
    Instruction result = make(Op::kB2rResult, Form::kX);
    result.rd = 3;
    result.pu = 2;
    bench.run(result, LaneMask(0x5));
    EXPECT_EQ(bench.peek(3), filled([](unsigned i) { return i == 0 || i == 2 ? 42U : 0U; }));
    EXPECT_EQ(bench.peek_predicate(2), LaneMask(0x5));
    bench.on_barrier_call = completes<BarrierExtension>(bench, 16, [](BarrierExtension &ext) { ext.value = 99; });
    bench.run(result);
    EXPECT_EQ(bench.peek(3)[0], 42U) << "the unit said that nothing is written";
}

TEST(Datapath, ABarrierThatBlocksIsAnsweredLater) {
    Bench bench;
    BarrierPayload *held = nullptr;
    bench.on_barrier_call = [&](BarrierPayload &payload, tlm::tlm_phase &phase, sc_core::sc_time &) {
        payload.acquire();
        held = &payload;
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    };
    const Instruction bar = make(Op::kBar, Form::kI);
    EXPECT_EQ(bench.issue(bar).status, tlm::TLM_UPDATED);
    bench.advance(6);
    protocol::extension_of(*held)->outcome = Outcome::kBlocked;
    held->set_response_status(tlm::TLM_OK_RESPONSE);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = bench.clock.period();
    EXPECT_EQ(bench.barrier->nb_transport_bw(*held, phase, delay), tlm::TLM_COMPLETED);
    held->release();
    EXPECT_THAT(bench.phases, ElementsAre("7 BEGIN_RESP"));
    EXPECT_EQ(bench.answered.outcome, Outcome::kBlocked);
}

// --- observation ---------------------------------------------------------------------------------------------------

TEST(Datapath, TheObserverSeesWhatWasExecutedAndNoInstructionThatFaulted) {
    Bench bench;
    bench.datapath.observe(&bench);
    bench.advance(10);
    bench.run(mov(1, 5), LaneMask(0xff));
    Instruction bad = mov(16, 5);
    bench.issue(bad);
    bench.on_load_store_call = completes<LoadStoreExtension>(bench, 1);
    Instruction store = memory(Op::kSts);
    store.pg = 0;
    store.pg_not = true;
    bench.run(store, LaneMask(0xf));
    EXPECT_THAT(bench.observed, ElementsAre("10: MOV 0xff 0xff", "60: STS 0xf 0xf"));
}

TEST(Datapath, InstructionsWithoutAUnitPassInOneCycleAndAreSeen) {
    Bench bench;
    bench.datapath.observe(&bench);
    for (const Op op : {Op::kNop, Op::kMembar}) {
        const Answer answer = bench.run(make(op, Form::kX), LaneMask(0xf));
        EXPECT_EQ(answer.status, tlm::TLM_COMPLETED);
        EXPECT_EQ(answer.latency, 1U);
        EXPECT_EQ(answer.interval, 1U);
        EXPECT_EQ(answer.executed, LaneMask(0xf));
    }
    EXPECT_THAT(bench.observed, ElementsAre("0: NOP 0xf 0xf", "50: MEMBAR 0xf 0xf"));
}

TEST(Datapath, HazardsAreCountedAndReported) {
    Config config;
    config.sm.hazard_check = true;
    Bench bench(config);
    Instruction write = mov(1, 5);
    write.pc = 0x10;
    Instruction use = make(Op::kMov, Form::kR);
    use.rd = 2;
    use.rb = 1;
    use.pc = 0x20;
    bench.issue(write);
    bench.advance(1);
    EXPECT_EQ(bench.issue(use).response, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bench.datapath.stats().hazards, 1U);
    ASSERT_EQ(bench.datapath.hazards().size(), 1U);
    EXPECT_EQ(bench.datapath.hazards()[0].second, 0x20U);
}

TEST(Datapath, AFatalHazardIsAFaultWithBothPlaces) {
    Config config;
    config.sm.hazard_check = true;
    config.sm.hazard_fatal = true;
    Bench bench(config);
    Instruction write = mov(1, 5);
    write.pc = 0x10;
    Instruction use = make(Op::kMov, Form::kR);
    use.rd = 2;
    use.rb = 1;
    bench.issue(write);
    bench.advance(1);
    const Answer answer = bench.issue(use);
    EXPECT_EQ(answer.response, tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(answer.fault.fault, Fault::kHazard);
    EXPECT_EQ(answer.fault.detail, "the instruction reads R1 of the instruction at 0x0010, still in flight");
}

/// BAR.SYNC R4 with 17 in R4.
Instruction sync_at_17(Bench &bench) {
    bench.on_barrier_call = completes<BarrierExtension>(bench, 1);
    bench.run(mov(4, 17));
    Instruction sync = make(Op::kBar, Form::kRri);
    sync.rb = 4;
    sync.pc = 0x40;
    return sync;
}

TEST(Datapath, ABarrierOperandWithOtherBitsIsReportedWithTheHazardCheckOn) {
    Config config;
    config.sm.hazard_check = true;
    Bench bench(config);
    const Instruction sync = sync_at_17(bench);
    bench.run(sync);
    bench.run(sync);
    bench.run(sync, LaneMask{});
    EXPECT_EQ(bench.datapath.stats().hazards, 2U);
    ASSERT_EQ(bench.datapath.hazards().size(), 1U);
    const Hazard hazard = bench.datapath.hazards()[0];
    EXPECT_EQ(hazard.kind, Hazard::Kind::kBarrierBits);
    EXPECT_EQ(hazard.first, 0x40U);
    EXPECT_EQ(hazard.second, 0x40U);
    EXPECT_EQ(hazard.count, 2U);
    EXPECT_EQ(hazard_register(hazard), "R4");
    EXPECT_EQ(hazard.value, 17U);
    EXPECT_EQ(operand_of(hazard).acts_as(), 1U);
}

TEST(Datapath, ABarrierOperandWithOtherBitsIsAFaultWhereHazardsAreFatal) {
    Config config;
    config.sm.hazard_check = true;
    config.sm.hazard_fatal = true;
    Bench bench(config);
    const Instruction sync = sync_at_17(bench);
    const Answer answer = bench.issue(sync);
    EXPECT_EQ(answer.response, tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(answer.fault.fault, Fault::kHazard);
    EXPECT_EQ(answer.fault.detail, "R4 holds 17, which acts as barrier 1");
}

TEST(Datapath, AnswersOfMemoryEndTheirHazards) {
    Config config;
    config.sm.hazard_check = true;
    config.sm.hazard_fatal = true;
    Bench bench(config);
    bench.on_load_store_call = completes<LoadStoreExtension>(bench, 9);
    Instruction load = memory(Op::kLds);
    load.rd = 1;
    load.ra = 3;
    bench.issue(load);
    Instruction use = make(Op::kMov, Form::kR);
    use.rd = 2;
    use.rb = 1;
    Instruction over = mov(3, 1);
    bench.advance(9);
    EXPECT_EQ(bench.issue(use).response, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bench.issue(over).response, tlm::TLM_OK_RESPONSE);
}

TEST(Datapath, WithoutTheCheckerNothingIsReported) {
    Bench bench;
    EXPECT_THAT(bench.datapath.hazards(), IsEmpty());
}

} // namespace
} // namespace smsim::sm::test
