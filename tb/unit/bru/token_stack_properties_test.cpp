// Properties of the token stack for any program, legal or not: random instructions on random threads.
#include <random>

#include <gtest/gtest.h>

#include "tb/unit/bru/token_stack_support.h"

namespace smsim::bru::token_stack::test {
namespace {

using Random = std::mt19937;

std::uint32_t below(Random &random, std::uint32_t limit) {
    return static_cast<std::uint32_t>(random() % limit);
}

Targets random_targets(Random &random) {
    Targets targets;
    for (std::int64_t &target : targets) {
        target = 0x100 + 0x10 * below(random, 4);
    }
    return targets;
}

Effect random_step(Random &random, ControlState &state, const TokenStackConfig &config) {
    const LaneMask some = state.active & LaneMask(below(random, 3) == 0 ? ~0U : random());
    const std::int64_t end = 0x10 * below(random, 0x100);
    const TokenKind kinds[] = {TokenKind::kSync, TokenKind::kBrk, TokenKind::kCont, TokenKind::kRet};
    const TokenKind kind = kinds[below(random, 4)];
    switch (below(random, 8)) {
    case 0:
    case 1:
        return kind == TokenKind::kRet ? prepare_return(state, end, kProgramBytes, config)
                                       : open_region(state, kind, end, kProgramBytes, config);
    case 2:
        return branch(state, some, random_targets(random), kProgramBytes, config);
    case 3:
        return call(state, some, random_targets(random), kProgramBytes, config);
    case 4:
        return sync(state, some);
    case 5:
    case 6:
        return kind == TokenKind::kSync ? sync(state, some) : leave_region(state, kind, some);
    default:
        return exit_threads(state, below(random, 4) == 0 ? some : some & LaneMask(1U << below(random, 32)));
    }
}

struct Outcomes {
    unsigned ended = 0;
    unsigned mismatches = 0;
    unsigned resumed = 0;
    unsigned overflows = 0;
};

// No thread is lost: each living thread is active or waits in a token. An exception changes nothing.
void run_one(Random &random, const TokenStackConfig &config, Outcomes &seen) {
    ControlState state = started(0, LaneMask(random() | 1U));
    for (unsigned step = 0; step < 300; ++step) {
        const ControlState before = state;
        const Effect effect = random_step(random, state, config);
        if (effect.violation) {
            ASSERT_EQ(state, before);
            seen.mismatches += effect.violation->fault == Fault::kTokenMismatch ? 1 : 0;
            seen.overflows += effect.violation->fault == Fault::kStackOverflow ? 1 : 0;
            continue;
        }
        LaneMask somewhere = state.active;
        for (const Token &token : state.stack) {
            ASSERT_TRUE(state.valid.contains(token.mask));
            somewhere |= token.mask;
        }
        ASSERT_EQ(somewhere, state.valid);
        seen.resumed += effect.resumed ? 1 : 0;
        if (effect.outcome == Outcome::kExited) {
            ASSERT_TRUE(state.valid.none());
            ++seen.ended;
            return;
        }
        ASSERT_TRUE(state.active.any());
    }
}

TEST(TokenProperties, NoThreadIsLostAndExceptionsChangeNothing) {
    Random random(1);
    Outcomes seen;
    for (unsigned run = 0; run < 3000; ++run) {
        const TokenStackConfig config{.order = run % 2 == 0 ? TokenStackOrder::kTakenFirst
                                                            : TokenStackOrder::kFallthroughFirst,
                                      .depth = 1 + below(random, 40),
                                      .spill = run % 3 != 0,
                                      .call_limit = below(random, 4)};
        run_one(random, config, seen);
        ASSERT_FALSE(HasFatalFailure()) << "run " << run;
    }
    EXPECT_GT(seen.ended, 300U);
    EXPECT_GT(seen.resumed, 3000U);
    EXPECT_GT(seen.mismatches, 3000U);
    EXPECT_GT(seen.overflows, 300U);
}

} // namespace
} // namespace smsim::bru::token_stack::test
