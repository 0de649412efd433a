// The queue that keeps its storage, compared with std::deque.
#include <deque>
#include <random>

#include <gtest/gtest.h>

#include "model/ring.h"

namespace smsim {
namespace {

TEST(Ring, IsAQueue) {
    std::mt19937 random(1);
    Ring<unsigned> ring;
    std::deque<unsigned> expected;
    for (unsigned step = 0; step < 10000; ++step) {
        if (expected.empty() || random() % 1000 < (step / 1000 % 2 == 0 ? 600U : 400U)) {
            if (random() % 2 == 0) {
                ring.push_back(step);
            } else {
                ring.next() = ~0U;
                ring.next() = step;
                ring.push_next();
            }
            expected.push_back(step);
        } else {
            ring.pop_front();
            expected.pop_front();
        }
        ASSERT_EQ(ring.size(), expected.size());
        ASSERT_EQ(ring.empty(), expected.empty());
        if (!expected.empty()) {
            const std::size_t place = random() % expected.size();
            ASSERT_EQ(ring.front(), expected.front());
            ASSERT_EQ(ring[place], expected[place]);
        }
    }
}

TEST(Ring, CanBeUsedWhenItsElementsHaveBeenMovedAway) {
    Ring<unsigned> ring;
    ring.push_back(1);
    ring.push_back(2);
    Ring<unsigned> other(std::move(ring));
    ring = Ring<unsigned>();
    for (unsigned i = 3; i < 20; ++i) {
        ring.push_back(i);
    }
    EXPECT_EQ(ring.front(), 3U);
    EXPECT_EQ(ring.size(), 17U);
    EXPECT_EQ(other.size(), 2U);
    EXPECT_EQ(other.front(), 1U);
}

} // namespace
} // namespace smsim
