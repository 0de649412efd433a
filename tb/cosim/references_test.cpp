// The references of lockstep: equal answers pass, and each field that differs is named with both values.
#include <gtest/gtest.h>

#include <array>

#include "assembler/assembler.h"
#include "bru/engines/convergence_barrier/control_state.h"
#include "bru/reconvergence_engine.h"
#include "cosim/bcu_reference.h"
#include "cosim/bru_reference.h"
#include "cosim/shared_memory_reference.h"
#include "cosim/sleep_reference.h"
#include "cosim/timer_reference.h"

namespace smsim::cosim {
namespace {

using bru::convergence_barrier::ControlState;
using bru::convergence_barrier::snapshot_of;
using bru::convergence_barrier::state_of;

Program assembled(const std::string &text) {
    return assemble(".kernel k\n" + text + " EXIT;\n", "k.sasm", timing::SchedulingModel());
}

/// A branch unit without a fault and the reference: the same engine.
class BruReferenceTest : public testing::Test {
  protected:
    BruReferenceTest() : reference_(BruConfig{}, 1), there_(bru::make_engine(BruConfig{}, 1)) {
        WarpStart start;
        start.valid = LaneMask::all();
        start.code_bytes = program_.size_bytes();
        reference_.start(start);
        there_->start(WarpSlot(0), 0, LaneMask::all(), program_.size_bytes());
    }
    /// Executes instruction `index` on both sides with the guard `guard`.
    bru::StepResult step(std::size_t index, LaneMask guard = LaneMask::all()) {
        const isa::Instruction &insn = program_.code.at(index);
        reference_.execute(WarpSlot(0), insn, {guard, LaneMask::all(), vectors_});
        return there_->execute(WarpSlot(0), insn, {guard, LaneMask::all(), vectors_});
    }
    ControlSnapshot state() const { return there_->snapshot(WarpSlot(0), {}); }

    const Program program_ = assembled(" BSSY B0, join;\n @P0 BRA join;\n join: BSYNC B0;\n");
    const isa::VectorOperands vectors_{};
    BruReference reference_;
    std::unique_ptr<bru::ReconvergenceEngine> there_;
};

TEST_F(BruReferenceTest, EqualStepsAreNoDifference) {
    for (std::size_t index = 0; index < 3; ++index) {
        const bru::StepResult result = step(index, index == 1 ? LaneMask(0xff) : LaneMask::all());
        EXPECT_EQ(reference_.difference(WarpSlot(0), program_.code[index], result, state()), std::nullopt) << index;
    }
}

TEST_F(BruReferenceTest, AFieldOfTheResponseThatDiffersIsNamedWithBothValues) {
    bru::StepResult result = step(0);
    result.next_active = LaneMask(0x7fffffff);
    EXPECT_EQ(reference_.difference(WarpSlot(0), program_.code[0], result, state()),
              "next active: model 0xffffffff, RTL 0x7fffffff (docs/branch-unit.md, Joins)");
}

TEST_F(BruReferenceTest, AFieldOfTheStateThatDiffersIsNamedWithBothValues) {
    const bru::StepResult result = step(0);
    ControlState other = state_of(state());
    other.b[0] = LaneMask(0x1);
    other.yield = LaneMask(0x2);
    EXPECT_EQ(reference_.difference(WarpSlot(0), program_.code[0], result, snapshot_of(other)),
              "YieldMask: model 0x00000000, RTL 0x00000002; B0: model 0xffffffff, RTL 0x00000001 "
              "(docs/branch-unit.md, Joins)");
}

TEST_F(BruReferenceTest, AnExceptionOnOneSideOnlyIsADifference) {
    bru::StepResult result = step(0);
    result.fault = FaultReport{Fault::kIllegalTarget, "", 0, 0};
    EXPECT_EQ(reference_.difference(WarpSlot(0), program_.code[0], result, std::nullopt),
              "exception: model none, RTL IllegalTarget (docs/branch-unit.md, Joins)");
}

TEST_F(BruReferenceTest, TheSameExceptionOfAnotherThreadIsADifference) {
    const Program far = assembled(" BRX R2, 0x100000;\n");
    const bru::Operands operands{LaneMask::all(), LaneMask::all(), vectors_};
    reference_.execute(WarpSlot(0), far.code[0], operands);
    bru::StepResult there = there_->execute(WarpSlot(0), far.code[0], operands);
    ASSERT_TRUE(there.fault);
    EXPECT_EQ(reference_.difference(WarpSlot(0), far.code[0], there, std::nullopt), std::nullopt);
    reference_.execute(WarpSlot(0), far.code[0], operands);
    there.fault_lane = 1;
    there.fault_value += 16;
    EXPECT_EQ(reference_.difference(WarpSlot(0), far.code[0], there, std::nullopt),
              "exception's thread: model 0x0, RTL 0x1; exception's value: model 0x100010, RTL 0x100020 "
              "(docs/branch-unit.md, Jumps)");
}

/// Starts the two warps of a CTA.
void start_two_warps(BcuReference &reference) {
    for (std::uint32_t warp = 0; warp < 2; ++warp) {
        WarpStart start;
        start.warp = WarpSlot(warp);
        start.warp_in_cta = warp;
        start.warps_in_cta = 2;
        reference.start(start, 1);
    }
}

/// Two warps of one CTA that arrive at barrier 1 in cycles 10 and 19; the second is taken a cycle late.
class BcuReferenceTest : public testing::Test {
  protected:
    BcuReferenceTest() : reference_(BcuConfig{}, 2, 1) {
        start_two_warps(reference_);
        for (std::uint32_t warp = 0; warp < 2; ++warp) {
            reference_.operation(WarpSlot(warp), program_.code[0], LaneMask::all(), {}, {}, 10 + warp * 9,
                                 10 + warp * 10);
        }
        EXPECT_EQ(reference_.advance(16).size(), 1U) << "served six cycles after the request";
    }
    static BcuReference::Answer ack(bool blocked) {
        BcuReference::Answer answer;
        answer.blocked = blocked;
        return answer;
    }
    static BcuReference::Answer go() {
        BcuReference::Answer answer;
        answer.kind = BcuReference::Answer::Kind::kGo;
        return answer;
    }

