// Regions under the token stack: what opens and leaves them, which threads continue, and what is an exception.
#include <gtest/gtest.h>

#include "tb/unit/bru/token_stack_support.h"

namespace smsim::bru::token_stack::test {
namespace {

constexpr auto kSync = TokenKind::kSync;
constexpr auto kDiv = TokenKind::kDiv;
constexpr auto kRet = TokenKind::kRet;
constexpr auto kBrk = TokenKind::kBrk;
constexpr auto kCont = TokenKind::kCont;

// --- SSY, PBK, PCNT

TEST(TokenRegion, SsyPbkAndPcntPushTheActiveThreads) {
    ControlState state = warp(0xff, 0x0f);
    open_region(state, kSync, 0x200, kProgramBytes, {});
    open_region(state, kBrk, 0x300, kProgramBytes, {});
    open_region(state, kCont, 0x400, kProgramBytes, {});
    EXPECT_EQ(state.stack,
              (std::vector{token(kSync, 0x0f, 0x200), token(kBrk, 0x0f, 0x300), token(kCont, 0x0f, 0x400)}));
    EXPECT_EQ(state.pc, 0x130U);
    EXPECT_EQ(state.active, mask(0x0f));
}

TEST(TokenRegion, ThatWouldEndOutsideTheProgramIsIllegalTarget) {
    for (const std::int64_t end : {std::int64_t{-0x10}, std::int64_t{kProgramBytes}, std::int64_t{0x204}}) {
        expect_violation(warp(0xff, 0x0c), Fault::kIllegalTarget, 2,
                         [&](ControlState &state) { return open_region(state, kSync, end, kProgramBytes, {}); });
    }
}

TEST(TokenRegion, BeyondTheDepthIsStackOverflowWhenNothingSpills) {
    const TokenStackConfig one{.depth = 1, .spill = false};
    const ControlState full = warp(0xff, 0x0c, {token(kSync, 0xff, 0x200)});
    expect_violation(full, Fault::kStackOverflow, 2,
                     [&](ControlState &state) { return open_region(state, kBrk, 0x300, kProgramBytes, one); });
    ControlState state = full;
    EXPECT_FALSE(open_region(state, kBrk, 0x300, kProgramBytes, {.depth = 1}).violation);
    EXPECT_EQ(state.stack.size(), 2U);
}

// --- leaving and resume

TEST(TokenLeaving, OfSomeLetsTheOthersGoOnAndPopsNothing) { // [E-7]
    const std::vector stack{token(kSync, 0x0f, 0x200)};
    ControlState state = warp(0x0f, 0x0f, stack);
    const Effect effect = sync(state, mask(0x03));
    EXPECT_FALSE(effect.resumed);
    EXPECT_EQ(state, (ControlState{0x110, mask(0x0c), mask(0x0f), false, stack}));
}

TEST(TokenLeaving, ByAllThreadsResumesTheFirstTokenWithValidThreadsOfAnyKind) {
    for (const TokenKind kind : {kSync, kDiv, kRet, kBrk, kCont}) {
        ControlState state = warp(0xf0, 0x80,
                                  {token(kSync, 0xf0, 0x200), token(kind, 0x30, 0x300), token(kBrk, 0, 0x400),
                                   token(kDiv, 0x0f, 0x500)}); // threads 0 to 3 have ended
        Effect effect;
        leave(state, mask(0x80), effect);
        EXPECT_EQ(effect.resumed, kind);
        EXPECT_EQ(effect.outcome, Outcome::kContinue);
        EXPECT_EQ(state, (ControlState{0x300, mask(0x30), mask(0xf0), false, {token(kSync, 0xf0, 0x200)}}));
    }
}

TEST(TokenLeaving, ByNoThreadsContinuesWithTheNextInstruction) {
    const ControlState before = warp(0x0f, 0x0f); // an empty stack is then no exception
    ControlState after = before;
    after.pc = 0x110;
    for (const TokenKind kind : {kBrk, kCont, kRet}) {
        ControlState state = before;
        EXPECT_FALSE(leave_region(state, kind, mask(0)).violation);
        EXPECT_EQ(state, after);
    }
    ControlState state = before;
    EXPECT_FALSE(sync(state, mask(0)).violation);
    EXPECT_EQ(state, after);
    state = before;
    EXPECT_FALSE(exit_threads(state, mask(0)).violation);
    EXPECT_EQ(state, after);
}

// --- SYNC

TEST(TokenSync, PassesDivTokensAndRunsTheTopmostOfThemFirst) {
    const std::vector rest{token(kSync, 0x0f, 0x200)};
    ControlState state = warp(0x0f, 0x03, {rest[0], token(kDiv, 0x0c, 0x300)});
    sync(state, mask(0x03));
    EXPECT_EQ(state, (ControlState{0x300, mask(0x0c), mask(0x0f), false, rest}));
    sync(state, mask(0x0c));
    EXPECT_EQ(state, (ControlState{0x200, mask(0x0f), mask(0x0f), false, {}}));
}

TEST(TokenSync, WithAnEmptyStackIsStackUnderflow) {
    expect_violation(warp(0x0f, 0x0c), Fault::kStackUnderflow, 2,
                     [](ControlState &state) { return sync(state, mask(0x0c)); });
}

TEST(TokenSync, ThatIsNotHeldByTheTopmostSyncIsTokenMismatch) { // [E-8]
    const auto leaves = [](ControlState &state) { return sync(state, mask(0x0c)); };
    for (const TokenKind kind : {kRet, kBrk, kCont}) {
        expect_violation(warp(0x0f, 0x0c, {token(kSync, 0x0f, 0x200), token(kind, 0x0f, 0x300)}), Fault::kTokenMismatch,
                         2, leaves);
    }
    expect_violation(warp(0x0f, 0x0c, {token(kDiv, 0x03, 0x200)}), Fault::kTokenMismatch, 2, leaves);
    expect_violation(warp(0x0f, 0x0c, {token(kSync, 0x0f, 0x200), token(kSync, 0x07, 0x300)}), Fault::kTokenMismatch, 3,
                     leaves);
}

// --- BRK, CONT, RET

TEST(TokenBrk, PassesSyncContAndDivTokensAndLeavesTheirMasks) {
    ControlState state = warp(
        0x0f, 0x03,
        {token(kBrk, 0x0f, 0x200), token(kCont, 0x0f, 0x300), token(kSync, 0x0f, 0x400), token(kDiv, 0x0c, 0x500)});
    leave_region(state, kBrk, mask(0x01));
    EXPECT_EQ(state, (ControlState{0x110,
                                   mask(0x02),
                                   mask(0x0f),
                                   false,
                                   {token(kBrk, 0x0f, 0x200), token(kCont, 0x0e, 0x300), token(kSync, 0x0e, 0x400),
                                    token(kDiv, 0x0c, 0x500)}}));
}

TEST(TokenBrk, OfTheLastInARoundLetsThoseGoOnThatContinued) {
    ControlState state =
        warp(0x0f, 0x02, {token(kBrk, 0x0f, 0x200), token(kCont, 0x0e, 0x300), token(kSync, 0x02, 0x400)});
    leave_region(state, kBrk, mask(0x02));
    EXPECT_EQ(state, (ControlState{0x300, mask(0x0c), mask(0x0f), false, {token(kBrk, 0x0f, 0x200)}}));
}

TEST(TokenCont, PassesTheBrkTokenOfAnInnerLoop) {
    ControlState state = warp(0x0f, 0x03, {token(kCont, 0x0f, 0x200), token(kBrk, 0x03, 0x300)});
    leave_region(state, kCont, mask(0x03));
    EXPECT_EQ(state, (ControlState{0x200, mask(0x0f), mask(0x0f), false, {}}));
}

TEST(TokenRet, PassesTokensOfEveryKind) {
    ControlState state = warp(0x0f, 0x03,
                              {token(kRet, 0x0f, 0x200), token(kBrk, 0x03, 0x300), token(kCont, 0x03, 0x400),
                               token(kSync, 0x03, 0x500), token(kDiv, 0x0c, 0x600)});
    leave_region(state, kRet, mask(0x03));
    EXPECT_EQ(state.pc, 0x600U);
    EXPECT_EQ(state.active, mask(0x0c));
    leave_region(state, kRet, mask(0x0c));
    EXPECT_EQ(state, (ControlState{0x200, mask(0x0f), mask(0x0f), false, {}}));
}

TEST(TokenRet, LeavesTheInnermostCall) {
    ControlState state = warp(0x0f, 0x0f, {token(kRet, 0x0f, 0x200), token(kRet, 0x0f, 0x300)});
    leave_region(state, kRet, mask(0x0f));
    EXPECT_EQ(state, (ControlState{0x300, mask(0x0f), mask(0x0f), false, {token(kRet, 0x0f, 0x200)}}));
}

TEST(TokenBrkContRet, WithoutATokenOfTheirKindAreStackUnderflow) {
    for (const TokenKind kind : {kBrk, kCont, kRet}) {
        const TokenKind other = kind == kBrk ? kCont : kBrk;
        expect_violation(warp(0x0f, 0x0c, {token(kSync, 0x0f, 0x200), token(other, 0x0f, 0x300)}),
                         Fault::kStackUnderflow, 2,
                         [&](ControlState &state) { return leave_region(state, kind, mask(0x0c)); });
    }
}

TEST(TokenBrkContRet, OfThreadsThatTheTokenDoesNotHoldAreTokenMismatch) {
    for (const TokenKind kind : {kBrk, kCont, kRet}) {
        expect_violation(warp(0x0f, 0x0c, {token(kind, 0x0f, 0x200), token(kind, 0x07, 0x300)}), Fault::kTokenMismatch,
                         3, [&](ControlState &state) { return leave_region(state, kind, mask(0x0c)); });
    }
}

TEST(TokenBrkCont, OutOfAFunctionAreTokenMismatch) {
    for (const TokenKind kind : {kBrk, kCont}) {
        expect_violation(warp(0x0f, 0x0c, {token(kind, 0x0f, 0x200), token(kRet, 0x0f, 0x300)}), Fault::kTokenMismatch,
                         2, [&](ControlState &state) { return leave_region(state, kind, mask(0x0c)); });
    }
}

// --- EXIT

TEST(TokenExit, TakesThreadsOutOfEveryToken) {
    ControlState state = warp(0x0f, 0x07, {token(kSync, 0x0f, 0x200), token(kBrk, 0x06, 0x300)});
    const Effect effect = exit_threads(state, mask(0x03));
    EXPECT_EQ(effect.outcome, Outcome::kContinue);
    EXPECT_EQ(state, (ControlState{
                         0x110, mask(0x04), mask(0x0c), false, {token(kSync, 0x0c, 0x200), token(kBrk, 0x04, 0x300)}}));
}

TEST(TokenExit, OfAllActiveThreadsResumes) {
    ControlState state = warp(0x0f, 0x06, {token(kSync, 0x0f, 0x200), token(kBrk, 0x06, 0x300)});
    EXPECT_EQ(exit_threads(state, mask(0x06)).resumed, kSync);
    EXPECT_EQ(state, (ControlState{0x200, mask(0x09), mask(0x09), false, {}}));
}

TEST(TokenExit, OfTheLastThreadEndsTheWarp) {
    ControlState state = warp(0x06, 0x06, {token(kSync, 0x06, 0x200)});
    EXPECT_EQ(exit_threads(state, mask(0x06)).outcome, Outcome::kExited);
    EXPECT_TRUE(state.valid.none());
    EXPECT_TRUE(state.stack.empty());
}

TEST(TokenExit, ThatLeavesThreadsWhichNoTokenHoldsIsStackUnderflow) {
    expect_violation(warp(0x0f, 0x03, {token(kSync, 0x03, 0x200)}), Fault::kStackUnderflow, 2,
                     [](ControlState &state) { return exit_threads(state, mask(0x03)); });
}

} // namespace
} // namespace smsim::bru::token_stack::test
