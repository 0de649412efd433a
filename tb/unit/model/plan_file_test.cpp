// Launch files with several launches: what is read, what is rejected and where.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/launch/plan.h"
#include "model/text/input_file.h"
#include "tb/unit/model/launch_folder.h"

namespace smsim::launch {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kBuffers = "program: p.sasm\n"
                             "buffers:\n"
                             "  - {name: a, type: u32, count: 8}\n"
                             "  - {name: b, type: f32, count: 6}\n"
                             "  - {name: c, type: u8, count: 8}\n";
const std::string kLaunch = "  - launch: {grid: 1, block: 32}\n";

class PlanFile : public LaunchFolder {
  protected:
    Plan parse(const std::string &text) const { return parse_plan(text, path("l.yaml")); }
    std::string error_of(const std::string &text) const {
        return error_from([&] { parse(text); });
    }
    /// A plan of a launch, on line 7, and of `step`, on line 8.
    Plan with_step(const std::string &step) const {
        return parse(kBuffers + "steps:\n" + kLaunch + "  - " + step + "\n");
    }
    std::string step_error(const std::string &step) const {
        return error_from([&] { with_step(step); });
    }
    template <typename Action> Action action(const std::string &step) const {
        return std::get<Action>(with_step(step).steps.at(1).action);
    }
    std::string argument_error(const std::string &argument) const {
        return step_error("launch: {grid: 1, block: 1, arguments: [" + argument + "]}");
    }
};

TEST_F(PlanFile, SetHoldsForAllLaunches) {
    const Plan plan = parse_plan("program: p.sasm\nset: {bru.pipelines: 2}\nsteps: [{launch: {grid: 1, block: 1}}]\n",
                                 path("l.yaml"));
    ASSERT_EQ(plan.settings.size(), 1U);
    EXPECT_EQ(plan.settings[0].key, "bru.pipelines");
    EXPECT_EQ(plan.settings[0].value, "2");
}

TEST_F(PlanFile, CompileIsForTheProgramsThatAreCompiled) {
    write("k.cu", "");
    const auto text = [](const std::string &second) {
        return "program: p.sasm\ncompile: {define: {TILE: 8}, registers: 40}\nsteps: [{launch: {grid: 1, block: 1}}, "
               "{launch: {program: " +
               second + ", grid: 1, block: 1}}]\n";
    };
    const Plan plan = parse_plan(text("k.cu"), path("l.yaml"));
    EXPECT_EQ(plan.code.macros.at(0).value, "8");
    EXPECT_EQ(plan.code.registers, 40U);
    EXPECT_EQ(error_from([&] { parse_plan(text("p.sasm"), path("l.yaml")); }),
              "l.yaml:2:10: compile has options for PTX (.ptx) and CUDA C++ (.cu); the program is p.sasm");
}

TEST_F(PlanFile, StepsAreReadInTheirOrder) {
    write("want.bin", std::string(8, '\0'));
    const Plan plan = parse("program: p.sasm\n"
                            "buffers:\n"
                            "  - {name: frontier, type: u32, count: 1024, init: zeros}\n"
                            "  - {name: again, type: u32, count: 1}\n"
                            "steps:\n"
                            "  - name: search\n"
                            "    repeat:\n"
                            "      at_most: 50\n"
                            "      while: {buffer: again, element: 0}\n"
                            "      steps:\n"
                            "        - fill: {buffer: again, init: zeros}\n"
                            "        - launch:\n"
                            "            kernel: bfs_step\n"
                            "            grid: 8\n"
                            "            block: [64, 2]\n"
                            "            dynamic_shared: 1KB\n"
                            "            arguments: [{value: 1024, type: u32}, {buffer: frontier}, {buffer: again}]\n"
                            "  - check: {buffer: frontier, file: want.bin, offset: 2}\n"
                            "dump:\n"
                            "  - {buffer: again, file: f.bin}\n");
    EXPECT_EQ(plan.path, path("l.yaml"));
    ASSERT_EQ(plan.buffers.size(), 2U);
    EXPECT_EQ(plan.buffers[0].bytes(), 4096U);
    ASSERT_EQ(plan.steps.size(), 2U);
    EXPECT_EQ(plan.steps[0].name, "search");
    EXPECT_EQ(plan.steps[0].place, path("l.yaml") + ":6:5");
    const auto &repeat = std::get<RepeatStep>(plan.steps[0].action);
    EXPECT_EQ(repeat.times, 50U);
    EXPECT_EQ(repeat.condition.value().buffer, 1U);
    EXPECT_EQ(repeat.condition.value().element, 0U);
    ASSERT_EQ(repeat.steps.size(), 2U);
    EXPECT_EQ(std::get<FillStep>(repeat.steps[0].action).buffer, 1U);
    const auto &launch = std::get<LaunchStep>(repeat.steps[1].action).launch;
    EXPECT_EQ(launch.program, path("p.sasm"));
    EXPECT_EQ(launch.kernel, "bfs_step");
    EXPECT_THAT(launch.grid, ElementsAre(8U, 1U, 1U));
    EXPECT_THAT(launch.block, ElementsAre(64U, 2U, 1U));
    EXPECT_EQ(launch.dynamic_shared, 1024U);
    EXPECT_EQ(launch.arguments.size(), 3U);
    const Check &check = std::get<CheckStep>(plan.steps[1].action).check;
    EXPECT_EQ(check.argument, 0U);
    EXPECT_EQ(check.offset, 2U);
    EXPECT_EQ(check.count, 2U);
    ASSERT_EQ(plan.dumps.size(), 1U);
    EXPECT_EQ(plan.dumps[0].argument, 1U);
}

TEST_F(PlanFile, ExampleOfTheDocumentIsAPlan) {
    std::string text = text::read_file(SMSIM_SOURCE_DIR "/docs/launch-files.md", 1U << 20);
    text.erase(0, text.find("## Several launches"));
    text.erase(0, text.find("```yaml\n") + 8);
    text.erase(text.find("```"));
    for (const char *program : {"bfs.sasm", "statistics.ptx"}) {
        write(program, "");
    }
    write("graph.bin", std::string(400, '\1'));
    write("expected.bin", std::string(4096, '\0'));
    const Plan plan = parse(text);
    EXPECT_EQ(plan.steps.size(), 4U);
    EXPECT_EQ(launch_steps(plan).size(), 3U);
    EXPECT_EQ(executed_steps(plan.steps), 1U + 50U * 2U + 2U);
}

TEST_F(PlanFile, FileOfOneLaunchIsAPlanWithItsChecksAfterIt) {
    write("old.yaml", "program: p.sasm\ngrid: 2\nblock: 32\narguments:\n"
                      "  - {name: n, type: u8, value: 7}\n"
                      "  - {name: x, type: u16, init: {values: [1, 2]}}\n"
                      "  - {name: y, type: f64, count: 2}\n"
                      "check: [{buffer: y, values: [0]}, {buffer: x, values: [2], offset: 1}]\n"
                      "dump: [{buffer: y, file: y.bin}]\n");
    const Plan plan = load_plan(path("old.yaml"));
    ASSERT_EQ(plan.buffers.size(), 2U);
    EXPECT_EQ(plan.buffers[0].name, "x");
    EXPECT_THAT(initial_bytes(plan.buffers[0]), ElementsAre(1, 0, 2, 0));
    ASSERT_EQ(plan.steps.size(), 3U);
    const auto &step = std::get<LaunchStep>(plan.steps[0].action);
    EXPECT_EQ(step.launch.path, path("old.yaml"));
    EXPECT_EQ(step.launch.grid[0], 2U);
    EXPECT_TRUE(step.launch.checks.empty());
    EXPECT_TRUE(step.launch.dumps.empty());
    ASSERT_EQ(step.bindings.size(), 3U);
    EXPECT_FALSE(step.bindings[0].buffer.has_value());
    EXPECT_EQ(step.bindings[1].buffer, 0U);
    EXPECT_EQ(step.bindings[2].buffer, 1U);
    EXPECT_EQ(std::get<CheckStep>(plan.steps[1].action).check.argument, 1U);
    EXPECT_EQ(std::get<CheckStep>(plan.steps[2].action).check.argument, 0U);
    EXPECT_EQ(plan.dumps.at(0).argument, 1U);
}

TEST_F(PlanFile, EachLaunchMayNameItsOwnProgram) {
    write("q.ptx", "");
    const Plan plan =
        parse("program: p.sasm\nsteps:\n" + kLaunch + "  - launch: {program: q.ptx, grid: 1, block: 1}\n");
    const std::vector<const LaunchStep *> launches = launch_steps(plan);
    ASSERT_EQ(launches.size(), 2U);
    EXPECT_EQ(launches[0]->launch.program, path("p.sasm"));
    EXPECT_EQ(launches[1]->launch.program, path("q.ptx"));
    EXPECT_EQ(error_of("steps:\n" + kLaunch),
              "l.yaml:2:13: a launch needs the key 'program', here or at the top of the file");
    EXPECT_THAT(step_error("launch: {program: r.ptx, grid: 1, block: 1}"),
                AllOf(StartsWith("l.yaml:8:23: "), HasSubstr("does not exist")));
}

TEST_F(PlanFile, UnknownKeysNameTheNearest) {
    EXPECT_EQ(error_of("program: p.sasm\nbufers: []\nsteps: []\n"),
              "l.yaml:2:1: a launch file with steps has no key 'bufers'; did you mean 'buffers'?");
    EXPECT_EQ(step_error("lunch: {}"), "l.yaml:8:5: a step has no key 'lunch'; did you mean 'launch'?");
    EXPECT_EQ(step_error("launch: {gird: 1}"), "l.yaml:8:14: a launch has no key 'gird'; did you mean 'grid'?");
    EXPECT_THAT(step_error("copy: {form: a}"), HasSubstr("a copy has no key 'form'; did you mean 'from'?"));
    EXPECT_THAT(step_error("fill: {bufer: a}"), HasSubstr("a fill has no key 'bufer'; did you mean 'buffer'?"));
    EXPECT_THAT(step_error("repeat: {time: 1}"), HasSubstr("a repeat has no key 'time'; did you mean 'times'?"));
    EXPECT_THAT(step_error("repeat: {at_most: 1, while: {bufer: a}, steps: []}"),
                HasSubstr("the condition of a repeat has no key 'bufer'"));
    EXPECT_THAT(argument_error("{bufer: a}"), HasSubstr("an argument has no key 'bufer'; did you mean 'buffer'?"));
    EXPECT_THAT(error_of("buffers: [{nam: a}]\nsteps: []\n"), HasSubstr("a buffer has no key 'nam'"));
}

TEST_F(PlanFile, UnknownBuffersNameTheNearest) {
    const std::string buffers = "program: p.sasm\nbuffers: [{name: input, type: u8, count: 4}]\nsteps:\n" + kLaunch;
    for (const char *step :
         {"copy: {from: inptu, to: input}", "copy: {from: input, to: inptu}", "fill: {buffer: inptu}",
          "check: {buffer: inptu, values: [1]}", "launch: {grid: 1, block: 1, arguments: [{buffer: inptu}]}",
          "repeat: {at_most: 2, while: {buffer: inptu}, steps: []}"}) {
        EXPECT_THAT(error_of(buffers + "  - " + step + "\n"),
                    AllOf(StartsWith("l.yaml:5:"), HasSubstr("no buffer 'inptu'; did you mean 'input'?")))
            << step;
    }
    EXPECT_THAT(error_of(buffers + "dump: [{buffer: inptu, file: x}]\n"), HasSubstr("no buffer 'inptu'"));
}

TEST_F(PlanFile, NamesAreUsedOnce) {
    EXPECT_THAT(error_of("buffers:\n  - {name: a, type: u8, count: 1}\n  - {name: a, type: u8, count: 1}\nsteps: []\n"),
                AllOf(StartsWith("l.yaml:3:12: "), HasSubstr("a second buffer named 'a'")));
    EXPECT_THAT(error_of("program: p.sasm\nsteps:\n  - {name: s, launch: {grid: 1, block: 1}}\n"
                         "  - {name: t, repeat: {times: 1, steps: [{name: s, launch: {grid: 1, block: 1}}]}}\n"),
                AllOf(StartsWith("l.yaml:4:"), HasSubstr("a second step named 's'")));
    EXPECT_THAT(argument_error("{name: x, buffer: a}, {name: x, buffer: a}"), HasSubstr("a second argument named 'x'"));
    EXPECT_EQ(argument_error("{buffer: a}, {buffer: a}"), "no error");
}

TEST_F(PlanFile, StepIsExactlyOneAction) {
    const std::string message = "a step needs exactly one of 'launch', 'copy', 'fill', 'check' and 'repeat'";
    EXPECT_EQ(step_error("{name: x}"), "l.yaml:8:5: " + message);
    EXPECT_EQ(step_error("{fill: {buffer: a}, copy: {from: a, to: a}}"), "l.yaml:8:5: " + message);
    EXPECT_THAT(step_error("launch"), HasSubstr("a step must be a map with the keys launch, copy"));
    EXPECT_THAT(step_error("launch:"), HasSubstr("a launch must be a map with the keys program"));
}

TEST_F(PlanFile, PlanHasStepsAndALaunchAmongThem) {
    EXPECT_THAT(error_of(kBuffers), HasSubstr("a launch file with buffers needs the key 'steps'"));
    EXPECT_EQ(error_of("steps: []\n"), "l.yaml:1:8: steps must hold at least one step");
    EXPECT_EQ(error_of("steps: 3\n"), "l.yaml:1:8: steps must be a list");
    EXPECT_THAT(step_error("repeat: {times: 2, steps: []}"), HasSubstr("steps must hold at least one step"));
    EXPECT_THAT(error_of(kBuffers + "steps:\n  - fill: {buffer: a}\n"),
                HasSubstr("the steps have no launch among them"));
    EXPECT_EQ(error_of(kBuffers + "steps:\n  - repeat: {times: 2, steps: [{launch: {grid: 1, block: 1}}]}\n"),
              "no error");
}

TEST_F(PlanFile, ArgumentIsAScalarOrABuffer) {
    const Plan plan =
        with_step("launch: {grid: 1, block: 1, arguments: [{type: s16, value: -2}, {buffer: b, offset: 5}, "
                  "{name: x, buffer: c}]}");
    const auto &step = std::get<LaunchStep>(plan.steps[1].action);
    EXPECT_EQ(step.launch.path, path("l.yaml") + ":8:5");
    ASSERT_EQ(step.launch.arguments.size(), 3U);
    EXPECT_EQ(step.launch.arguments[0].name, "argument 1");
    EXPECT_EQ(std::get<std::int64_t>(step.launch.arguments[0].value), -2);
    EXPECT_EQ(step.launch.arguments[1].name, "b");
    EXPECT_EQ(step.launch.arguments[1].bytes(), 24U);
    EXPECT_EQ(step.launch.arguments[2].name, "x");
    EXPECT_FALSE(step.bindings[0].buffer.has_value());
    EXPECT_EQ(step.bindings[1].buffer, 1U);
    EXPECT_EQ(step.bindings[1].offset, 5U);
    EXPECT_EQ(step.bindings[2].buffer, 2U);
    EXPECT_THAT(argument_error("{type: u8}"), HasSubstr("needs either 'type' and 'value' (a scalar) or 'buffer'"));
    EXPECT_THAT(argument_error("{value: 8}"), HasSubstr("an argument that is a scalar needs the key 'type'"));
    EXPECT_THAT(argument_error("{buffer: a, type: u8}"), HasSubstr("an argument that is a buffer has no key 'type'"));
    EXPECT_THAT(argument_error("{type: u8, value: 1, offset: 1}"),
                HasSubstr("an argument that is a scalar has no key 'offset'"));
    EXPECT_THAT(argument_error("{buffer: a, offset: 8}"), HasSubstr("offset must be in 0..7"));
    EXPECT_THAT(argument_error("{type: u8, value: 256}"), HasSubstr("value must be in 0..255"));
    EXPECT_THAT(step_error("launch: {grid: 1, block: 1025}"), HasSubstr("block must be in 1..1024"));
    EXPECT_THAT(step_error("launch: {block: 1}"), HasSubstr("a launch needs the key 'grid'"));
}

TEST_F(PlanFile, ScalarWithAStepNeedsARepeatAroundIt) {
    EXPECT_EQ(argument_error("{type: u8, value: 1, step: 1}"),
              "l.yaml:8:72: step is added once per round of a repeat, but no repeat is around this launch");
    const std::string before = "repeat: {times: 2, steps: [{launch: {grid: 1, block: 1, arguments: [";
    EXPECT_EQ(step_error(before + "{type: u8, value: 1, step: -1}]}}]}"), "no error");
    EXPECT_THAT(step_error(before + "{type: u8, value: 1, step: 256}]}}]}"), HasSubstr("step must be in 0..255"));
    EXPECT_THAT(step_error(before + "{type: u8, value: 1, step: -129}]}}]}"), HasSubstr("step must be in -128..127"));
}

TEST_F(PlanFile, CopyTakesEqualRangesOfElementsOfOneSize) {
    const auto copy = action<CopyStep>("copy: {from: a, to: b, from_offset: 3, to_offset: 1}");
    EXPECT_EQ(copy.from, 0U);
    EXPECT_EQ(copy.to, 1U);
    EXPECT_EQ(copy.from_offset, 3U);
    EXPECT_EQ(copy.to_offset, 1U);
    EXPECT_EQ(copy.count, 5U);
    EXPECT_EQ(action<CopyStep>("copy: {from: a, to: b, count: 6}").count, 6U);
    EXPECT_EQ(step_error("copy: {from: a, to: b}"),
              "l.yaml:8:11: 'count' is needed: 'a' has 8 elements from element 0 on, 'b' has 6 from element 0 on");
    EXPECT_THAT(step_error("copy: {from: a, to: b, count: 7}"), HasSubstr("count must be in 1..6"));
    EXPECT_THAT(step_error("copy: {from: a, to: b, count: 0}"), HasSubstr("count must be in 1..6"));
    EXPECT_THAT(step_error("copy: {from: a, to: b, from_offset: 8}"), HasSubstr("from_offset must be in 0..7"));
    EXPECT_THAT(step_error("copy: {from: a, to: b, to_offset: 6}"), HasSubstr("to_offset must be in 0..5"));
    EXPECT_THAT(step_error("copy: {from: a, to: c}"), HasSubstr("different sizes: 'a' is u32, 'c' is u8"));
    EXPECT_THAT(step_error("copy: {from: a}"), HasSubstr("a copy needs the key 'to'"));
}

TEST_F(PlanFile, CopyWithinABufferMustNotOverlap) {
    EXPECT_EQ(step_error("copy: {from: a, to: a, to_offset: 4, count: 4}"), "no error");
    EXPECT_THAT(step_error("copy: {from: a, to: a, to_offset: 3, count: 4}"), HasSubstr("overlap in 'a'"));
    EXPECT_THAT(step_error("copy: {from: a, to: a, from_offset: 3, count: 4}"), HasSubstr("overlap in 'a'"));
}

TEST_F(PlanFile, FillTakesARangeOfItsBuffer) {
    EXPECT_EQ(action<FillStep>("fill: {buffer: a, offset: 3}").count, 5U);
    EXPECT_EQ(action<FillStep>("fill: {buffer: a, offset: 3, count: 2}").count, 2U);
    EXPECT_EQ(action<FillStep>("fill: {buffer: a, offset: 3, init: {values: [1, 2]}}").count, 2U);
    write("nine", "123456789");
    EXPECT_EQ(step_error("fill: {buffer: c, init: {file: nine}}"),
              "l.yaml:8:11: init gives 9 elements, but buffer 'c' has 8 from element 0 on");
    EXPECT_THAT(step_error("fill: {buffer: a, offset: 3, count: 6}"), HasSubstr("count must be in 1..5"));
    EXPECT_THAT(step_error("fill: {buffer: a, offset: 8}"), HasSubstr("offset must be in 0..7"));
    EXPECT_THAT(step_error("fill: {buffer: a, count: 3, init: {values: [1, 2]}}"),
                HasSubstr("init gives 2 elements, count says 3"));
    EXPECT_THAT(step_error("fill: {buffer: c, init: {value: 256}}"), HasSubstr("value must be in 0..255"));
}

TEST_F(PlanFile, RepeatHasACountOrAConditionWithABound) {
    const std::string steps = ", steps: [{fill: {buffer: a}}]}";
    const auto counted = action<RepeatStep>("repeat: {times: 3" + steps);
    EXPECT_EQ(counted.times, 3U);
    EXPECT_FALSE(counted.condition.has_value());
    EXPECT_EQ(action<RepeatStep>("repeat: {at_most: 3, while: {buffer: a, element: 7}" + steps).condition->element, 7U);
    for (const char *keys : {"times: 1, at_most: 1", "at_most: 1", "while: {buffer: a}", "times: 1, while: {buffer: a}",
                             "times: 1, at_most: 1, while: {buffer: a}"}) {
        EXPECT_EQ(step_error(std::string("repeat: {") + keys + steps),
                  "l.yaml:8:13: a repeat needs either 'times', or 'while' together with its bound 'at_most'")
            << keys;
    }
    EXPECT_THAT(step_error("repeat: {times: 0" + steps), HasSubstr("times must be in 1..1000000"));
    EXPECT_THAT(step_error("repeat: {at_most: 0, while: {buffer: a}" + steps), HasSubstr("at_most must be in 1.."));
    EXPECT_THAT(step_error("repeat: {at_most: 1, while: {buffer: a, element: 8}" + steps),
                HasSubstr("element must be in 0..7"));
    EXPECT_THAT(step_error("repeat: {times: 1}"), HasSubstr("a repeat needs the key 'steps'"));
}

TEST_F(PlanFile, RepeatsNestFourDeep) {
    const auto nested = [](unsigned depth) {
        std::string text = "fill: {buffer: a}";
        for (unsigned i = 0; i < depth; ++i) {
            text.insert(0, "repeat: {times: 2, steps: [{").append("}]}");
        }
        return text;
    };
    EXPECT_EQ(step_error(nested(kMaxRepeatDepth)), "no error");
    EXPECT_THAT(step_error(nested(kMaxRepeatDepth + 1)),
                AllOf(StartsWith("l.yaml:8:"), HasSubstr("more than 4 nested repeats")));
}

TEST_F(PlanFile, NumberOfStepsIsLimited) {
    std::string text = kBuffers + "steps:\n" + kLaunch;
    for (std::size_t i = 1; i < kMaxSteps; ++i) {
        text += "  - fill: {buffer: a}\n";
    }
    EXPECT_EQ(error_of(text), "no error");
    EXPECT_EQ(error_of(text + "  - fill: {buffer: a}\n"), "l.yaml:4103:5: more than 4096 steps");
}

TEST_F(PlanFile, NumberOfBuffersIsLimited) {
    std::string text = "program: p.sasm\nsteps:\n" + kLaunch + "buffers:\n";
    for (std::size_t i = 0; i < kMaxPlanBuffers; ++i) {
        text += "  - {name: b" + std::to_string(i) + ", type: u8, count: 1}\n";
    }
    EXPECT_EQ(error_of(text), "no error");
    EXPECT_EQ(error_of(text + "  - {name: c, type: u8, count: 1}\n"), "l.yaml:4101:5: more than 4096 buffers");
}

TEST_F(PlanFile, NumberOfExecutedStepsIsLimited) {
    const std::string inner = ", steps: [{fill: {buffer: a}}, {repeat: {times: 999, steps: [{fill: {buffer: a}}]}}]}";
    EXPECT_EQ(step_error("repeat: {times: 999" + inner), "no error");
    EXPECT_EQ(step_error("repeat: {times: 1001" + inner),
              "l.yaml:8:13: up to 1001000 steps would be executed; at most 1000000 are possible");
    EXPECT_EQ(step_error("repeat: {at_most: 1000, while: {buffer: a}" + inner),
              "l.yaml:7:3: up to 1000001 steps would be executed; at most 1000000 are possible");
}

} // namespace
} // namespace smsim::launch
