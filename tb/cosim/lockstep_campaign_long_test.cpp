// The same with a million transactions of each part.
#include <gtest/gtest.h>

#include "tb/cosim/lockstep_campaign.h"
#include "tb/support/sanitized.h"

namespace smsim::cosim {
namespace {

constexpr std::uint64_t kTransactions = kSanitized ? 100'000 : 1'000'000;

TEST(LongLockstepCampaign, OfTheBarrierUnitHasNoDifference) {
    const LockstepCampaign done = run_lockstep_campaign(CampaignPart::kBarrierUnit, 1000, kTransactions);
    ASSERT_EQ(done.failure, "");
    EXPECT_GE(done.transactions, kTransactions);
    EXPECT_GE(done.same_cycles, kTransactions / 100'000);
    RecordProperty("programs", static_cast<int>(done.programs));
    RecordProperty("transactions", static_cast<int>(done.transactions));
    RecordProperty("same_cycles", static_cast<int>(done.same_cycles));
}

TEST(LongLockstepCampaign, OfSharedMemoryHasNoDifference) {
    const LockstepCampaign done = run_lockstep_campaign(CampaignPart::kSharedMemory, 1000, kTransactions);
    ASSERT_EQ(done.failure, "");
    EXPECT_GE(done.transactions, kTransactions);
    EXPECT_GE(done.same_cycles, kTransactions / 100'000);
    RecordProperty("programs", static_cast<int>(done.programs));
    RecordProperty("transactions", static_cast<int>(done.transactions));
    RecordProperty("same_cycles", static_cast<int>(done.same_cycles));
}

} // namespace
} // namespace smsim::cosim
