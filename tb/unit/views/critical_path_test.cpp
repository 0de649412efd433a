// The critical path of a CTA: its segments, that it covers the time of the CTA without a gap, and which CTA is chosen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "model/error.h"
#include "views/critical_path/observer.h"

namespace smsim::views::critical_path {
namespace {

using namespace observation;
using testing::ElementsAre;

constexpr Pc kSlow = 0x40;
constexpr Pc kBarrier = 0x80;

Cycle sum_of(const CriticalPath &path) {
    return std::accumulate(path.reasons.begin(), path.reasons.end(), path.before);
}

std::vector<std::uint32_t> warps_of(const CriticalPath &path) {
    std::vector<std::uint32_t> warps;
    for (const CriticalPath::Stretch &stretch : path.stretches) {
        warps.push_back(stretch.warp);
    }
    return warps;
}

Change change(Cycle at, Pc pc, StallReason reason) {
    return {.at = at, .pc = pc, .reason = reason};
}

TEST(CriticalPath, AWarpAloneIsItsOwnPath) {
    const CtaHistory cta{
        5,
        {{10,
          50,
          {change(10, 0, StallReason::kNoInstruction), {20, 0x10, 0x30, StallReason::kLongScoreboard, 2}},
          {}}}};
    const CriticalPath path = path_of(cta);
    EXPECT_EQ(path.cta, 5U);
    EXPECT_EQ(path.cycles(), 40U);
    EXPECT_EQ(sum_of(path), 40U);
    ASSERT_EQ(path.costs.size(), 2U);
    EXPECT_EQ(path.costs[0].cycles, 30U);
    EXPECT_EQ(path.costs[0].producer, Pc{0x30});
    EXPECT_EQ(path.costs[0].scoreboard, 2);
    EXPECT_EQ(path.costs[1].producer, std::nullopt);
    EXPECT_THAT(warps_of(path), ElementsAre(0U));
}

TEST(CriticalPath, AWaitAtABarrierHandsBackToTheWarpThatCompletedIt) {
    // Warp 1 arrives in cycle 70, which is known in 76; warp 0 continues in 90 and ends last.
    CtaHistory cta{0, {}};
    cta.warps.push_back({0,
                         120,
                         {change(0, 0, StallReason::kWait), change(10, kBarrier, StallReason::kBarrier),
                          change(90, 0x90, StallReason::kWait)},
                         {{76, 1, 3}}});
    cta.warps.push_back({4,
                         100,
                         {change(4, kSlow, StallReason::kSleeping), change(70, kBarrier, StallReason::kBarrier),
                          change(80, 0x90, StallReason::kWait)},
                         {}});
    const CriticalPath path = path_of(cta);
    EXPECT_EQ(sum_of(path), 120U);
    EXPECT_EQ(path.before, 4U);
    EXPECT_THAT(warps_of(path), ElementsAre(1U, 0U));
    EXPECT_EQ(path.stretches[0].barrier, 3);
    EXPECT_EQ(path.stretches[0].pc, kSlow);
    EXPECT_EQ(path.stretches[0].end, 76U);
    EXPECT_EQ(path.stretches[1].begin, 76U);
    EXPECT_EQ(path.stretches[1].barrier, std::nullopt);
    EXPECT_EQ(path.reasons[static_cast<std::size_t>(StallReason::kSleeping)], 66U);
    EXPECT_EQ(path.reasons[static_cast<std::size_t>(StallReason::kBarrier)], 6U + 14);
}

TEST(CriticalPath, ABarrierThatAnEndCompletedLeadsToThatWarp) {
    CtaHistory cta{0, {}};
    cta.warps.push_back(
        {0, 120, {change(0, kBarrier, StallReason::kBarrier), change(100, 0x90, StallReason::kWait)}, {{90, 1, 0}}});
    cta.warps.push_back({0, 80, {change(0, kSlow, StallReason::kSleeping)}, {}});
    const CriticalPath path = path_of(cta);
    EXPECT_EQ(sum_of(path), 120U);
    EXPECT_THAT(warps_of(path), ElementsAre(1U, 0U));
    EXPECT_EQ(path.reasons[static_cast<std::size_t>(StallReason::kBarrier)], 10U + 10) << "from the end to its effect";
}

TEST(CriticalPath, OnlyTheReleaseOfTheWaitItselfHandsBack) {
    CtaHistory cta{0, {}};
    cta.warps.push_back({0,
                         60,
                         {change(0, kBarrier, StallReason::kBarrier), change(20, 0x90, StallReason::kWait),
                          change(30, kBarrier, StallReason::kBarrier)},
                         {{10, 1, 0}}});
    cta.warps.push_back({0, 50, {change(0, kSlow, StallReason::kWait)}, {}});
    const CriticalPath path = path_of(cta);
    EXPECT_EQ(sum_of(path), 60U);
    EXPECT_THAT(warps_of(path), ElementsAre(1U, 0U));
    EXPECT_EQ(path.stretches[1].begin, 10U) << "the second wait was completed by the warp itself";
}

class CriticalPathObserver : public testing::Test {
  protected:
    /// A CTA of one warp in the cycles [begin, end).
    static void live(Observer &observer, std::uint64_t cta, std::uint32_t slot, Cycle begin, Cycle end) {
        observer.observe(begin, WarpStarted{begin, SmId(), WarpSlot(slot), CtaSlot(0), cta, 0, LaneMask::all(), 0});
        observer.observe(end, WarpEnded{end, WarpSlot(slot)});
    }
    static std::optional<CriticalPath> path(const std::string &choice) {
        Observer observer(parse_choice(choice, "--critical-path", 10));
        live(observer, 0, 0, 0, 100);
        live(observer, 2, 0, 101, 190);
        live(observer, 1, 1, 150, 190);
        observer.observe(190, WarpStarted{190, SmId(), WarpSlot(2), CtaSlot(0), 7, 0, LaneMask::all(), 0});
        observer.end(200);
        return observer.path();
    }
};

TEST_F(CriticalPathObserver, TheLastCtaTheLongestOrOneByItsNumber) {
    EXPECT_EQ(path("last")->cta, 1U) << "of those that end in one cycle the lowest";
    EXPECT_EQ(path("longest")->cta, 0U);
    EXPECT_EQ(path("2")->cta, 2U);
    EXPECT_FALSE(path("7").has_value()) << "it has not ended";
}

TEST_F(CriticalPathObserver, ABarrierThatAnEndCompletesWhileItsSlotHasANewWarpLeadsToTheWarpThatEnded) {
    Observer observer({});
    const auto start = [&](Cycle at, std::uint32_t slot, std::uint64_t cta, std::uint32_t warp) {
        observer.observe(at, WarpStarted{at, SmId(), WarpSlot(slot), CtaSlot(0), cta, warp, LaneMask::all(), 0, 0, 2});
    };
    start(0, 0, 0, 1); // warp 1 of CTA 0 in the lower slot
    start(0, 5, 0, 0);
    observer.observe(0, StateChanged{0, WarpSlot(0), WarpState::kSleeping, StallReason::kSleeping, kSlow});
    observer.observe(3, StateChanged{3, WarpSlot(5), WarpState::kWaitUnit, StallReason::kMioThrottle, 0x10});
    observer.observe(3, StateChanged{3, WarpSlot(5), WarpState::kBarrier, StallReason::kBarrier, kBarrier});
    observer.observe(40, WarpEnded{40, WarpSlot(0)});
    observer.observe(42, BarrierReleased{42, WarpSlot(5), WarpSlot(0), BarrierId(0), 50, true});
    start(42, 0, 1, 0); // and warp 0 of CTA 1
    observer.observe(
        50, StateChanged{50, WarpSlot(5), WarpState::kWaitScoreboard, StallReason::kLongScoreboard, 0x90, 4, 0x60});
    observer.observe(
        55, StateChanged{55, WarpSlot(5), WarpState::kWaitScoreboard, StallReason::kLongScoreboard, 0x90, 2, 0x70});
    observer.observe(60, WarpEnded{60, WarpSlot(5)});
    observer.end(61);
    const CriticalPath path = observer.path().value();
    EXPECT_EQ(path.cycles(), 60U);
    EXPECT_EQ(sum_of(path), 60U);
    EXPECT_THAT(warps_of(path), ElementsAre(1U, 0U));
    EXPECT_EQ(path.reasons[static_cast<std::size_t>(StallReason::kSleeping)], 40U);
    EXPECT_EQ(path.reasons[static_cast<std::size_t>(StallReason::kBarrier)], 2U + 8);
    EXPECT_EQ(path.reasons[static_cast<std::size_t>(StallReason::kMioThrottle)], 0U) << "of one cycle the last holds";
    std::vector<Pc> producers;
    for (const CriticalPath::Cost &cost : path.costs) {
        if (cost.producer) {
            producers.push_back(*cost.producer);
        }
    }
    EXPECT_THAT(producers, testing::UnorderedElementsAre(Pc{0x60}, Pc{0x70}));
}

TEST_F(CriticalPathObserver, AChoiceThatNamesNoCtaIsRefused) {
    for (const char *text : {"", "first", "-1", "3x", "10", "99999999999999999999999"}) {
        EXPECT_THROW(parse_choice(text, "--critical-path", 10), InputError) << text;
    }
}

} // namespace
} // namespace smsim::views::critical_path
