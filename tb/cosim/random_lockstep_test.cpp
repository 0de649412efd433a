// Random programs on random designs with RTL in the place of four parts, in lockstep with the model, agree with the
// oracle.
#include "tb/cosim/random_lockstep.h"

namespace smsim::fuzz {
namespace {

TEST(RandomLockstep, HasNoDifferenceAndAgreesWithTheOracle) {
    const LockstepAnswers answers = expect_no_difference(1, 400, {});
    EXPECT_GT(answers.bru, 40'000U);
    EXPECT_EQ(answers.apart, 0U);
}

TEST(RandomLockstep, HasNoDifferenceWhereChannelsAreHeldUp) {
    LockstepAnswers answers = expect_no_difference(1001, 60, {"rtl.stall_percent=20", "rtl.stall_seed=3"});
    answers += expect_no_difference(1061, 40, {"rtl.stall_percent=60", "rtl.stall_seed=4"});
    EXPECT_GT(answers.apart, answers.bru / 10);
}

TEST(RandomLockstep, TheModelExecutesWhatABlockDoesNotClaim) {
    const LockstepAnswers answers = expect_no_difference(
        3001, 60, {"bru.rtl_operations=BRA,BRX,CALL,RET,EXIT,BMOV,BSSY,BSYNC,YIELD,BREAK,WARPSYNC,NANOSLEEP,RTT,TRAP"});
    EXPECT_GT(answers.bru, 3500U);
    EXPECT_EQ(answers.apart, 0U);
}

} // namespace
} // namespace smsim::fuzz
