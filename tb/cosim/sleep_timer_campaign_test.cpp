// The sleep timer of RTL at the limits of its range, compared with the calendar of the model.
#include <gtest/gtest.h>

#include "tb/cosim/sleep_timer_campaign.h"

namespace smsim::cosim {
namespace {

TEST(SleepTimerCampaign, MatchesTheExpiriesOfTheCalendarInEveryCycle) {
    const TimerCampaign done = run_timer_campaign(1, 2'000'000);
    ASSERT_EQ(done.difference, "");
    EXPECT_GE(done.requests, 2'000'000U);
    // Excludes an easy pass: requests that never expire, or none at the end of the range.
    EXPECT_GT(done.expiries, 100'000U);
    EXPECT_GT(done.earlier, 10'000U);
    EXPECT_GT(done.stops, 10'000U);
    EXPECT_GT(done.last, 10'000U);
    EXPECT_GT(done.idle, 5'000U);
    EXPECT_GT(done.states, 100'000U);
}

} // namespace
} // namespace smsim::cosim
