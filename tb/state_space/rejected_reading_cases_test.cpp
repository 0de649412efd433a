// Each rejected reading fails on its program, and the model's rule does not.
#include <set>

#include <gtest/gtest.h>

#include "tb/independent_rules/rejected_readings.h"
#include "tb/state_space/rejected_reading_cases.h"

namespace smsim::state_space {
namespace {

class RejectedReadingCases : public ::testing::TestWithParam<RejectedReadingCase> {};

TEST_P(RejectedReadingCases, TheRuleOfTheModelEndsAsExpected) {
    const Case &program = GetParam().program;
    EXPECT_EQ(judge(program, run(program)), std::nullopt);
}

TEST_P(RejectedReadingCases, TheRejectedReadingFails) {
    const auto &[program, setting, problem] = GetParam();
    const SearchResult searched = run(program, {setting});
    EXPECT_TRUE(searched.problems.contains(problem)) << judge(program, searched).value_or("no problem");
    EXPECT_FALSE(searched.problems.contains(Problem::kTruncated));
}

INSTANTIATE_TEST_SUITE_P(All, RejectedReadingCases, ::testing::ValuesIn(rejected_reading_cases()),
                         [](const auto &instance) { return instance.param.program.name; });

TEST(RejectedReadingCases, EveryReadingHasItsProgram) {
    std::set<std::string> shown;
    for (const RejectedReadingCase &reading : rejected_reading_cases()) {
        shown.insert(reading.setting);
    }
    for (const independent_rules::Name &name : independent_rules::all_names()) {
        EXPECT_TRUE(shown.contains(std::string(name.text))) << name.text;
    }
}

} // namespace
} // namespace smsim::state_space
