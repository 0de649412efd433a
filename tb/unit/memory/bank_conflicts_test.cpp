// Passes of a banked access.
#include <algorithm>
#include <map>
#include <random>
#include <set>

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
        banks.add(std::uint64_t{lane} * 8, 4);
    }
    EXPECT_EQ(banks.passes(), 2U);
}

TEST(BankConflicts, WordsThatLieEvenlyInTheBanksAreNoConflict) {
    BankConflicts banks(32, 4);
    const auto least = [&banks](std::uint64_t bytes, std::uint64_t stride) {
        banks.begin();
        for (unsigned lane = 0; lane < 32; ++lane) {
            banks.add(lane * stride, bytes);
        }
        return std::pair(banks.passes(), banks.least_passes());
    };
    EXPECT_EQ(least(4, 4), std::pair(1U, 1U));
    EXPECT_EQ(least(4, 128), std::pair(32U, 1U));
    EXPECT_EQ(least(8, 8), std::pair(2U, 2U));
    EXPECT_EQ(least(16, 16), std::pair(4U, 4U));
    EXPECT_EQ(least(16, 128), std::pair(32U, 4U)) << "28 conflicts";
    EXPECT_EQ(least(16, 0), std::pair(1U, 1U));
    banks.begin();
    banks.add(0, 512);
    EXPECT_EQ(banks.least_passes(), 4U) << "one row";
    banks.begin();
    banks.add_exclusive(0, 4);
    banks.add_exclusive(0, 4);
    EXPECT_EQ(banks.least_passes(), 1U) << "the second one waits for the first";
}

TEST(BankConflicts, WithoutConflictsAnAccessTakesThePassesThatItsWordsNeed) {
    BankConflicts banks(32, 4, true);
    for (unsigned lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(banks.add(lane * std::uint64_t{128}, 4), 1U);
    }
    EXPECT_EQ(banks.passes(), 1U);
    banks.begin();
    for (unsigned lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(banks.add(lane * std::uint64_t{128}, 16), lane / 8 + 1) << lane;
    }
    EXPECT_EQ(banks.passes(), 4U);
    banks.begin();
    EXPECT_EQ(banks.add(0, 512), 4U);
    banks.begin();
    EXPECT_EQ(banks.add_exclusive(0, 4), 1U);
    EXPECT_EQ(banks.add_exclusive(0, 4), 1U);
}

TEST(BankConflicts, AtomicsOnOneWordTakeAPassEach) {
    BankConflicts banks(32, 4);
    EXPECT_EQ(banks.add_exclusive(0, 4), 1U);
    EXPECT_EQ(banks.add_exclusive(0, 4), 2U);
    EXPECT_EQ(banks.add_exclusive(4, 4), 1U);
    EXPECT_EQ(banks.add_exclusive(0, 8), 3U) << "both words in one pass";
    EXPECT_EQ(banks.add_exclusive(4, 4), 4U);
}

TEST(BankConflicts, AWordOfAWideBankServesAllLanesThatWantAPartOfIt) {
    BankConflicts banks(32, 8);
    EXPECT_EQ(banks.add(0, 4), 1U);
    EXPECT_EQ(banks.add(4, 4), 1U) << "the other half of the word";
    EXPECT_EQ(banks.add(256, 4), 2U);
    EXPECT_EQ(banks.add(260, 4), 2U);
    EXPECT_EQ(banks.passes(), 2U);
}

TEST(BankConflicts, ARowIsAsLongAsAllBanksAreWide) {
    for (const std::uint32_t count : {8U, 16U, 32U, 64U}) {
        for (const std::uint32_t bytes : {4U, 8U, 16U}) {
            BankConflicts banks(count, bytes);
            const std::uint32_t row = count * bytes;
            EXPECT_EQ(banks.add(0, row), 1U);
            banks.begin();
            EXPECT_EQ(banks.add(0, row + 1), 2U);
            banks.begin();
            EXPECT_EQ(banks.add(0, bytes), 1U);
            EXPECT_EQ(banks.add(row, bytes), 2U) << "the same bank";
            EXPECT_EQ(banks.add(row + bytes, bytes), 1U) << "its neighbour";
        }
    }
}

TEST(BankConflicts, AtomicsOnPartsOfOneWideWordTakeAPassEach) {
    BankConflicts banks(32, 8);
    EXPECT_EQ(banks.add_exclusive(0, 4), 1U);
    EXPECT_EQ(banks.add_exclusive(4, 4), 2U);
    EXPECT_EQ(banks.add_exclusive(8, 4), 1U);
}

TEST(BankConflicts, AnAccessTakesAsManyPassesAsTheBusiestBankHasWords) {
    std::mt19937 random(20240811);
    for (const std::uint32_t count : {8U, 16U, 32U, 64U}) {
        for (const std::uint32_t bytes : {4U, 8U, 16U}) {
            BankConflicts banks(count, bytes);
            for (int access = 0; access < 200; ++access) {
                const std::uint64_t size = std::uint64_t{1} << (random() % 5);   // 1 to 16 bytes of each lane
                const std::uint64_t stride = std::uint64_t{1} << (random() % 7); // in elements
                std::map<std::uint64_t, std::set<std::uint64_t>> words;          // of each bank
                banks.begin();
                for (std::uint64_t lane = 0; lane < 32; ++lane) {
                    const std::uint64_t index = access % 2 == 0 ? lane * stride : random() % (64 * stride);
                    for (std::uint64_t byte = index * size; byte < (index + 1) * size; ++byte) {
                        words[byte / bytes % count].insert(byte / bytes);
                    }
                    const std::uint32_t pass = banks.add(index * size, size);
                    ASSERT_LE(pass, banks.passes());
                }
                std::size_t busiest = 0;
                for (const auto &[bank, wanted] : words) {
                    busiest = std::max(busiest, wanted.size());
                }
                ASSERT_EQ(banks.passes(), busiest) << count << " banks of " << bytes << ", access " << access;
            }
        }
    }
}

TEST(BankConflicts, RowsOfAnyLengthShareAPassWhileNoBankIsInTwo) {
    std::mt19937 random(20261129);
    for (const std::uint32_t count : {1U, 3U, 8U, 32U, 64U, 128U}) {
        BankConflicts banks(count, 4);
        for (int access = 0; access < 1000; ++access) {
            std::map<std::uint64_t, std::set<std::uint64_t>> words; // of each bank
            banks.begin();
            const unsigned rows = 1 + random() % 5;
            for (unsigned row = 0; row < rows; ++row) {
                const std::uint64_t first = random() % (4 * count);
                const std::uint64_t length = 1 + random() % (access % 4 == 0 ? count + 2 : count / 4 + 1);
                for (std::uint64_t word = first; word < first + length; ++word) {
                    words[word % count].insert(word);
                }
                const std::uint32_t pass = banks.add(4 * first, 4 * length);
                ASSERT_LE(pass, banks.passes());
            }
            std::size_t busiest = 0;
            std::size_t all = 0;
            for (const auto &[bank, wanted] : words) {
                busiest = std::max(busiest, wanted.size());
                all += wanted.size();
            }
            ASSERT_EQ(banks.passes(), busiest) << count << " banks, access " << access;
            ASSERT_EQ(banks.least_passes(), (all + count - 1) / count);
        }
    }
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
