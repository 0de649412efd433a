// The check of global addresses alone: what is inside, tolerated and outside, and what is recorded.
#include <gtest/gtest.h>

#include "sm/load_store/global_bounds.h"

namespace smsim::sm {
namespace {

using Verdict = GlobalBounds::Verdict;

class GlobalBoundsTest : public ::testing::Test {
  protected:
    GlobalBoundsTest() {
        regions.map(0x20100, 0x1000, "a");
        regions.map(0x21200, 0x100, "b"); // in the same page
        warp.cta_number = 7;
        warp.warp_in_cta = 3;
    }
    GlobalBounds check(MemoryCheck mode) {
        return {regions, mode, [this](WarpSlot) -> const WarpStart & { return warp; }};
    }
    static GlobalBounds::Access access(Pc pc, std::uint64_t address, std::uint64_t bytes, Cycle cycle = 100) {
        return {pc, WarpSlot(5), 9, address, bytes, cycle};
    }
    memory::Regions regions{1ULL << 32, GlobalBounds::kPageBytes};
    WarpStart warp;
};

TEST_F(GlobalBoundsTest, StrictPermitsTheRegionsOnly) {
    const GlobalBounds strict = check(MemoryCheck::kStrict);
    EXPECT_EQ(strict.judge(0x20100, 0x1000), Verdict::kInside);
    EXPECT_EQ(strict.judge(0x210ff, 1), Verdict::kInside);
    EXPECT_EQ(strict.judge(0x21100, 1), Verdict::kOutside);
    EXPECT_EQ(strict.judge(0x210ff, 2), Verdict::kOutside);
    EXPECT_EQ(strict.judge(0x200ff, 1), Verdict::kOutside);
    EXPECT_EQ(strict.judge(~std::uint64_t{0}, 1), Verdict::kOutside);
}

TEST_F(GlobalBoundsTest, ReportAndOffTolerateTheRestOfThePages) {
    const GlobalBounds report = check(MemoryCheck::kReport);
    const GlobalBounds off = check(MemoryCheck::kOff);
    for (const std::uint64_t address : {0x20000, 0x200ff, 0x21100, 0x2ffff}) {
        EXPECT_EQ(report.judge(address, 1), Verdict::kPadding) << address;
        EXPECT_EQ(off.judge(address, 1), Verdict::kInside) << address;
    }
    EXPECT_EQ(report.judge(0x20100, 4), Verdict::kInside);
    for (const std::uint64_t address : {0x1ffff, 0x30000}) {
        EXPECT_EQ(report.judge(address, 1), Verdict::kOutside) << address;
        EXPECT_EQ(off.judge(address, 1), Verdict::kOutside) << address;
    }
    EXPECT_EQ(report.judge(0x2ffff, 2), Verdict::kOutside) << "leaves the page";
}

TEST_F(GlobalBoundsTest, KeepsTheFirstAccessOfEachInstructionAndCountsTheOthers) {
    GlobalBounds report = check(MemoryCheck::kReport);
    report.note(access(0x40, 0x210fc, 4));
    report.note(access(0x40, 0x210f8, 16, 200));
    report.note(access(0x10, 0x21108, 4, 300));
    report.note(access(0x40, 0x2ff00, 4, 400));
    const OutsideAccesses &found = report.found();
    EXPECT_EQ(found.count, 3U) << "the first access is inside";
    ASSERT_EQ(found.places.size(), 2U);
    const OutsidePlace &place = found.places[0];
    EXPECT_EQ(place.pc, 0x40U);
    EXPECT_EQ(place.count, 2U);
    EXPECT_EQ(place.cycle, 200U);
    EXPECT_EQ(place.cta, 7U);
    EXPECT_EQ(place.warp, 3U);
    EXPECT_EQ(place.thread, 9U);
    EXPECT_EQ(place.address, 0x21100U) << "the first byte outside";
    EXPECT_EQ(place.buffer, "a");
    EXPECT_EQ(place.distance, 0);
    EXPECT_EQ(found.places[1].pc, 0x10U);
    EXPECT_EQ(found.places[1].distance, 8);
}

TEST_F(GlobalBoundsTest, NamesTheNearestBuffer) {
    GlobalBounds report = check(MemoryCheck::kReport);
    report.note(access(0x00, 0x200f0, 4));
    report.note(access(0x10, 0x211f8, 4));
    report.note(access(0x20, 0x21400, 4));
    const auto &places = report.found().places;
    ASSERT_EQ(places.size(), 3U);
    EXPECT_EQ(places[0].buffer, "a");
    EXPECT_EQ(places[0].distance, -16);
    EXPECT_EQ(places[1].buffer, "b");
    EXPECT_EQ(places[1].distance, -8);
    EXPECT_EQ(places[2].buffer, "b");
    EXPECT_EQ(places[2].distance, 0x100);
}

} // namespace
} // namespace smsim::sm
