// Runs launch files of several launches.
#include <cstring>
#include <map>
#include <memory>
#include <queue>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/config/config.h"
#include "model/config/loader.h"
#include "session/plan_runner.h"
#include "tb/support/child_process.h"
#include "tb/support/example_kernels.h"
#include "tb/support/kernel_launch.h"

namespace smsim::session {
namespace {

using testing::ElementsAre;

/// Adds the scalar to each element of the buffer, and stores the rest of the counter.
constexpr const char *kProgram = ".kernel add\n"
                                 " S2R R0, SR_TID.X;\n MOV R1, 0x4;\n"
                                 " IMAD.WIDE.U32 R[2:3], R0, R1, c[0x0][0x160];\n LDG R4, [R[2:3]];\n"
                                 " IADD3 R4, R4, c[0x0][0x168], RZ;\n STG [R[2:3]], R4;\n EXIT;\n"
                                 ".kernel fail\n MOV R0, 0x0;\n MOV R1, 0x0;\n LDG R2, [R[0:1]];\n EXIT;\n";

class PlanTest : public testing::Test {
  protected:
    void run(const std::string &text, const std::string &program = kProgram) {
        test::write_file(folder / "k.sasm", program);
        test::write_file(folder / "plan.yaml", text);
        run_file(folder / "plan.yaml");
    }
    void run_file(const std::string &path) {
        plan = launch::load_plan(path);
        Session session(config);
        PlanHost host;
        host.program_of = [this](const launch::LaunchStep &step) {
            std::unique_ptr<Program> &program = programs[step.launch.program];
            if (!program) {
                program = std::make_unique<Program>(test::read_program(step.launch.program, config));
            }
            return std::pair<const Program *, const Kernel *>(
                program.get(),
                step.launch.kernel.empty() ? &program->kernels.at(0) : program->find_kernel(step.launch.kernel));
        };
        host.stop = [this] { return names.size() == stop_behind; };
        host.launched = [this](const PlanLaunch &launched) {
            names.push_back(launched.name + " " + std::to_string(launched.round));
            completed = launched.result.completed();
            exception = launched.result.exception;
        };
        result = run_plan(session, plan, host);
        for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
            buffers.emplace_back(plan.buffers[i].bytes());
            session.read(result.addresses.at(i), buffers.back());
        }
    }
    std::vector<std::uint32_t> words(std::size_t buffer) const {
        std::vector<std::uint32_t> values(buffers.at(buffer).size() / 4);
        std::memcpy(values.data(), buffers.at(buffer).data(), values.size() * 4);
        return values;
    }

