// Random delays: bounded, a function of their arguments, none without a seed.
#include <set>

#include <gtest/gtest.h>

#include "model/timing/jitter.h"

namespace smsim::timing {
namespace {

JitterConfig config(std::uint64_t seed, std::uint32_t max) {
    JitterConfig jitter;
    jitter.seed = seed;
    jitter.max = max;
    return jitter;
}

TEST(Jitter, IsZeroWithoutASeed) {
    const Jitter none(config(0, 32), Jitter::Part::kBranch);
    for (Cycle at = 0; at < 1000; ++at) {
        EXPECT_EQ(none(at, at % 7), 0U);
        EXPECT_EQ(Jitter()(at, 0), 0U);
    }
}

TEST(Jitter, DelaysLieBetweenNoneAndTheMostAndTakeEveryValue) {
    const Jitter jitter(config(1, 5), Jitter::Part::kBranch);
    std::set<Cycle> seen;
    unsigned none = 0;
    for (Cycle at = 0; at < 4000; ++at) {
        const Cycle delay = jitter(at, 3);
        seen.insert(delay);
        none += delay == 0 ? 1 : 0;
    }
    EXPECT_EQ(seen, (std::set<Cycle>{0, 1, 2, 3, 4, 5}));
    EXPECT_NEAR(none, 3000, 200);
}

TEST(Jitter, SeedPartTimeAndSubjectAllMatterAndNothingElse) {
    const auto delays = [](std::uint64_t seed, Jitter::Part part, std::uint64_t who) {
        const Jitter jitter(config(seed, 1000), part);
        std::vector<Cycle> all;
        for (Cycle at = 0; at < 100; ++at) {
            all.push_back(jitter(at, who));
        }
        return all;
    };
    const auto first = delays(1, Jitter::Part::kBranch, 0);
    EXPECT_EQ(first, delays(1, Jitter::Part::kBranch, 0));
    EXPECT_NE(first, delays(2, Jitter::Part::kBranch, 0));
    EXPECT_NE(first, delays(1, Jitter::Part::kBarrier, 0));
    EXPECT_NE(first, delays(1, Jitter::Part::kBranch, 1));
}

} // namespace
} // namespace smsim::timing
