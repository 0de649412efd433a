// Lines that may be read without a transaction: which ones, and in which order their reads are reported.
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ibuffer/direct_lines.h"

namespace smsim::ibuffer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint64_t kLineBytes = 128;

class DirectLinesTest : public ::testing::Test {
  protected:
    void grant(std::uint64_t first, std::uint64_t bytes = kLineBytes) { lines.grant({first, bytes, insns.data(), 3}); }

    std::vector<isa::Instruction> insns = std::vector<isa::Instruction>(8);
    DirectLines lines{kLineBytes};
};

TEST_F(DirectLinesTest, OnlyGrantedAddressesAreRead) {
    EXPECT_EQ(lines.read(0), nullptr);
    grant(256, 48);
    ASSERT_NE(lines.read(256), nullptr);
    ASSERT_NE(lines.read(288), nullptr);
    EXPECT_EQ(lines.read(288)->insns, insns.data());
    EXPECT_EQ(lines.read(288)->latency, 3U);
    EXPECT_EQ(lines.read(304), nullptr) << "the program ends before the line does";
    EXPECT_EQ(lines.read(128), nullptr);
    EXPECT_EQ(lines.reads(), 4U);
    lines.clear_reads();
    EXPECT_EQ(lines.reads(), 0U);
}

TEST_F(DirectLinesTest, LinesAreReportedOnceInTheOrderOfTheirLastReads) {
    grant(0);
    grant(128);
    grant(256);
    for (const std::uint64_t address : {0, 16, 256, 128, 16, 272}) {
        lines.read(address);
    }
    EXPECT_THAT(lines.read_since(), ElementsAre(128, 0, 256));
    EXPECT_THAT(lines.read_since(), IsEmpty());
    lines.read(128);
    EXPECT_THAT(lines.read_since(), ElementsAre(128));
}

TEST_F(DirectLinesTest, OfTwoLinesWithOnePlaceTheNewerIsKept) {
    constexpr std::uint64_t kSamePlace = 64 * kLineBytes;
    grant(0);
    grant(kSamePlace);
    EXPECT_EQ(lines.read(0), nullptr);
    EXPECT_NE(lines.read(kSamePlace), nullptr);
}

TEST_F(DirectLinesTest, RevokedLinesAreNeitherReadNorReported) {
    grant(0);
    grant(128);
    grant(256);
    lines.read(0);
    lines.read(128);
    lines.read(256);
    lines.revoke(128, 255);
    EXPECT_EQ(lines.read(128), nullptr);
    EXPECT_NE(lines.read(0), nullptr);
    EXPECT_THAT(lines.read_since(), ElementsAre(256, 0));
    lines.revoke(0, ~std::uint64_t{0});
    EXPECT_EQ(lines.read(0), nullptr);
    EXPECT_EQ(lines.read(256), nullptr);
}

} // namespace
} // namespace smsim::ibuffer
