// What a verdict names first, for counters of one bottleneck and its side effects.
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/config/config.h"
#include "report/verdict.h"

namespace smsim {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A launch of 1000 cycles by one warp.
class VerdictTest : public ::testing::Test {
  protected:
    VerdictTest() {
        stats_.cycles = 1000;
        WarpStats warp;
        warp.end = 1000;
        warp.instructions = 100;
        warp.thread_instructions = 3200;
        stats_.add(warp);
    }
    /// A unit that was in use for the given cycles of each thousand.
    void use(UsedUnit unit, Cycle cycles) {
        UseSeries series;
        series.put(0, cycles);
        add_use(stats_.units, unit, 1, series);
    }
    void wait_for_memory(Cycle cycles, LatencyKind kind) {
        stats_.sums[0].stalls[static_cast<std::size_t>(StallReason::kLongScoreboard)] += cycles;
        stats_.latencies[static_cast<std::size_t>(kind)].count += 1;
        stats_.latencies[static_cast<std::size_t>(kind)].cycles += cycles;
    }
    Verdict verdict() const { return judge(stats_, config_); }
    std::string_view first() const {
        const Verdict found = verdict();
        return found.candidates.empty() ? "" : found.candidates[0].relief;
    }
    double score(std::string_view relief) const {
        for (const Candidate &candidate : verdict().candidates) {
            if (candidate.relief == relief) {
                return candidate.score;
            }
        }
        return 0;
    }
    RunStats stats_;
    Config config_;
};

TEST_F(VerdictTest, MissesUnderWayAreTheReasonAsFarAsNoPathIsFull) {
    use(UsedUnit::kTransactions, 980);
    EXPECT_EQ(first(), "mshrs");
    use(UsedUnit::kGlobalPath, 970);
    EXPECT_EQ(first(), "global_path") << "more of them would only wait longer";
    EXPECT_LT(score("mshrs"), 0.1);
}

TEST_F(VerdictTest, TheDataOfTheL1GoBeforeItsSize) {
    use(UsedUnit::kL1Data, 990);
    use(UsedUnit::kTransactions, 985);
    stats_.global.l1_misses = 100;
    stats_.global.l1_refetches = 93;
    wait_for_memory(600, LatencyKind::kLoadHit);
    wait_for_memory(300, LatencyKind::kLoadMiss);
    EXPECT_EQ(first(), "l1_data");
    EXPECT_LT(score("l1_capacity"), 0.1);
    EXPECT_EQ(verdict().certainty, Verdict::Certainty::kClear);
}

TEST_F(VerdictTest, ConflictsOfTheL1AreApartFromTheWorkOfItsData) {
    use(UsedUnit::kL1Data, 1000);
    stats_.lsu.by_pc.resize(1);
    stats_.lsu.by_pc[0] = {.accesses = 10, .wavefronts = 320, .ideal_wavefronts = 80};
    EXPECT_EQ(first(), "l1_conflicts");
    EXPECT_NEAR(score("l1_data"), 0.25, 1e-9);
    stats_.lsu.by_pc[0].ideal_wavefronts = 320;
    EXPECT_EQ(first(), "l1_data");
    EXPECT_EQ(score("l1_conflicts"), 0);
}

TEST_F(VerdictTest, WaitingForHitsIsNoLatencyOfMemory) {
    wait_for_memory(900, LatencyKind::kLoadHit);
    EXPECT_EQ(score("memory_latency"), 0);
    wait_for_memory(90, LatencyKind::kLoadMiss);
    EXPECT_NEAR(score("memory_latency"), 0.09, 1e-9);
}

TEST_F(VerdictTest, PassesWithoutAConflictAreWorkOfTheBanks) {
    use(UsedUnit::kSharedArray, 1000);
    stats_.shared.accesses = 250;
    stats_.shared.passes = 1000;
    EXPECT_EQ(first(), "shared_array");
    EXPECT_EQ(score("bank_conflicts"), 0);
    stats_.shared.conflicts = 750;
    EXPECT_EQ(first(), "bank_conflicts");
    EXPECT_NEAR(score("shared_array"), 0.25, 1e-9);
}

TEST_F(VerdictTest, ScatteredAccessesAreListedWithABoundMemoryPath) {
    stats_.lsu.by_pc.resize(3);
    stats_.lsu.by_pc[1] = {.accesses = 10, .transactions = 320, .sectors = 320, .requested_bytes = 1280};
    stats_.lsu.by_pc[2] = {.accesses = 10, .transactions = 10, .sectors = 40, .requested_bytes = 1280};
    use(UsedUnit::kFma, 900);
    EXPECT_THAT(verdict().scattered, IsEmpty()) << "they are not what takes the time";
    use(UsedUnit::kL1Data, 990);
    const std::vector<Scattered> scattered = verdict().scattered;
    ASSERT_THAT(scattered, SizeIs(1));
    EXPECT_EQ(scattered[0].pc, kInstructionBytes);
    EXPECT_EQ(scattered[0].sectors, 32);
    EXPECT_EQ(scattered[0].needed, 4);
    EXPECT_NEAR(scattered[0].share, 280.0 / 360, 1e-9);
}

TEST_F(VerdictTest, OneWordOfASectorForAllThreadsIsNotScattered) {
    stats_.lsu.by_pc.push_back({.accesses = 10, .transactions = 10, .sectors = 10, .requested_bytes = 1280});
    use(UsedUnit::kL1Data, 990);
    EXPECT_THAT(verdict().scattered, IsEmpty());
}

} // namespace
} // namespace smsim
