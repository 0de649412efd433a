// Sets of instructions in flight compared with plain maps, under random operations.
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "assembler/flight_set.h"

namespace smsim::assembler {
namespace {

constexpr std::uint32_t kProducers = 700;
using Reference = std::map<std::pair<std::uint32_t, Flight>, unsigned>;

/// Scoreboard s of the summary is that of the producers with the same remainder; old entries are those of 3 cycles.
void describe(const Entry &entry, FlightSummary &summary) {
    summary.scoreboards = static_cast<std::uint8_t>(summary.scoreboards | (1U << (entry.producer % 6)));
    summary.young = summary.young || entry.elapsed < 3;
}

class FlightSets : public testing::Test {
  protected:
    std::vector<Entry> entries_of(const FlightSet &set) {
        std::vector<Entry> entries;
        pool.visit(
            set, [](const FlightSummary &) { return true; }, [&](const Entry &entry) { entries.push_back(entry); });
        return entries;
    }
    void expect_same(const FlightSet &set, const Reference &reference) {
        std::vector<Entry> expected;
        for (const auto &[key, elapsed] : reference) {
            expected.push_back({key.first, key.second, elapsed});
        }
        EXPECT_EQ(entries_of(set), expected);
    }
    std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); }

    FlightPool pool{kProducers, describe};
    std::mt19937_64 random{1};
};

TEST_F(FlightSets, MatchMapsAfterAnyOperations) {
    std::vector<FlightSet> sets(8);
    std::vector<Reference> references(sets.size());
    for (unsigned step = 0; step < 4000; ++step) {
        const std::uint32_t i = below(8);
        const std::uint32_t j = below(8);
        const std::uint32_t producer = below(kProducers);
        switch (below(4)) {
        case 0: {
            std::vector<Entry> own;
            for (const Flight flight : {Flight::kFixed, Flight::kResult, Flight::kSources}) {
                references[i].erase({producer, flight});
                if (below(2) == 0) {
                    own.push_back({producer, flight, below(flight == Flight::kFixed ? 3 : 4)});
                    references[i][{producer, flight}] = own.back().elapsed;
                }
            }
            sets[i] = pool.replace(sets[i], producer, own);
            EXPECT_EQ(pool.entries_of(sets[i], producer), own);
            break;
        }
        case 1:
            sets[i] = pool.merge(sets[i], sets[j]);
            for (const auto &[key, elapsed] : Reference(references[j])) {
                const auto [place, fresh] = references[i].try_emplace(key, elapsed);
                place->second = std::min(place->second, elapsed);
            }
            break;
        case 2: // time passes
            sets[i] = pool.changed(
                sets[i], [](const FlightSummary &summary) { return summary.young; },
                [](Entry &entry) {
                    entry.elapsed = std::min(entry.elapsed + 1, 3U);
                    return entry.flight != Flight::kFixed || entry.elapsed < 3;
                });
            for (auto &[key, elapsed] : references[i]) {
                if (elapsed < 3) {
                    elapsed = ++elapsed == 3 && key.second == Flight::kFixed ? 99 : elapsed;
                }
            }
            std::erase_if(references[i], [](const auto &entry) { return entry.second == 99; });
            break;
        default: // a scoreboard is clear
            sets[i] = pool.changed(
                sets[i],
                [&](const FlightSummary &summary) { return (summary.scoreboards >> (producer % 6) & 1U) != 0; },
                [&](const Entry &entry) { return entry.producer % 6 != producer % 6 || entry.elapsed < 2; });
            std::erase_if(references[i], [&](const auto &entry) {
                return entry.first.first % 6 == producer % 6 && entry.second >= 2;
            });
            break;
        }
        expect_same(sets[i], references[i]);
        EXPECT_EQ(sets[i] == sets[j], references[i] == references[j]);
    }
}

TEST_F(FlightSets, AreEqualHoweverTheyWereMade) {
    const Entry first{3, Flight::kResult, 1};
    const Entry second{500, Flight::kSources, 2};
    const FlightSet forward = pool.replace(pool.replace({}, 3, {&first, 1}), 500, {&second, 1});
    const FlightSet backward = pool.merge(pool.replace({}, 500, {&second, 1}), pool.replace({}, 3, {&first, 1}));
    EXPECT_TRUE(forward == backward);
    EXPECT_TRUE(pool.replace(pool.replace(forward, 3, {}), 500, {}) == FlightSet());
}

TEST_F(FlightSets, VisitsLeaveOutPartsThatAreNotWanted) {
    FlightSet set;
    for (std::uint32_t producer = 0; producer < kProducers; ++producer) {
        const Entry entry{producer, Flight::kResult, producer == 300 ? 0U : 3U};
        set = pool.replace(set, producer, {&entry, 1});
    }
    unsigned visited = 0;
    pool.visit(
        set, [](const FlightSummary &summary) { return summary.young; }, [&](const Entry &) { ++visited; });
    EXPECT_LE(visited, 16U); // one leaf
    EXPECT_GE(visited, 1U);
}

TEST(FlightPools, SmallSetsAreOnePartHoweverFarApart) {
    FlightPool large(1U << 20, describe);
    FlightSet set;
    for (std::uint32_t i = 0; i < 16; ++i) {
        const Entry entry{i << 16, Flight::kResult, 0};
        set = large.replace(set, entry.producer, {&entry, 1});
        EXPECT_EQ(large.parts(), 1U);
    }
    const Entry next{16U << 15 | 1, Flight::kResult, 0};
    const FlightSet more = large.replace(set, next.producer, {&next, 1});
    EXPECT_GT(large.parts(), 2U);
    EXPECT_EQ(large.replace(more, next.producer, {}), set);
}

} // namespace
} // namespace smsim::assembler
