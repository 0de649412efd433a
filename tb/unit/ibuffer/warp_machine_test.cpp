// The warp state machine, transition by transition: the effect of each event in each state, what a state is charged
// with, and that the order in which messages arrive does not matter.
#include <gtest/gtest.h>

#include <vector>

#include "ibuffer/warp_machine.h"

namespace smsim::ibuffer {
namespace {

/// A running warp.
WarpMachine running() {
    WarpMachine machine;
    machine.start(5);
    machine.reach(5);
    return machine;
}

WarpMachine branch_unanswered() {
    WarpMachine machine = running();
    machine.branch_issued();
    return machine;
}

/// The answer arrived later than the issue and takes effect at 20.
WarpMachine branch_answered(Outcome outcome, bool leaves = false) {
    WarpMachine machine = branch_unanswered();
    machine.branch_answered(20, outcome, leaves);
    return machine;
}

WarpMachine arrival_unanswered() {
    WarpMachine machine = running();
    machine.arrival_issued();
    return machine;
}

/// Since 20.
WarpMachine blocked() {
    WarpMachine machine = arrival_unanswered();
    machine.arrival_answered(20, Outcome::kBlocked);
    return machine;
}

/// From 20 on.
WarpMachine leaving_barrier() {
    WarpMachine machine = arrival_unanswered();
    machine.arrival_answered(20, Outcome::kContinue);
    return machine;
}

/// Since 20.
WarpMachine sleeping() {
    WarpMachine machine = branch_answered(Outcome::kSleep);
    machine.reach(20);
    return machine;
}

/// At 30.
WarpMachine waking_up() {
    WarpMachine machine = sleeping();
    machine.wake(30);
    return machine;
}

WarpMachine fenced() {
    WarpMachine machine = running();
    machine.fence_issued(20);
    return machine;
}

WarpMachine exiting() {
    WarpMachine machine = branch_answered(Outcome::kExited, true);
    machine.reach(20);
    return machine;
}

WarpMachine not_started() {
    WarpMachine machine;
    machine.start(5);
    return machine;
}

/// One machine in each state; in BranchAnswered one per outcome.
std::vector<WarpMachine> every_state() {
    return {WarpMachine(),
            not_started(),
            running(),
            branch_unanswered(),
            branch_answered(Outcome::kContinue),
            branch_answered(Outcome::kSleep),
            branch_answered(Outcome::kExited),
            arrival_unanswered(),
            blocked(),
            leaving_barrier(),
            sleeping(),
            waking_up(),
            fenced(),
            exiting()};
}

void expect(const WarpMachine &machine, const MachineState &state) {
    EXPECT_EQ(machine.state(), state) << "state number " << machine.state().index();
}

/// In `before` until cycle `at`, and in `after` from then on.
void expect_until(WarpMachine &machine, Cycle at, const MachineState &before, const MachineState &after) {
    machine.reach(at - 1);
    expect(machine, before);
    machine.reach(at);
    expect(machine, after);
}

// --- the warp's life -------------------------------------------------------------------------------------------------

TEST(WarpMachine, AWarpIsNotStartedBeforeItsFirstCycleAndRunsFromThen) {
    WarpMachine machine;
    expect(machine, Absent{});
    machine.start(5);
    expect(machine, NotStarted{5});
    expect_until(machine, 5, NotStarted{5}, Running{});
}

TEST(WarpMachine, AWarpThatHasArrivedBeforeItsTimeIsBlockedFromItsFirstCycleOn) {
    WarpMachine machine;
    machine.start(5, true);
    expect_until(machine, 5, NotStarted{5, true}, Blocked{5});
    EXPECT_TRUE(machine.may_fetch());
    machine.wake(9);
    expect_until(machine, 9, LeavingBarrier{9}, Running{});
}

TEST(WarpMachine, AWakeBeforeTheFirstCycleIsKeptForAWarpThatHasArrivedAlone) {
    WarpMachine machine;
    machine.start(5, true);
    machine.wake(4);
    expect_until(machine, 5, LeavingBarrier{5}, Running{});
    machine.start(15);
    machine.wake(20); // of the previous warp
    expect_until(machine, 15, NotStarted{15}, Running{});
}

TEST(WarpMachine, ASlotTakesTheNextWarpInAnyState) {
    for (WarpMachine machine : every_state()) {
        machine.start(7);
        expect(machine, NotStarted{7});
    }
}

TEST(WarpMachine, EndsInEveryState) {
    for (WarpMachine machine : every_state()) {
        machine.end();
        expect(machine, Absent{});
    }
}

// --- branches --------------------------------------------------------------------------------------------------------

TEST(WarpMachine, ABranchHoldsTheWarpUntilItsAnswerTakesEffect) {
    WarpMachine machine = branch_unanswered();
    expect(machine, BranchUnanswered{});
    EXPECT_FALSE(machine.reach(1000));
    expect(machine, BranchUnanswered{});
    machine.branch_answered(20, Outcome::kContinue, false);
    expect(machine, BranchAnswered{20, Outcome::kContinue, false, kNever});
    EXPECT_FALSE(machine.reach(19));
    EXPECT_FALSE(machine.reach(20));
    expect(machine, Running{});
}

TEST(WarpMachine, AnAnswerDropsTheOldPathWhenItTakesEffect) {
    WarpMachine machine = branch_answered(Outcome::kContinue, true);
    expect(machine, BranchAnswered{20, Outcome::kContinue, true, kNever});
    EXPECT_TRUE(machine.may_fetch());
    EXPECT_FALSE(machine.reach(19));
    EXPECT_TRUE(machine.reach(20));
    EXPECT_FALSE(machine.reach(21)) << "once";
}

TEST(WarpMachine, AnAnswerInACycleMeansTheSameBeforeAndAfterItsStep) {
    for (const bool leaves : {false, true}) {
        WarpMachine before = branch_unanswered();
        before.branch_answered(20, Outcome::kContinue, leaves);
        EXPECT_FALSE(before.reach(19));
        EXPECT_TRUE(before.may_fetch());
        WarpMachine behind = branch_unanswered();
        EXPECT_FALSE(behind.reach(19));
        EXPECT_TRUE(behind.may_fetch());
        behind.branch_answered(20, Outcome::kContinue, leaves);
        expect(before, behind.state());
        EXPECT_EQ(before.reach(20), leaves);
        EXPECT_EQ(behind.reach(20), leaves);
        expect(before, behind.state());
    }
}

TEST(WarpMachine, BruMd_ExitOfTheLastThreadEndsInExiting) {
    WarpMachine machine = branch_answered(Outcome::kExited, true);
    EXPECT_TRUE(machine.reach(20));
    expect(machine, Exiting{});
    EXPECT_FALSE(machine.reach(1000));
    expect(machine, Exiting{});
}

// --- sleep -----------------------------------------------------------------------------------------------------------

TEST(WarpMachine, BruMd_ElectRule4_AWarpSleepsUntilItsWake) {
    WarpMachine machine = branch_answered(Outcome::kSleep);
    machine.reach(20);
    expect(machine, Sleeping{20});
    machine.reach(1000);
    expect(machine, Sleeping{20});
    machine.wake(1030);
    expect(machine, WakingUp{1030});
    expect_until(machine, 1030, WakingUp{1030}, Running{});
}

TEST(WarpMachine, ASleepDropsTheOldPathLikeAnyBranch) {
    EXPECT_TRUE(branch_answered(Outcome::kSleep, true).reach(20));
}

TEST(WarpMachine, AWakeCountsBeforeTheAnswerBeforeTheSleepIsSeenAndInIt) {
    for (const Cycle wake : {Cycle{12}, Cycle{20}, Cycle{21}, Cycle{30}}) {
        WarpMachine before_the_answer = branch_unanswered();
        before_the_answer.wake(wake);
        before_the_answer.branch_answered(20, Outcome::kSleep, false);
        WarpMachine before_the_sleep = branch_answered(Outcome::kSleep);
        before_the_sleep.wake(wake);
        expect(before_the_answer, before_the_sleep.state());
        expect(before_the_sleep, BranchAnswered{20, Outcome::kSleep, false, wake});
        WarpMachine in_the_sleep = sleeping();
        in_the_sleep.wake(wake);
        const Cycle up = std::max(wake, Cycle{20});
        expect(in_the_sleep, WakingUp{up});
        for (WarpMachine machine : {before_the_answer, before_the_sleep, in_the_sleep}) {
            if (up > 20) {
                machine.reach(up - 1);
                expect(machine, WakingUp{up});
            }
            machine.reach(up);
            expect(machine, Running{});
        }
    }
}

// --- barriers --------------------------------------------------------------------------------------------------------

TEST(WarpMachine, BcuMd_AnArrivalThatDoesNotBlockGoesOnWhenItsAnswerTakesEffect) {
    WarpMachine machine = arrival_unanswered();
    expect(machine, ArrivalUnanswered{});
    machine.reach(1000);
    expect(machine, ArrivalUnanswered{});
    machine = leaving_barrier();
    expect(machine, LeavingBarrier{20});
    expect_until(machine, 20, LeavingBarrier{20}, Running{});
}

TEST(WarpMachine, BcuMd_ABlockedWarpGoesOnAtItsWake) {
    WarpMachine machine = blocked();
    expect(machine, Blocked{20});
    EXPECT_TRUE(machine.is_blocked());
    machine.reach(1000);
    expect(machine, Blocked{20});
    machine.wake(1010);
    expect(machine, LeavingBarrier{1010});
    EXPECT_FALSE(machine.is_blocked());
    machine.reach(1010);
    expect(machine, Running{});
}

TEST(WarpMachine, AWakeBeforeTheAnswerOfTheBarrierCountsLikeOneAfterIt) {
    for (const Cycle wake : {Cycle{12}, Cycle{20}, Cycle{30}}) {
        WarpMachine before = arrival_unanswered();
        before.wake(wake);
        expect(before, ArrivalUnanswered{wake});
        before.arrival_answered(20, Outcome::kBlocked);
        WarpMachine behind = blocked();
        behind.wake(wake);
        expect(before, behind.state());
        expect(before, LeavingBarrier{std::max(wake, Cycle{20})});
    }
}

// --- fences ----------------------------------------------------------------------------------------------------------

TEST(WarpMachine, AFenceHoldsTheWarpForItsTime) {
    WarpMachine machine = fenced();
    expect(machine, Fenced{20});
    expect_until(machine, 20, Fenced{20}, Running{});
}

// --- events that a state does not list -------------------------------------------------------------------------------

TEST(WarpMachine, OnlyARunningWarpIssues) {
    for (const WarpMachine &state : every_state()) {
        if (state.is_running()) {
            continue;
        }
        WarpMachine machine = state;
        machine.branch_issued();
        machine.arrival_issued();
        machine.fence_issued(50);
        expect(machine, state.state());
    }
}

TEST(WarpMachine, AnswersChangeOnlyTheStatesThatWaitForThem) {
    for (const WarpMachine &state : every_state()) {
        WarpMachine machine = state;
        if (!std::holds_alternative<BranchUnanswered>(state.state())) {
            machine.branch_answered(50, Outcome::kSleep, true);
        }
        if (!std::holds_alternative<ArrivalUnanswered>(state.state())) {
            machine.arrival_answered(50, Outcome::kBlocked);
        }
        expect(machine, state.state());
    }
}

TEST(WarpMachine, AnUnexpectedWakeIsNotKept) {
    for (const WarpMachine &state :
         {WarpMachine(), not_started(), running(), leaving_barrier(), waking_up(), fenced(), exiting()}) {
        WarpMachine machine = state;
        machine.wake(50);
        expect(machine, state.state());
    }
}

TEST(WarpMachine, AWakeMeansNothingForAnAnswerThatDoesNotSleepOrBlock) {
    WarpMachine branch = branch_answered(Outcome::kContinue);
    branch.wake(12);
    branch.reach(20);
    expect(branch, Running{});
    WarpMachine arrival = arrival_unanswered();
    arrival.wake(30);
    arrival.arrival_answered(20, Outcome::kContinue);
    expect(arrival, LeavingBarrier{20});
}

// --- what a state means ----------------------------------------------------------------------------------------------

TEST(WarpMachine, EachStateIsChargedToItsStateAndReason) {
    const auto expect_charge = [](const WarpMachine &machine, WarpState state, StallReason reason, bool is_long) {
        const std::optional<Charge> charge = machine.charge();
        ASSERT_TRUE(charge) << "state number " << machine.state().index();
        EXPECT_EQ(charge->state, state) << "state number " << machine.state().index();
        EXPECT_EQ(charge->reason, reason) << "state number " << machine.state().index();
        EXPECT_EQ(charge->is_long, is_long) << "state number " << machine.state().index();
    };
    for (const WarpMachine &machine : {WarpMachine(), not_started(), running()}) {
        EXPECT_FALSE(machine.charge());
    }
    for (const WarpMachine &machine : {branch_unanswered(), branch_answered(Outcome::kSleep)}) {
        expect_charge(machine, WarpState::kBranch, StallReason::kBranchResolve, false);
    }
    for (const WarpMachine &machine : {arrival_unanswered(), blocked(), leaving_barrier()}) {
        expect_charge(machine, WarpState::kBarrier, StallReason::kBarrier, true);
    }
    for (const WarpMachine &machine : {sleeping(), waking_up()}) {
        expect_charge(machine, WarpState::kSleeping, StallReason::kSleeping, true);
    }
    expect_charge(fenced(), WarpState::kMemoryDrain, StallReason::kMembar, true);
    expect_charge(exiting(), WarpState::kMemoryDrain, StallReason::kDrain, false);
}

TEST(WarpMachine, SaysWhenTimeAloneChangesIt) {
    EXPECT_EQ(not_started().until(), 5U);
    EXPECT_EQ(branch_answered(Outcome::kSleep).until(), 20U);
    EXPECT_EQ(leaving_barrier().until(), 20U);
    EXPECT_EQ(waking_up().until(), 30U);
    EXPECT_EQ(fenced().until(), 20U);
    for (const WarpMachine &machine :
         {WarpMachine(), running(), branch_unanswered(), arrival_unanswered(), blocked(), sleeping(), exiting()}) {
        EXPECT_EQ(machine.until(), kNever) << "state number " << machine.state().index();
    }
}

TEST(WarpMachine, NothingIsFetchedBeforeTheStartOrAfterTheLastExit) {
    for (const WarpMachine &machine : {WarpMachine(), not_started(), exiting()}) {
        EXPECT_FALSE(machine.may_fetch()) << "state number " << machine.state().index();
    }
    for (const WarpMachine &machine :
         {running(), branch_unanswered(), branch_answered(Outcome::kExited, true), arrival_unanswered(), blocked(),
          leaving_barrier(), sleeping(), waking_up(), fenced()}) {
        EXPECT_TRUE(machine.may_fetch()) << "state number " << machine.state().index();
    }
}

TEST(WarpMachine, ASlotIsTakenFromTheStartToTheEnd) {
    for (const WarpMachine &machine : every_state()) {
        EXPECT_EQ(machine.is_resident(), !std::holds_alternative<Absent>(machine.state()));
        EXPECT_EQ(machine.is_exiting(), std::holds_alternative<Exiting>(machine.state()));
        EXPECT_EQ(machine.is_blocked(), std::holds_alternative<Blocked>(machine.state()));
    }
}

} // namespace
} // namespace smsim::ibuffer
