// Cycles in which something ends: compared with a sorted list, near ones, far ones and after long pauses.
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "sm/load_store/end_times.h"

namespace smsim::sm {
namespace {

TEST(EndTimes, TheEarliestIsFoundForAnyDistances) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        std::mt19937 random(seed);
        EndTimes ends;
        std::multiset<Cycle> expected;
        Cycle now = 0;
        for (unsigned step = 0; step < 5000; ++step) {
            const Cycle most = step % 500 < 400 ? 300 : 5000; // sometimes beyond the near range
            for (unsigned n = random() % 4; n != 0; --n) {
                const Cycle end = now + random() % most; // also the current cycle, whose ends have been taken
                const std::uint32_t count = 1 + random() % 3;
                ends.add(end, count);
                for (std::uint32_t i = 0; i < count; ++i) {
                    expected.insert(end);
                }
            }
            now += step % 700 == 0 ? 100'000 : random() % 5;
            ASSERT_EQ(ends.size(), expected.size());
            while (!expected.empty() && *expected.begin() <= now) {
                ASSERT_EQ(ends.first(), *expected.begin());
                ends.take(ends.first());
                expected.erase(Cycle{*expected.begin()}); // all of that cycle
                ASSERT_EQ(ends.size(), expected.size());
            }
            if (!expected.empty()) {
                ASSERT_EQ(ends.first(), *expected.begin()) << seed << " " << step;
            }
            ASSERT_EQ(ends.first() == kNever, expected.empty());
        }
    }
}

} // namespace
} // namespace smsim::sm