    const Program program_ = assembled(" BAR.SYNC 1;\n");
    BcuReference reference_;
};

TEST_F(BcuReferenceTest, EqualAnswersAndWordsAreNoDifference) {
    EXPECT_EQ(reference_.compare(WarpSlot(0), ack(true), 43).difference, std::nullopt);
    std::array<std::uint32_t, kBarriers> words{};
    words[1] = 1 | 1U << 14;
    EXPECT_EQ(reference_.difference(CtaSlot(0), words), std::nullopt);
    EXPECT_EQ(reference_.advance(26).size(), 1U);
    words[1] = 0;
    EXPECT_EQ(reference_.difference(CtaSlot(0), words), std::nullopt);
    EXPECT_EQ(reference_.compare(WarpSlot(0), go(), 43).difference, std::nullopt);
    EXPECT_EQ(reference_.compare(WarpSlot(1), go(), 43).difference, std::nullopt) << "the one that completed it";
}

TEST_F(BcuReferenceTest, ReportsTheCycleInWhichTheModelAnswers) {
    EXPECT_EQ(reference_.compare(WarpSlot(0), ack(true), 43).due, 17U) << "after the service";
    EXPECT_EQ(reference_.advance(26).size(), 1U);
    EXPECT_EQ(reference_.compare(WarpSlot(0), go(), 43).due, 41U) << "16 cycles after the completion";
    EXPECT_EQ(reference_.compare(WarpSlot(1), go(), 43).due, 42U) << "one cycle after the first";
    EXPECT_EQ(reference_.compare(WarpSlot(1), go(), 43).due, std::nullopt);
}

TEST_F(BcuReferenceTest, AnAnswerThatIsNeverTakenIsMissing) {
    EXPECT_EQ(reference_.missing(16), std::nullopt);
    EXPECT_EQ(reference_.missing(17), "warp slot 0: model blocked in cycle 17, RTL has not answered "
                                      "(docs/barrier-unit.md, Time)");
    reference_.compare(WarpSlot(0), ack(true), 17);
    EXPECT_EQ(reference_.missing(1000), std::nullopt);
}

TEST(BcuReferenceRoom, ServesNothingWhileItsAnswersHaveNoRoom) {
    const Program program = assembled(" BAR.ARV 1, 64;\n");
    BcuReference reference(BcuConfig{}, 2, 1);
    start_two_warps(reference);
    for (Cycle taken = 10; taken < 20; ++taken) { // warp 0 and 1 alternating, one in each cycle
        reference.operation(WarpSlot(taken % 2), program.code[0], LaneMask::all(), {}, {}, taken, taken);
    }
    std::size_t served = 0;
    for (Cycle now = 11; now <= 40; ++now) {
        served += reference.advance(now).size();
    }
    EXPECT_EQ(served, 8U) << "four answers for each of two warps";
    BcuReference::Answer answer;
    reference.compare(WarpSlot(0), answer, 41);
    EXPECT_TRUE(reference.advance(41).empty()) << "its place is free in the next cycle";
    EXPECT_EQ(reference.advance(42).size(), 1U);
}

TEST_F(BcuReferenceTest, AnotherOutcomeIsADifference) {
    EXPECT_EQ(reference_.compare(WarpSlot(0), ack(false), 43).difference,
              "warp slot 0: model blocked, RTL goes on (docs/barrier-unit.md)");
}

TEST_F(BcuReferenceTest, AnAnswerThatIsNotDueIsADifference) {
    EXPECT_EQ(reference_.compare(WarpSlot(1), go(), 43).difference,
              "warp slot 1: model has no such answer now, RTL go (docs/barrier-unit.md, Time)");
}

TEST_F(BcuReferenceTest, AnotherStateWordIsADifference) {
    const std::array<std::uint32_t, kBarriers> words{};
    EXPECT_EQ(reference_.difference(CtaSlot(0), words),
              "barrier 1 of CTA slot 0: model 0x00004001, RTL 0x00000000 (docs/barrier-unit.md, State word)");
}

TEST_F(BcuReferenceTest, AnotherWordOfAWarpIsADifference) {
    EXPECT_EQ(reference_.difference(WarpSlot(0), 0U), std::nullopt);
    EXPECT_EQ(reference_.difference(WarpSlot(0), 5U),
              "WarpBarState of warp slot 0: model 0x00000000, RTL 0x00000005 (docs/barrier-unit.md, State word)");
}

TEST(SharedMemoryReference, PerformsReadsWritesAndAtomicsOfSlots) {
    SharedMemoryReference memory(64);
    SharedMemoryReference::Row row{};
    row.fill(0xab);
    memory.write(16, 0x00f1, row);
    EXPECT_EQ(memory.read(16, 0xffff)[0], 0xab);
    EXPECT_EQ(memory.read(16, 0xffff)[1], 0);
    EXPECT_EQ(memory.read(16, 0xfffe)[0], 0) << "a byte that is not enabled";
    SharedMemoryReference::Row operand{};
    operand[0] = 2;
    EXPECT_EQ(memory.atomic(20, isa::AtomicOp::kAdd, isa::AtomicType::kU32, operand), 0xababababU);
    EXPECT_EQ(memory.read(16, 0xffff)[4], 0xad);
}

/// One warp that requests a sleep of 5 cycles in cycle 10.
class TimerReferenceTest : public testing::Test {
  protected:
    TimerReferenceTest() { reference_.request(WarpSlot(0), 10, 5); }
    TimerReference reference_{1, 1};
};

TEST_F(TimerReferenceTest, AnExpiryInAnotherCycleIsNoDifference) {
    EXPECT_EQ(reference_.running(WarpSlot(0), 10, 17), std::nullopt);
    reference_.advance(17);
    EXPECT_EQ(reference_.none_runs(17),
              "the timer of warp slot 0: model expires in cycle 15, RTL does not run (docs/pins.md, Sleep timer)");
    const TimerReference::Comparison late = reference_.expired(WarpSlot(0), 17);
    EXPECT_EQ(late.difference, std::nullopt);
    EXPECT_EQ(late.due, 15U);
    reference_.request(WarpSlot(0), 20, 5);
    reference_.advance(22);
    const TimerReference::Comparison early = reference_.expired(WarpSlot(0), 22);
    EXPECT_EQ(early.difference, std::nullopt);
    EXPECT_EQ(early.due, 25U);
    reference_.advance(30);
    EXPECT_EQ(reference_.none_runs(30), std::nullopt) << "the model's is stopped by an early one";
}

TEST_F(TimerReferenceTest, AnOverdueExpiryIsMissing) {
    reference_.advance(20);
    EXPECT_EQ(reference_.missing(14), std::nullopt);
    EXPECT_EQ(reference_.missing(15),
              "the timer of warp slot 0: model expires in cycle 15, RTL has not (docs/pins.md, Sleep timer)");
    reference_.expired(WarpSlot(0), 20);
    EXPECT_EQ(reference_.missing(100), std::nullopt);
}

TEST_F(TimerReferenceTest, AnUnrequestedExpiryIsADifference) {
    reference_.stop(WarpSlot(0), 12);
    reference_.advance(15);
    EXPECT_EQ(reference_.expired(WarpSlot(0), 15).difference,
              "the timer of warp slot 0: model does not run, RTL expires in cycle 15 (docs/pins.md, Sleep timer)");
}

TEST_F(TimerReferenceTest, ATimerThatRunsOnOneSideOnlyIsADifference) {
    EXPECT_EQ(reference_.running(WarpSlot(0), 10, kNever),
              "the timer of warp slot 0: model expires in cycle 15, RTL does not run (docs/pins.md, Sleep timer)");
    EXPECT_EQ(reference_.none_runs(10),
              "the timer of warp slot 0: model expires in cycle 15, RTL does not run (docs/pins.md, Sleep timer)");
    EXPECT_EQ(reference_.none_runs(14), std::nullopt) << "its expiry is reported in this cycle";
    reference_.stop(WarpSlot(0), 11);
    EXPECT_EQ(reference_.running(WarpSlot(0), 11, 20),
              "the timer of warp slot 0: model does not run, RTL expires in cycle 20 (docs/pins.md, Sleep timer)");
}

/// Sleeps of warp slot 0.
class SleepReferenceTest : public testing::Test {
  protected:
    /// A NANOSLEEP of `cycles` cycles whose response is due in cycle `due`.
    void sleep(Cycle due, Cycle cycles, Outcome outcome = Outcome::kContinue) {
        reference_.executed(kWarp, due, outcome, cycles);
    }
    /// The due cycle of a request of `cycles` that arrives in cycle `at`.
    std::optional<Cycle> asked(Cycle cycles, Cycle at = 1000) {
        const SleepReference::Comparison compared = reference_.asked(kWarp, cycles, at);
        EXPECT_EQ(compared.difference, std::nullopt);
        return compared.due;
    }
    static constexpr WarpSlot kWarp{0};
    SleepReference reference_{1};
};

TEST_F(SleepReferenceTest, ASleepThatAnEarlierExpiryServesAsksNothing) {
    sleep(14, 60);
    sleep(20, 54); // until the same cycle
    EXPECT_EQ(asked(60), 14U);
    EXPECT_EQ(reference_.asked(kWarp, 54, 20).difference,
              "warp slot 0: timer request: model none, RTL of 54 cycles (docs/pins.md, Branch unit, Sleep)");
}

TEST_F(SleepReferenceTest, ASleepThatEndsEarlierSendsANewRequest) {
    sleep(14, 60);
    sleep(20, 53);
    EXPECT_EQ(asked(60), 14U);
    EXPECT_EQ(asked(53), 20U);
    EXPECT_EQ(reference_.expected(kWarp), 73U);
}

TEST_F(SleepReferenceTest, AnExpiryBeforeTheExpectedOneIsAskedForAgain) {
    sleep(14, 60);
    EXPECT_EQ(asked(60), 14U);
    EXPECT_FALSE(reference_.expired(kWarp, 40));
    EXPECT_EQ(asked(32), 42U);
    EXPECT_FALSE(reference_.expired(kWarp, 72)); // too late to request less than a cycle
    EXPECT_EQ(asked(1), 74U);
    EXPECT_TRUE(reference_.expired(kWarp, 74));
}

TEST_F(SleepReferenceTest, RtlThatAsksEarlierSleepsAsMuchLess) {
    sleep(14, 60);
    EXPECT_EQ(asked(60, 12), 14U);
    EXPECT_FALSE(reference_.expired(kWarp, 70));
    EXPECT_TRUE(reference_.expired(kWarp, 71));
}

TEST_F(SleepReferenceTest, AWakeFollowsTheResponseThatPutsTheWarpToSleep) {
    sleep(14, 60);
    sleep(80, 100, Outcome::kSleep); // starts in cycle 73, in which the expiry is reported
    EXPECT_TRUE(reference_.expired(kWarp, 73));
    EXPECT_EQ(reference_.woken(kWarp), 81U);
    EXPECT_EQ(reference_.woken(kWarp), std::nullopt);
}

TEST_F(SleepReferenceTest, NeitherAWarpThatExitsNorOneThatStartsExpectsAnything) {
    sleep(14, 60);
    reference_.executed(kWarp, 20, Outcome::kExited, std::nullopt);
    EXPECT_FALSE(reference_.expired(kWarp, 73));
    sleep(114, 60);
    reference_.start(kWarp);
    EXPECT_FALSE(reference_.expired(kWarp, 173));
    EXPECT_EQ(asked(60), 14U) << "the previous warp's request is still expected";
    EXPECT_EQ(asked(60), 114U);
}

TEST_F(SleepReferenceTest, OverdueRequestsAndWakesAreMissing) {
    sleep(14, 60, Outcome::kSleep);
    EXPECT_EQ(reference_.missing(kWarp, 13), std::nullopt);
    EXPECT_EQ(reference_.missing(kWarp, 14), "warp slot 0: model asks the timer for 60 cycles in cycle 14, RTL has not "
                                             "(docs/pins.md, Branch unit, Sleep)");
    EXPECT_EQ(asked(60), 14U);
    EXPECT_TRUE(reference_.expired(kWarp, 73));
    EXPECT_EQ(reference_.missing(kWarp, 73), std::nullopt);
    EXPECT_EQ(reference_.missing(kWarp, 74),
              "warp slot 0: model wakes it in cycle 74, RTL has not (docs/pins.md, Branch unit, Sleep)");
}

} // namespace
} // namespace smsim::cosim
