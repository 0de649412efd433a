// Every program of the catalogue always ends as expected, or is always reported.
#include <gtest/gtest.h>

#include "tb/state_space/catalogue.h"
#include "tb/state_space/stack_family.h"

namespace smsim::state_space {
namespace {

class Catalogue : public ::testing::TestWithParam<Case> {};

TEST_P(Catalogue, AlwaysEndsAsExpected) {
    const SearchResult searched = run(GetParam());
    EXPECT_EQ(judge(GetParam(), searched), std::nullopt);
    RecordProperty("states", std::to_string(searched.states));
}

std::string name_of(const ::testing::TestParamInfo<Case> &instance) {
    return instance.param.name;
}
INSTANTIATE_TEST_SUITE_P(Warps, Catalogue, ::testing::ValuesIn(warp_programs()), name_of);
INSTANTIATE_TEST_SUITE_P(Barriers, Catalogue, ::testing::ValuesIn(barrier_programs()), name_of);

void expect_under_all_options(const Case &program, Stack stack) {
    for (const std::vector<std::string> &options : options_of(stack)) {
        EXPECT_EQ(judge(program, run(program, options)), std::nullopt) << options.front();
    }
}

class SimtCatalogue : public ::testing::TestWithParam<Case> {};
TEST_P(SimtCatalogue, AlwaysEndsAsExpectedInBothOrdersOfSides) {
    expect_under_all_options(GetParam(), Stack::kSimt);
}
INSTANTIATE_TEST_SUITE_P(All, SimtCatalogue, ::testing::ValuesIn(simt_programs()), name_of);

class TokenCatalogue : public ::testing::TestWithParam<Case> {};
TEST_P(TokenCatalogue, AlwaysEndsAsExpectedInBothOrdersOfSides) {
    expect_under_all_options(GetParam(), Stack::kToken);
}
INSTANTIATE_TEST_SUITE_P(All, TokenCatalogue, ::testing::ValuesIn(token_programs()), name_of);

} // namespace
} // namespace smsim::state_space
