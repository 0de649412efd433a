// Distributions of a grid as plain objects: the order of each, and that every CTA is handed out once.
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sm/dispatch/cta_distribution.h"

namespace smsim::sm {
namespace {

using ::testing::ElementsAre;
using Ctas = std::array<std::uint32_t, 3>;

std::unique_ptr<CtaDistribution> distribution(CtaDistributionKind kind) {
    return make_cta_distribution({.cta_distribution = kind});
}

/// The whole grid in the order in which one SM gets it.
std::vector<std::uint64_t> order_of(CtaDistributionKind kind, const Ctas &ctas) {
    const auto policy = distribution(kind);
    policy->begin(ctas, 1);
    std::vector<std::uint64_t> order;
    for (std::uint64_t left = std::uint64_t{ctas[0]} * ctas[1] * ctas[2]; left > 0; --left) {
        order.push_back(policy->next(0));
    }
    return order;
}

TEST(CtaDistribution, InOrderIsNoObject) {
    EXPECT_EQ(distribution(CtaDistributionKind::kInOrder), nullptr);
}

TEST(CtaDistribution, LastFirstCountsDown) {
    EXPECT_THAT(order_of(CtaDistributionKind::kLastFirst, {2, 2, 1}), ElementsAre(3, 2, 1, 0));
}

TEST(CtaDistribution, ByColumnTakesYFirst) {
    EXPECT_THAT(order_of(CtaDistributionKind::kByColumn, {3, 2, 2}), ElementsAre(0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11));
}

TEST(CtaDistribution, ByTileTakesFourByFourCtasAndWhatThereIsAtTheEdges) {
    EXPECT_THAT(order_of(CtaDistributionKind::kByTile, {6, 5, 1}),
                ElementsAre(0, 1, 2, 3, 6, 7, 8, 9, 12, 13, 14, 15, 18, 19, 20, 21, // the whole tile
                            4, 5, 10, 11, 16, 17, 22, 23,                           // to the right of it
                            24, 25, 26, 27, 28, 29));                               // below
    EXPECT_THAT(order_of(CtaDistributionKind::kByTile, {2, 1, 2}), ElementsAre(0, 1, 2, 3));
}

TEST(CtaDistribution, BlockedIsInOrderForOneSm) {
    EXPECT_THAT(order_of(CtaDistributionKind::kBlocked, {5, 1, 1}), ElementsAre(0, 1, 2, 3, 4));
}

TEST(CtaDistribution, BlockedGivesEachSmAPieceAndThenHelpsTheOneThatHasMostLeft) {
    const auto blocked = distribution(CtaDistributionKind::kBlocked);
    blocked->begin({8, 1, 1}, 3); // 0 to 2, 3 to 5, 6 and 7
    EXPECT_EQ(blocked->next(2), 6U);
    EXPECT_EQ(blocked->next(0), 0U);
    EXPECT_EQ(blocked->next(2), 7U);
    EXPECT_EQ(blocked->next(2), 3U) << "SM 1 has most left";
    EXPECT_EQ(blocked->next(1), 4U);
    EXPECT_EQ(blocked->next(2), 1U);
    EXPECT_EQ(blocked->next(1), 5U);
    EXPECT_EQ(blocked->next(1), 2U);
}

TEST(CtaDistribution, EachHandsOutEveryCtaOnceInEachLaunch) {
    for (const CtaDistributionKind kind : {CtaDistributionKind::kBlocked, CtaDistributionKind::kByColumn,
                                           CtaDistributionKind::kByTile, CtaDistributionKind::kLastFirst}) {
        const auto policy = distribution(kind);
        for (const Ctas &ctas : {Ctas{1, 1, 1}, Ctas{7, 9, 2}, Ctas{1, 13, 1}, Ctas{4, 4, 3}, Ctas{5, 1, 5}}) {
            policy->begin(ctas, 4);
            std::vector<std::uint64_t> order;
            for (std::uint64_t left = std::uint64_t{ctas[0]} * ctas[1] * ctas[2]; left > 0; --left) {
                order.push_back(policy->next(static_cast<std::uint32_t>(left * left % 4)));
            }
            std::ranges::sort(order);
            for (std::size_t i = 0; i < order.size(); ++i) {
                ASSERT_EQ(order[i], i);
            }
        }
    }
}

} // namespace
} // namespace smsim::sm