    test::TemporaryFolder folder;
    Config config;
    std::map<std::string, std::unique_ptr<Program>> programs;
    launch::Plan plan;
    PlanResult result;
    std::vector<std::vector<std::uint8_t>> buffers; ///< at the end
    std::vector<std::string> names;
    std::size_t stop_behind = ~std::size_t{0}; ///< launches
    bool completed = false;
    std::string exception;
};

TEST_F(PlanTest, StepsRunInTheirOrderOnCommonBuffers) {
    run("program: k.sasm\n"
        "buffers:\n"
        "  - {name: a, type: u32, init: {values: [1, 2, 3, 4]}}\n"
        "  - {name: b, type: u32, count: 4}\n"
        "steps:\n"
        "  - {name: first, launch: {kernel: add, grid: 1, block: 4, arguments: [{buffer: a}, {type: u32, value: "
        "10}]}}\n"
        "  - copy: {from: a, to: b}\n"
        "  - fill: {buffer: a, offset: 1, count: 2, init: {value: 7}}\n"
        "  - check: {buffer: b, values: [11, 12, 13, 14]}\n"
        "  - launch: {kernel: add, grid: 1, block: 4, arguments: [{buffer: a}, {type: u32, value: 100}]}\n"
        "  - check: {buffer: a, values: [111, 107, 107, 999]}\n");
    EXPECT_THAT(words(0), ElementsAre(111, 107, 107, 114));
    EXPECT_THAT(words(1), ElementsAre(11, 12, 13, 14));
    EXPECT_THAT(names, ElementsAre("first 0", " 0"));
    ASSERT_EQ(result.checks.size(), 2U);
    EXPECT_TRUE(result.checks[0].result.passed());
    EXPECT_EQ(result.checks[0].launches_before, 1U);
    EXPECT_EQ(result.checks[1].result.mismatches, 1U) << "the steps after a failed check still run";
    EXPECT_EQ(result.checks[1].launches_before, 2U);
    EXPECT_EQ(result.error, "");
}

TEST_F(PlanTest, ARepeatGoesOnWhileItsElementIsNotZeroAndScalarsStep) {
    run("program: k.sasm\n"
        "buffers:\n"
        "  - {name: left, type: s32, init: {values: [3]}}\n"
        "  - {name: sum, type: u32, count: 1}\n"
        "steps:\n"
        "  - repeat:\n"
        "      at_most: 10\n"
        "      while: {buffer: left, element: 0}\n"
        "      steps:\n"
        "        - launch: {kernel: add, grid: 1, block: 1, arguments: [{buffer: left}, {type: s32, value: -1}]}\n"
        "        - launch: {kernel: add, grid: 1, block: 1, arguments: [{buffer: sum}, {type: u32, value: 5, step: "
        "2}]}\n");
    EXPECT_EQ(result.launches, 6U);
    EXPECT_THAT(words(1), ElementsAre(5 + 7 + 9));
    EXPECT_THAT(names, ElementsAre(" 0", " 0", " 1", " 1", " 2", " 2"));
    EXPECT_EQ(result.error, "");
}

TEST_F(PlanTest, ARepeatThatRunsIntoItsBoundEndsThePlan) {
    run("program: k.sasm\n"
        "buffers: [{name: a, type: u32, init: {values: [1]}}]\n"
        "steps:\n"
        "  - repeat:\n"
        "      at_most: 3\n"
        "      while: {buffer: a, element: 0}\n"
        "      steps:\n"
        "        - launch: {kernel: add, grid: 1, block: 1, arguments: [{buffer: a}, {type: u32, value: 1}]}\n"
        "  - check: {buffer: a, values: [4]}\n");
    EXPECT_EQ(result.launches, 3U);
    EXPECT_THAT(result.error, testing::HasSubstr("repeated 3 times, and element 0 of 'a' is not zero"));
    EXPECT_THAT(result.error, testing::HasSubstr("plan.yaml:4:"));
    EXPECT_TRUE(result.checks.empty());
    EXPECT_THAT(words(0), ElementsAre(4)) << "what was computed is there";
}

TEST_F(PlanTest, TheLaunchThatDoesNotCompleteIsTheLast) {
    run("program: k.sasm\n"
        "buffers: [{name: a, type: u32, count: 1}]\n"
        "steps:\n"
        "  - launch: {kernel: add, grid: 1, block: 1, arguments: [{buffer: a}, {type: u32, value: 1}]}\n"
        "  - launch: {kernel: fail, grid: 1, block: 1}\n"
        "  - launch: {kernel: add, grid: 1, block: 1, arguments: [{buffer: a}, {type: u32, value: 1}]}\n");
    EXPECT_EQ(result.launches, 2U);
    EXPECT_FALSE(completed);
    EXPECT_THAT(exception, testing::HasSubstr("kernel 'fail'"));
    EXPECT_THAT(words(0), ElementsAre(1));
}

TEST_F(PlanTest, AStopRequestTakesEffectBetweenStepsOfAnyLength) {
    stop_behind = 3;
    run("program: k.sasm\n"
        "buffers: [{name: a, type: u32, count: 1}]\n"
        "steps:\n"
        "  - repeat:\n"
        "      times: 1000\n"
        "      steps:\n"
        "        - launch: {kernel: add, grid: 1, block: 1, arguments: [{buffer: a}, {type: u32, value: 1}]}\n"
        "  - check: {buffer: a, values: [7]}\n");
    EXPECT_TRUE(result.stopped);
    EXPECT_EQ(result.launches, 3U);
    EXPECT_TRUE(result.checks.empty());
    EXPECT_THAT(words(0), ElementsAre(3));
}

TEST_F(PlanTest, ALaunchThatCannotRunIsRefusedBeforeTheFirstStep) {
    config.sm.max_threads = 32;
    EXPECT_THROW(
        run("program: k.sasm\n"
            "buffers: [{name: a, type: u32, count: 64}]\n"
            "steps:\n"
            "  - launch: {kernel: add, grid: 1, block: 1, arguments: [{buffer: a}, {type: u32, value: 1}]}\n"
            "  - launch: {kernel: add, grid: 1, block: 64, arguments: [{buffer: a}, {type: u32, value: 1}]}\n"),
        InputError);
    EXPECT_TRUE(names.empty());
}

TEST_F(PlanTest, AFileOfOneLaunchIsAPlan) {
    run_file(test::example_file("vector_add/launch.yaml"));
    EXPECT_EQ(result.launches, 1U);
    ASSERT_EQ(result.checks.size(), 1U);
    EXPECT_TRUE(result.checks[0].result.passed());
}

class PlanFiles : public PlanTest, public testing::WithParamInterface<const char *> {};

TEST_P(PlanFiles, PassTheirChecks) {
    run_file(test::example_file(std::string(GetParam()) + "/steps.yaml"));
    EXPECT_TRUE(completed) << exception;
    EXPECT_EQ(result.error, "");
    EXPECT_GE(result.launches, 40U);
    EXPECT_FALSE(result.checks.empty());
    for (const PlanCheck &check : result.checks) {
        EXPECT_TRUE(check.result.passed()) << check.result.buffer << " after " << check.launches_before << " launches";
    }
}
INSTANTIATE_TEST_SUITE_P(Kernels, PlanFiles, testing::Values("bfs_levels", "lu_steps", "cuda_floyd_warshall"));

} // namespace
} // namespace smsim::session
