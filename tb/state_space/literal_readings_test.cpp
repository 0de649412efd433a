// Each rejected reading fails on its program, and the model's rule does not.
#include <set>

#include <gtest/gtest.h>

#include "tb/independent_rules/readings.h"
#include "tb/state_space/literal_readings.h"

namespace smsim::state_space {
namespace {

class LiteralReadings : public ::testing::TestWithParam<LiteralReading> {};

TEST_P(LiteralReadings, TheRuleOfTheModelEndsAsExpected) {
    const Case &program = GetParam().program;
    EXPECT_EQ(judge(program, run(program)), std::nullopt);
}

TEST_P(LiteralReadings, TheRejectedReadingFails) {
    const auto &[program, setting, problem] = GetParam();
    const SearchResult searched = run(program, {setting});
    EXPECT_TRUE(searched.problems.contains(problem)) << judge(program, searched).value_or("no problem");
    EXPECT_FALSE(searched.problems.contains(Problem::kTruncated));
}

INSTANTIATE_TEST_SUITE_P(All, LiteralReadings, ::testing::ValuesIn(literal_readings()),
                         [](const auto &instance) { return instance.param.program.name; });

TEST(LiteralReadingsList, EveryReadingHasItsProgram) {
    std::set<std::string> shown;
    for (const LiteralReading &reading : literal_readings()) {
        shown.insert(reading.setting);
    }
    for (const independent_rules::Name &name : independent_rules::all_names()) {
        EXPECT_TRUE(shown.contains(std::string(name.text))) << name.text;
    }
}

} // namespace
} // namespace smsim::state_space
