// The latches of a sub-partition and the groups of warps that compete for them.
#include <gtest/gtest.h>

#include "ibuffer/issue_latches.h"
#include "model/config/config.h"

namespace smsim::ibuffer {
namespace {

using isa::Unit;
using timing::kSecondFp32Latch;

constexpr IssueLatches::Group kAlu = static_cast<IssueLatches::Group>(Unit::kAlu);
constexpr IssueLatches::Group kFma = static_cast<IssueLatches::Group>(Unit::kFma);
constexpr IssueLatches::Group kLoadStore = static_cast<IssueLatches::Group>(Unit::kLoadStore);

timing::Pipes pipes_with(SecondFp32 second) {
    Config config;
    config.pipes.second_fp32 = second;
    return timing::Pipes(config);
}

TEST(IssueLatches, AnApplicantCanBeSelectedWhileItsWayIsFree) {
    const timing::Pipes pipes;
    IssueLatches latches(pipes, 4);
    latches.join(1, kAlu);
    latches.join(3, kFma);
    EXPECT_EQ(latches.selectable(), only(1) | only(3));
    EXPECT_EQ(latches.leave(1), kAlu);
    EXPECT_EQ(latches.leave(1), IssueLatches::kNoGroup);
    EXPECT_EQ(latches.selectable(), only(3));
}

TEST(IssueLatches, ALatchThatIsTakenChangesItsWholeGroup) {
    const timing::Pipes pipes;
    IssueLatches latches(pipes, 4);
    for (const unsigned warp : {0U, 2U}) {
        latches.join(warp, kAlu);
    }
    latches.join(1, kFma);
    latches.take(kAlu, 14, 10);
    EXPECT_EQ(latches.selectable(), only(1));
    EXPECT_FALSE(latches.is_taken(kAlu, 10)) << "it was free in the cycle of the issue";
    EXPECT_TRUE(latches.is_taken(kAlu, 11));
    EXPECT_EQ(latches.next_selectable(), 14U);
    latches.join(3, kAlu);
    latches.reach(13);
    EXPECT_EQ(latches.selectable(), only(1));
    latches.reach(14);
    EXPECT_EQ(latches.selectable(), only(0) | only(1) | only(2) | only(3));
    EXPECT_EQ(latches.next_selectable(), kNever);
}

TEST(IssueLatches, OnlyLatchesWithApplicantsAreWaitedFor) {
    const timing::Pipes pipes;
    IssueLatches latches(pipes, 4);
    latches.take(kAlu, 14, 10);
    EXPECT_EQ(latches.next_selectable(), kNever);
    latches.join(0, kAlu);
    EXPECT_EQ(latches.next_selectable(), 14U);
}

TEST(IssueLatches, TheClockOfAGroupCountsTheCyclesInWhichItsWayIsTaken) {
    const timing::Pipes pipes;
    IssueLatches latches(pipes, 4);
    EXPECT_EQ(latches.taken_cycles(kAlu, 10), 0U);
    latches.take(kAlu, 14, 10);
    EXPECT_EQ(latches.taken_cycles(kAlu, 11), 0U) << "cycle 10 is the issue's own";
    EXPECT_EQ(latches.taken_cycles(kAlu, 13), 2U);
    EXPECT_EQ(latches.taken_cycles(kAlu, 17), 3U) << "it was not checked since it became free";
    latches.reach(20);
    EXPECT_EQ(latches.taken_cycles(kAlu, 20), 3U) << "11, 12 and 13, however late that is seen";
    latches.take(kAlu, 23, 20);
    latches.reach(23);
    EXPECT_EQ(latches.taken_cycles(kAlu, 30), 3U + 2);
    EXPECT_EQ(latches.taken_cycles(kFma, 30), 0U);
}

TEST(IssueLatches, AFullQueueIsTakenUntilItsUnitAccepts) {
    const timing::Pipes pipes;
    IssueLatches latches(pipes, 4);
    latches.join(0, kLoadStore);
    latches.take(kLoadStore, kNever, 10);
    EXPECT_EQ(latches.selectable(), 0U);
    EXPECT_EQ(latches.next_selectable(), kNever);
    latches.release(Unit::kLoadStore, 17);
    EXPECT_EQ(latches.next_selectable(), 17U);
    latches.reach(17);
    EXPECT_EQ(latches.selectable(), only(0));
    EXPECT_EQ(latches.taken_cycles(kLoadStore, 17), 6U);
}

TEST(IssueLatches, Fp32WaitsWhenBothOfItsLatchesAreTaken) {
    for (const auto &[second, other] :
         {std::pair(SecondFp32::kOwn, kSecondFp32Latch), std::pair(SecondFp32::kAlu, kAlu)}) {
        const timing::Pipes pipes = pipes_with(second);
        IssueLatches latches(pipes, 4);
        latches.join(0, kSecondFp32Latch);
        latches.join(1, kFma);
        latches.take(latches.latch_of(kSecondFp32Latch, 10), 13, 10); // takes the second pipe
        EXPECT_EQ(latches.selectable(), only(0) | only(1)) << other;
        EXPECT_EQ(latches.is_free(other), other == kSecondFp32Latch) << "whose group has the way over the first one";
        latches.take(latches.latch_of(kSecondFp32Latch, 11), 14, 11); // the first one
        EXPECT_EQ(latches.selectable(), 0U);
        EXPECT_EQ(latches.next_selectable(), 13U);
        latches.reach(13);
        EXPECT_EQ(latches.selectable(), only(0)) << "over the second";
        latches.reach(14);
        EXPECT_EQ(latches.selectable(), only(0) | only(1));
    }
}

TEST(IssueGate, WhileShutNoWarpIssuesAndCyclesAreCountedForFreeLatches) {
    const timing::Pipes pipes;
    IssueLatches latches(pipes, 4);
    latches.take(kAlu, 14, 10); // taken in 11 to 13
    latches.shut(11, 16);
    EXPECT_EQ(latches.open_at(), 16U);
    EXPECT_FALSE(latches.is_shut(10));
    EXPECT_TRUE(latches.is_shut(11));
    EXPECT_FALSE(latches.is_shut(16));
    EXPECT_EQ(latches.shut_cycles(kFma, 13), 2U);
    EXPECT_EQ(latches.shut_cycles(kAlu, 13), 0U) << "its latch is taken";
    latches.reach(14);
    EXPECT_EQ(latches.shut_cycles(kAlu, 15), 1U);
    latches.reach(16);
    EXPECT_EQ(latches.shut_cycles(kAlu, 20), 2U);
    EXPECT_EQ(latches.shut_cycles(kFma, 20), 5U);
}

TEST(IssueGate, CountsAreKeptWhenALatchIsTakenOrTheGateIsShutAgain) {
    const timing::Pipes pipes;
    IssueLatches latches(pipes, 4);
    latches.shut(11, 13);
    latches.reach(13);
    latches.take(kAlu, 20, 13);
    latches.shut(14, 16);
    EXPECT_EQ(latches.shut_cycles(kAlu, 16), 2U);
    EXPECT_EQ(latches.shut_cycles(kFma, 16), 4U);
}

} // namespace
} // namespace smsim::ibuffer
