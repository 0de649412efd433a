// Random programs on random designs, with RTL in place of four parts in lockstep with the model, agree with the
// oracle.
#include "tb/cosim/random_lockstep.h"

namespace smsim::fuzz {
namespace {

TEST(RandomLockstep, HasNoDifferenceAndAgreesWithTheOracle) {
    const LockstepAnswers answers = expect_no_difference(1, 400, {});
    EXPECT_GT(answers.bru, 40'000U);
    EXPECT_EQ(answers.apart, 0U);
}

TEST(RandomLockstep, HasNoDifferenceWithStalledChannels) {
    LockstepAnswers answers = expect_no_difference(1001, 60, {"rtl.stall_percent=20", "rtl.stall_seed=3"});
    answers += expect_no_difference(1061, 40, {"rtl.stall_percent=60", "rtl.stall_seed=4"});
    EXPECT_GT(answers.apart, answers.bru / 10);
}

/// Programs for an engine with a stack that needs no more entries than its block holds.
class RandomStackLockstep : public testing::TestWithParam<const char *> {
  protected:
    static LockstepAnswers run(std::uint64_t first_seed, std::uint64_t programs, std::vector<std::string> settings) {
        settings.emplace_back("bru.simt_stack.depth=64");
        return expect_no_difference(first_seed, programs, settings, 1, GetParam());
    }
};

TEST_P(RandomStackLockstep, HasNoDifferenceAndAgreesWithTheOracle) {
    const LockstepAnswers answers = run(1, 120, {});
    EXPECT_GT(answers.bru, 4'000U);
    EXPECT_EQ(answers.apart, 0U);
}

TEST_P(RandomStackLockstep, HasNoDifferenceWithStalledChannels) {
    const LockstepAnswers answers = run(5001, 40, {"rtl.stall_percent=30", "rtl.stall_seed=5"});
    EXPECT_GT(answers.apart, answers.bru / 10);
}

INSTANTIATE_TEST_SUITE_P(Engines, RandomStackLockstep, testing::Values("simt_stack", "token_stack"),
                         [](const auto &one) { return std::string(one.param); });

TEST(RandomLockstep, TheModelExecutesWhatABlockDoesNotClaim) {
    const LockstepAnswers answers = expect_no_difference(
        3001, 60, {"bru.rtl_operations=BRA,BRX,CALL,RET,EXIT,BMOV,BSSY,BSYNC,YIELD,BREAK,WARPSYNC,NANOSLEEP,RTT,TRAP"});
    EXPECT_GT(answers.bru, 3500U);
    EXPECT_EQ(answers.apart, 0U);
}

} // namespace
} // namespace smsim::fuzz
