// Passes of a banked access.
#include <gtest/gtest.h>

#include "memory/bank_conflicts.h"
#include "model/error.h"

namespace smsim::memory {
namespace {

TEST(BankConflicts, ARowTakesOnePassAndFurtherRowsOneEach) {
    BankConflicts banks(32, 4);
    EXPECT_EQ(banks.add(0, 128), 1U);
    banks.begin();
    EXPECT_EQ(banks.add(4, 128), 1U) << "a row shifted by one word still hits 32 different banks";
    banks.begin();
    EXPECT_EQ(banks.add(2, 128), 2U) << "an unaligned row touches 33 words";
    banks.begin();
    EXPECT_EQ(banks.add(0, 512), 4U);
}

TEST(BankConflicts, TheSameWordIsBroadcast) {
    BankConflicts banks(32, 4);
    EXPECT_EQ(banks.add(64, 4), 1U);
    EXPECT_EQ(banks.add(64, 4), 1U);
    EXPECT_EQ(banks.add(65, 1), 1U) << "another byte of the same word";
    EXPECT_EQ(banks.passes(), 1U);
}

TEST(BankConflicts, DistinctWordsOfABankQueueAndOtherBanksShareThePass) {
    BankConflicts banks(32, 4);
    EXPECT_EQ(banks.add(0, 4), 1U);
    EXPECT_EQ(banks.add(128, 4), 2U);
    EXPECT_EQ(banks.add(4, 4), 1U);
    EXPECT_EQ(banks.add(256, 4), 3U);
    EXPECT_EQ(banks.add(128, 4), 2U) << "a word keeps its pass";
    EXPECT_EQ(banks.passes(), 3U);
    banks.begin();
    EXPECT_EQ(banks.add(128, 4), 1U);
}

TEST(BankConflicts, AStrideOfTwoWordsIsTwoWay) {
    BankConflicts banks(32, 4);
    for (unsigned lane = 0; lane < 32; ++lane) {
        banks.add(lane * 8, 4);
    }
    EXPECT_EQ(banks.passes(), 2U);
}

TEST(BankConflicts, AtomicsOnOneWordTakeAPassEach) {
    BankConflicts banks(32, 4);
    EXPECT_EQ(banks.add_exclusive(0, 4), 1U);
    EXPECT_EQ(banks.add_exclusive(0, 4), 2U);
    EXPECT_EQ(banks.add_exclusive(4, 4), 1U);
    EXPECT_EQ(banks.add_exclusive(0, 8), 3U) << "both words in one pass";
    EXPECT_EQ(banks.add_exclusive(4, 4), 4U);
}

TEST(BankConflicts, OddShapesOfBanks) {
    BankConflicts banks(3, 6);
    EXPECT_EQ(banks.add(0, 6), 1U);
    EXPECT_EQ(banks.add(18, 6), 2U) << "word 3 is in bank 0";
    EXPECT_EQ(banks.add(6, 6), 1U);
    EXPECT_THROW(BankConflicts(0, 4), InputError);
    EXPECT_THROW(BankConflicts(4, 0), InputError);
}

} // namespace
} // namespace smsim::memory
