// The meaning of a plan's steps: bytes written by fills, arguments by round, conditions, files that are read.
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/launch/layout.h"
#include "model/launch/plan.h"
#include "tb/unit/model/launch_folder.h"

namespace smsim::launch {
namespace {

using ::testing::ElementsAre;

class PlanMeaning : public LaunchFolder {
  protected:
    Plan parse(const std::string &buffers, const std::string &steps) const {
        return parse_plan("program: p.sasm\nbuffers: [" + buffers + "]\nsteps: [" + steps + "]\n", path("l.yaml"));
    }
    /// A plan with one launch in a repeat, which has `argument`.
    Launch in_round(const std::string &argument, std::uint64_t round) const {
        const Plan plan =
            parse("", "{repeat: {times: 2, steps: [{launch: {grid: 1, block: 1, arguments: [" + argument + "]}}]}}");
        return launch_at(*launch_steps(plan).at(0), round);
    }
    /// The fill of `init` into elements 1.. of a buffer.
    std::vector<std::uint8_t> filled(const std::string &buffer, const std::string &fill) const {
        const Plan plan = parse("{name: a, " + buffer + "}",
                                "{launch: {grid: 1, block: 1}}, {fill: {buffer: a, offset: 1, " + fill + "}}");
        return fill_bytes(plan, std::get<FillStep>(plan.steps.at(1).action));
    }
    bool condition_holds(const std::string &type, const std::vector<std::uint8_t> &element) const {
        const Plan plan = parse("{name: a, count: 1, type: " + type + "}",
                                "{repeat: {at_most: 2, while: {buffer: a}, steps: [{launch: {grid: 1, block: 1}}]}}");
        return holds(plan, std::get<RepeatStep>(plan.steps.at(0).action).condition.value(), element);
    }
};

TEST_F(PlanMeaning, ScalarWithAStepGrowsByItEachRound) {
    const std::string counter = "{type: u32, value: 3, step: 2}, {type: u8, value: 9}";
    EXPECT_EQ(std::get<std::uint64_t>(in_round(counter, 0).arguments[0].value), 3U);
    EXPECT_EQ(std::get<std::uint64_t>(in_round(counter, 4).arguments[0].value), 11U);
    EXPECT_EQ(std::get<std::uint64_t>(in_round(counter, 4).arguments[1].value), 9U);
    EXPECT_THAT(parameter_bytes(in_round(counter, 1), std::vector<std::uint64_t>(2)), ElementsAre(5, 0, 0, 0, 9));
    EXPECT_EQ(std::get<double>(in_round("{type: f32, value: 0.1, step: 0.2}", 3).arguments[0].value),
              static_cast<double>(static_cast<float>(double{0.1F} + double{0.2F} * 3)));
}

TEST_F(PlanMeaning, IntegerScalarsWrapAtTheirWidth) {
    EXPECT_EQ(std::get<std::uint64_t>(in_round("{type: u8, value: 250, step: 3}", 2).arguments[0].value), 0U);
    EXPECT_EQ(std::get<std::uint64_t>(in_round("{type: u32, value: 1, step: -1}", 2).arguments[0].value), 0xffffffffU);
    EXPECT_EQ(std::get<std::int64_t>(in_round("{type: s8, value: 127, step: 1}", 1).arguments[0].value), -128);
    EXPECT_EQ(std::get<std::int64_t>(in_round("{type: s64, value: 0x7fffffffffffffff, step: 1}", 1).arguments[0].value),
              std::numeric_limits<std::int64_t>::min());
}

TEST_F(PlanMeaning, ArgumentsPointToTheirElementOfTheBuffer) {
    const Plan plan = parse("{name: a, type: u32, count: 8}, {name: b, type: u16, count: 8}",
                            "{launch: {grid: 1, block: 1, arguments: [{buffer: b, offset: 3}, {type: u8, value: 1}, "
                            "{buffer: a}, {buffer: b}]}}");
    const LaunchStep &step = *launch_steps(plan).at(0);
    const std::vector<std::uint64_t> buffers = {0x1000, 0x2000};
    EXPECT_THAT(argument_addresses(plan, step, buffers), ElementsAre(0x2006U, 0U, 0x1000U, 0x2000U));
    EXPECT_EQ(byte_offset(plan, 0, 3), 12U);
    EXPECT_THROW(argument_addresses(plan, step, std::vector<std::uint64_t>(4)), std::invalid_argument);
}

TEST_F(PlanMeaning, BuffersOfASingleLaunchLieWhereTheyLieForTheLaunch) {
    const Launch launch = parse_launch("program: p.sasm\ngrid: 1\nblock: 1\narguments:\n"
                                       "  - {name: a, type: u8, count: 3}\n  - {name: n, type: u8, value: 1}\n"
                                       "  - {name: b, type: f64, count: 9000}\n  - {name: c, type: u8, count: 1}\n",
                                       path("l.yaml"));
    const BufferLayout alone = lay_out_buffers(launch);
    const Plan plan = plan_of(launch);
    const BufferLayout shared = lay_out_buffers(plan.buffers);
    EXPECT_EQ(argument_addresses(plan, *launch_steps(plan).at(0), shared.addresses), alone.addresses);
    EXPECT_EQ(shared.end, alone.end);
}

TEST_F(PlanMeaning, FillWritesItsContentsFromItsOffsetOn) {
    EXPECT_THAT(filled("type: u8, count: 4", "init: zeros"), ElementsAre(0, 0, 0));
    EXPECT_THAT(filled("type: u16, count: 3", "init: {value: 258}"), ElementsAre(2, 1, 2, 1));
    EXPECT_THAT(filled("type: u8, count: 4", "init: {pattern: {start: 5, step: 2}}"), ElementsAre(5, 7, 9));
    EXPECT_THAT(filled("type: u8, count: 9", "init: {values: [4, 5]}"), ElementsAre(4, 5));
    EXPECT_THAT(filled("type: u64, count: 2", "init: {seed: 1234567, low: 0, high: 0xffffffffffffffff}"),
                bytes_of<std::uint64_t>({6457827717110365317ULL}));
    write("data", "xy");
    EXPECT_THAT(filled("type: u8, count: 9", "init: {file: data}"), ElementsAre('x', 'y'));
}

TEST_F(PlanMeaning, FillNoticesThatItsFileChangedItsSize) {
    write("data", "xy");
    const Plan plan = parse("{name: a, type: u8, count: 2}",
                            "{launch: {grid: 1, block: 1}}, {fill: {buffer: a, init: {file: data}}}");
    write("data", "xyz");
    EXPECT_EQ(error_from([&] { fill_bytes(plan, std::get<FillStep>(plan.steps.at(1).action)); }).substr(0, 12),
              "l.yaml:3:47:");
}

TEST_F(PlanMeaning, CheckOfAPlanComparesItsBuffer) {
    const Plan plan = parse("{name: a, type: u8, count: 1}, {name: b, type: u16, count: 3}",
                            "{launch: {grid: 1, block: 1}}, {check: {buffer: b, values: [7, 8], offset: 1}}");
    const Check &check = std::get<CheckStep>(plan.steps.at(1).action).check;
    const CheckResult result = check_buffer(plan.buffers.at(check.argument), check, bytes_of<std::uint16_t>({9, 7, 9}));
    EXPECT_EQ(result.buffer, "b");
    EXPECT_EQ(result.compared, 2U);
    EXPECT_EQ(result.mismatches, 1U);
}

TEST_F(PlanMeaning, ConditionHoldsForNonzeroValues) {
    EXPECT_FALSE(condition_holds("u32", {0, 0, 0, 0}));
    EXPECT_TRUE(condition_holds("u32", {0, 0, 0, 1}));
    EXPECT_TRUE(condition_holds("s8", {0x80}));
    EXPECT_FALSE(condition_holds("f32", bytes_of<float>({-0.0F})));
    EXPECT_TRUE(condition_holds("f64", bytes_of<double>({std::numeric_limits<double>::denorm_min()})));
    EXPECT_TRUE(condition_holds("f32", bytes_of<float>({std::numeric_limits<float>::quiet_NaN()})));
    EXPECT_THROW(condition_holds("u32", {0}), std::invalid_argument);
}

TEST_F(PlanMeaning, ExecutedStepsCountEachRound) {
    const Plan plan = parse("{name: a, type: u8, count: 1}",
                            "{launch: {grid: 1, block: 1}}, {repeat: {at_most: 5, while: {buffer: a}, steps: ["
                            "{fill: {buffer: a}}, {repeat: {times: 3, steps: [{launch: {grid: 1, block: 1}}]}}]}}");
    EXPECT_EQ(executed_launches(plan.steps), 1U + 5U * 3U);
    EXPECT_EQ(executed_steps(plan.steps), 1U + 5U * (1U + 3U));
}

TEST_F(PlanMeaning, DataFilesAreListedOnce) {
    for (const char *name : {"i", "f", "c"}) {
        write(name, "x");
    }
    const Plan plan =
        parse("{name: a, type: u8, init: {file: i}}",
              "{launch: {grid: 1, block: 1}}, {repeat: {times: 2, steps: [{fill: {buffer: a, init: {file: "
              "f}}}, {fill: {buffer: a, init: {file: i}}}]}}, {check: {buffer: a, file: c}}");
    EXPECT_THAT(data_files(plan), ElementsAre(path("i"), path("f"), path("c")));
}

} // namespace
} // namespace smsim::launch
