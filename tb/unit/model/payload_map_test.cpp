// The map of payloads under way compared with one of the standard library.
#include <map>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "model/protocol/payload_map.h"

namespace smsim::protocol {
namespace {

TEST(PayloadMap, FindsItsEntriesAfterAnyInsertionsAndRemovals) {
    std::vector<std::unique_ptr<tlm::tlm_generic_payload>> payloads;
    for (unsigned i = 0; i < 300; ++i) {
        payloads.push_back(std::make_unique<tlm::tlm_generic_payload>());
    }
    PayloadMap<unsigned> map;
    std::map<const tlm::tlm_generic_payload *, unsigned> expected;
    std::mt19937 random(1);
    std::size_t most = 0;
    EXPECT_EQ(map.find(*payloads.front()), nullptr) << "nothing has been in";
    for (unsigned step = 0; step < 20000; ++step) {
        // Grows to about 250 and shrinks again, several times.
        const bool grows = step / 1000 % 2 == 0;
        const auto &payload = *payloads[random() % payloads.size()];
        if (expected.count(&payload) == 0 && (grows || random() % 4 == 0)) {
            map.add(payload, step);
            expected[&payload] = step;
        } else if (expected.count(&payload) != 0 && (!grows || random() % 8 == 0)) {
            map.remove(payload);
            expected.erase(&payload);
        }
        most = std::max(most, expected.size());
        if (step % 50 == 0) {
            for (const auto &each : payloads) {
                const auto known = expected.find(each.get());
                const unsigned *const found = map.find(*each);
                ASSERT_EQ(found != nullptr, known != expected.end()) << "step " << step;
                ASSERT_TRUE(found == nullptr || *found == known->second) << "step " << step;
            }
            std::map<const tlm::tlm_generic_payload *, unsigned> all;
            map.for_each([&](const tlm::tlm_generic_payload &one, unsigned value) { all[&one] = value; });
            ASSERT_EQ(all, expected) << "step " << step;
        }
    }
    EXPECT_GT(most, 200U);
}

TEST(PayloadMap, AValueCanBeChangedInItsPlace) {
    tlm::tlm_generic_payload payload;
    PayloadMap<int> map;
    map.add(payload, 1);
    *map.find(payload) = 2;
    EXPECT_EQ(*map.find(payload), 2);
}

} // namespace
} // namespace smsim::protocol
