// The same with a million transactions for each part.
#include <gtest/gtest.h>

#include "tb/cosim/lockstep_campaign.h"
#include "tb/support/sanitized.h"

namespace smsim::cosim {
namespace {

constexpr std::uint64_t kTransactions = kSanitized ? 100'000 : 1'000'000;

void expect_no_difference(CampaignPart part) {
    CampaignOptions options;
    options.first = 1000;
    options.transactions = kTransactions;
    const LockstepCampaign done = run_lockstep_campaign(part, options);
    ASSERT_EQ(done.failure, "");
    EXPECT_GE(done.transactions, kTransactions);
    EXPECT_GE(done.same_cycles, kTransactions / 100'000);
    testing::Test::RecordProperty("programs", static_cast<int>(done.programs));
    testing::Test::RecordProperty("transactions", static_cast<int>(done.transactions));
    testing::Test::RecordProperty("same_cycles", static_cast<int>(done.same_cycles));
}

TEST(LongLockstepCampaign, OfTheBranchUnitHasNoDifference) {
    expect_no_difference(CampaignPart::kBranchUnit);
}

TEST(LongLockstepCampaign, OfTheSimtStackHasNoDifference) {
    expect_no_difference(CampaignPart::kSimtStack);
}

TEST(LongLockstepCampaign, OfTheTokenStackHasNoDifference) {
    expect_no_difference(CampaignPart::kTokenStack);
}

TEST(LongLockstepCampaign, OfTheBarrierUnitHasNoDifference) {
    expect_no_difference(CampaignPart::kBarrierUnit);
}

TEST(LongLockstepCampaign, OfSharedMemoryHasNoDifference) {
    expect_no_difference(CampaignPart::kSharedMemory);
}

} // namespace
} // namespace smsim::cosim
