// Like random_lockstep_test.cpp, until the branch unit has answered a million times, and a tenth of that with channels
// held up.
#include "tb/cosim/random_lockstep.h"

namespace smsim::fuzz {
namespace {

TEST(RandomLockstepLong, HasNoDifferenceInAMillionAnswersOfTheBranchUnit) {
    const LockstepAnswers answers = expect_no_difference(1000, 10'500, {}, 2);
    EXPECT_GE(answers.bru, 1'000'000U);
    EXPECT_EQ(answers.apart, 0U);
}

TEST(RandomLockstepLong, HasNoDifferenceInAHundredThousandAnswersWithStalledChannels) {
    LockstepAnswers answers = expect_no_difference(20'000, 600, {"rtl.stall_percent=20", "rtl.stall_seed=1"}, 2);
    answers += expect_no_difference(21'000, 600, {"rtl.stall_percent=60", "rtl.stall_seed=2"}, 2);
    EXPECT_GE(answers.bru, 100'000U);
}

} // namespace
} // namespace smsim::fuzz
