// Which fetched instructions count as discarded, when a late answer counts, and which warp is fetched for.
#include <gtest/gtest.h>

#include "ibuffer/fetch_buffers.h"
#include "ibuffer/redirect.h"
#include "model/config/config.h"
#include "tb/unit/ibuffer/instructions.h"

namespace smsim::ibuffer::test {
namespace {

constexpr Cycle kDrop = 9;

/// Buffers of one warp that has requested one instruction in cycle 1.
struct Fetching {
    explicit Fetching(const IssuePorts::Fetched &fetched) {
        buffers.start(0, WarpSlot(0), 0);
        buffers.allow(0, true);
        buffers.push(0, fetched, 1);
    }
    FetchBuffers buffers{1, 3};
};

const isa::Instruction kMov = make(isa::Op::kMov);
const IssuePorts::Fetched kLater{nullptr, kNever, 7};

TEST(FetchBuffers, InstructionsAnsweredOnTheCallAreDiscardedBeforeTheyAreInTheBuffer) {
    Fetching fetch({&kMov, kDrop + 5, 7});
    fetch.buffers.drop(0, 0x100, kDrop);
    EXPECT_EQ(fetch.buffers.discarded(), 1U);
}

TEST(FetchBuffers, AnInstructionOfALateAnswerIsDiscardedWhenItIsInTheBuffer) {
    Fetching fetch(kLater);
    EXPECT_TRUE(fetch.buffers.answered(0, 7, &kMov, kDrop, FetchCause::kL1));
    fetch.buffers.drop(0, 0x100, kDrop);
    EXPECT_EQ(fetch.buffers.discarded(), 1U);
}

TEST(FetchBuffers, ALateAnswerInTheCycleOfTheDropCountsTheSameBeforeAndAfterIt) {
    Fetching before(kLater);
    EXPECT_TRUE(before.buffers.answered(0, 7, &kMov, kDrop + 1, FetchCause::kL1));
    before.buffers.drop(0, 0x100, kDrop);
    Fetching after(kLater);
    after.buffers.drop(0, 0x100, kDrop);
    EXPECT_FALSE(after.buffers.answered(0, 7, &kMov, kDrop + 1, FetchCause::kL1));
    EXPECT_EQ(before.buffers.discarded(), after.buffers.discarded());
    EXPECT_EQ(after.buffers.discarded(), 0U);
}

TEST(FetchBuffers, TheEndOfTheProgramIsNoInstructionToDiscard) {
    Fetching fetch(kLater);
    EXPECT_TRUE(fetch.buffers.answered(0, 7, nullptr, kDrop, FetchCause::kL1));
    fetch.buffers.drop(0, 0x100, kDrop);
    EXPECT_EQ(fetch.buffers.discarded(), 0U);
}

/// Three warps with room, of ages 5, 9 and 7, after fetches for warps 2, 0, 1 and 2.
FetchBuffers three_warps(FetchPolicyKind policy) {
    FetchBuffers buffers(3, 4, policy);
    const std::uint64_t ages[] = {5, 9, 7};
    for (unsigned warp = 0; warp < 3; ++warp) {
        buffers.start(warp, WarpSlot(warp), 0, ages[warp]);
        buffers.allow(warp, true);
    }
    Cycle now = 1;
    for (const unsigned warp : {2U, 0U, 1U, 2U}) {
        buffers.push(warp, {&kMov, now + 1, now}, now);
        ++now;
    }
    return buffers;
}

TEST(FetchBuffers, TheWarpThatIssuedLastFetchesFirstUnderEveryPolicy) {
    for (const FetchPolicyKind policy :
         {FetchPolicyKind::kEmptyFirst, FetchPolicyKind::kYoungest, FetchPolicyKind::kLeastRecent}) {
        EXPECT_EQ(three_warps(policy).choose(2), 2U);
    }
}

TEST(FetchBuffers, OtherwiseThePolicyChoosesTheWarp) {
    EXPECT_EQ(three_warps(FetchPolicyKind::kYoungest).choose(kNoWarp), 1U);
    EXPECT_EQ(three_warps(FetchPolicyKind::kLeastRecent).choose(kNoWarp), 0U);
    FetchBuffers cyclic = three_warps(FetchPolicyKind::kEmptyFirst);
    EXPECT_EQ(cyclic.choose(0), 0U);
    cyclic.pop(1);
    EXPECT_EQ(cyclic.choose(kNoWarp), 1U) << "its buffer is empty";
}

TEST(Redirect, CostsThePenaltyBeyondTheLinesFetchedLast) {
    Config config;
    config.ibuffer.redirect_latency = 3;
    config.ibuffer.redirect_penalty = 5;
    config.ibuffer.line_buffer = 2;
    Redirect redirect(config.ibuffer, config.icache, 1);
    redirect.start(0);
    EXPECT_EQ(redirect.jumps(0, 0), 8U) << "nothing has been fetched";
    for (const Pc pc : {0x000U, 0x010U, 0x080U, 0x000U, 0x100U}) {
        redirect.fetched(0, pc);
    }
    EXPECT_EQ(redirect.jumps(0, 0x070), 3U);
    EXPECT_EQ(redirect.jumps(0, 0x110), 3U);
    EXPECT_EQ(redirect.jumps(0, 0x080), 8U) << "two other lines have been fetched since";
    redirect.start(0);
    EXPECT_EQ(redirect.jumps(0, 0x100), 8U);
}

} // namespace
} // namespace smsim::ibuffer::test
