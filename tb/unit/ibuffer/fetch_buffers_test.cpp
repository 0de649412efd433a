// What of fetched instructions is counted as discarded, and when a late answer counts.
#include <gtest/gtest.h>

#include "ibuffer/fetch_buffers.h"
#include "tb/unit/ibuffer/instructions.h"

namespace smsim::ibuffer::test {
namespace {

constexpr Cycle kDrop = 9;

/// Buffers of one warp that has asked for one instruction in cycle 1.
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

TEST(FetchBuffers, WhatWasAnsweredOnTheCallIsDiscardedBeforeItIsInTheBufferToo) {
    Fetching fetch({&kMov, kDrop + 5, 7});
    fetch.buffers.drop(0, 0x100, kDrop);
    EXPECT_EQ(fetch.buffers.discarded(), 1U);
}

TEST(FetchBuffers, AnInstructionOfALateAnswerIsDiscardedWhenItIsInTheBuffer) {
    Fetching fetch(kLater);
    EXPECT_TRUE(fetch.buffers.answered(0, 7, &kMov, kDrop));
    fetch.buffers.drop(0, 0x100, kDrop);
    EXPECT_EQ(fetch.buffers.discarded(), 1U);
}

TEST(FetchBuffers, ALateAnswerInTheCycleOfTheDropCountsTheSameBeforeAndAfterIt) {
    Fetching before(kLater);
    EXPECT_TRUE(before.buffers.answered(0, 7, &kMov, kDrop + 1));
    before.buffers.drop(0, 0x100, kDrop);
    Fetching after(kLater);
    after.buffers.drop(0, 0x100, kDrop);
    EXPECT_FALSE(after.buffers.answered(0, 7, &kMov, kDrop + 1));
    EXPECT_EQ(before.buffers.discarded(), after.buffers.discarded());
    EXPECT_EQ(after.buffers.discarded(), 0U);
}

TEST(FetchBuffers, TheEndOfTheProgramIsNoInstructionToDiscard) {
    Fetching fetch(kLater);
    EXPECT_TRUE(fetch.buffers.answered(0, 7, nullptr, kDrop));
    fetch.buffers.drop(0, 0x100, kDrop);
    EXPECT_EQ(fetch.buffers.discarded(), 0U);
}

} // namespace
} // namespace smsim::ibuffer::test
