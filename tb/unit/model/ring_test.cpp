// The queue that keeps its storage, against std::deque.
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
            ring.push_back(step);
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

} // namespace
} // namespace smsim
