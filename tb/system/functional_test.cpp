// Functional execution compared with simulation in time: every example kernel gives the same bytes and counts, and
// passes the same checks; a launch of which only some CTAs are timed is complete.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/report.h"
#include "tb/support/child_process.h"
#include "tb/support/example_kernels.h"
#include "tb/support/kernel_launch.h"
#include "tb/system/kernel_outcome.h"

namespace smsim {
namespace {

using json = nlohmann::json;
using test::run_kernel;
using testing::HasSubstr;

class FunctionalKernels : public testing::TestWithParam<std::string> {};

TEST_P(FunctionalKernels, GiveTheSameBytesAndCountsAsTimedRuns) {
    const json in_time = run_kernel(GetParam(), session::TimedCtas());
    const json without = run_kernel(GetParam(), session::TimedCtas::none());
    if (!test::kOrderShows.contains(test::folder_of(GetParam()))) {
        EXPECT_TRUE(in_time["buffers"] == without["buffers"]) << "the buffers differ";
        EXPECT_EQ(in_time["printed"], without["printed"]);
    }
    if (!test::kOrderCounts.contains(test::folder_of(GetParam()))) {
        EXPECT_EQ(json::diff(in_time["counts"], without["counts"]), json::array());
        EXPECT_EQ(in_time["issues"], without["issues"]);
        EXPECT_EQ(in_time["warps"], without["warps"]);
    }
}

// --- some CTAs timed -----------------------------------------------------------------------------------------------

const std::string kMatmul = std::string(SMSIM_SOURCE_DIR) + "/kernels/compiled/cuda_matmul/launch_small_nvcc.yaml";

std::uint64_t instructions_of(const json &outcome) {
    return outcome["counts"]["warp_instructions"].get<std::uint64_t>();
}

TEST(TimedCtas, AloneAreInTheReportButAllCtasWriteTheBuffers) {
    const json whole = run_kernel(kMatmul, session::TimedCtas());
    const std::uint64_t ctas = whole["counts"]["ctas"];
    ASSERT_GE(ctas, 4U);
    for (const auto &[timed, count] : {std::pair(session::TimedCtas::from(ctas - 1), std::uint64_t{1}),
                                       std::pair(session::TimedCtas::of({{0, 0}, {2, 2}}), std::uint64_t{2}),
                                       std::pair(session::TimedCtas::of({{ctas, ctas + 7}}), std::uint64_t{0})}) {
        const json some = run_kernel(kMatmul, timed);
        EXPECT_TRUE(some["buffers"] == whole["buffers"]);
        EXPECT_EQ(some["counts"]["ctas"], count);
        EXPECT_EQ(some["untimed"][0], ctas - count);
        EXPECT_EQ(some["untimed"][1].get<std::uint64_t>() + instructions_of(some), instructions_of(whole));
    }
}

/// A launch of 8 CTAs of one warp each: each waits until the previous one has put its number into memory, in ascending
/// or descending order of their numbers, and puts its own number there.
std::string chain_launch(const test::TemporaryFolder &folder, bool descending) {
    test::write_file(folder / "chain.ptx", R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry chain(.param .u64 flag, .param .u32 flip)
{
    .reg .u32 %r<6>;
    .reg .u64 %rd<2>;
    .reg .pred %p<2>;
    ld.param.u64 %rd1, [flag];
    ld.param.u32 %r4, [flip];
    mov.u32 %r1, %ctaid.x;
    xor.b32 %r1, %r1, %r4;
WAIT:
    ld.volatile.global.u32 %r2, [%rd1];
    setp.ne.u32 %p1, %r2, %r1;
    @%p1 bra WAIT;
    add.u32 %r3, %r1, 1;
    st.volatile.global.u32 [%rd1], %r3;
    ret;
}
)");
    test::write_file(folder / "launch.yaml", fmt::format("program: chain.ptx\ngrid: 8\nblock: 1\narguments:\n"
                                                         "  - {{name: flag, type: u32, count: 1}}\n"
                                                         "  - {{name: flip, type: u32, value: {}}}\n"
                                                         "check:\n  - {{buffer: flag, values: [8]}}\n",
                                                         descending ? 7 : 0));
    return folder / "launch.yaml";
}

TEST(TimedCtas, AndFunctionalCtasMayWaitForOneAnother) {
    const test::TemporaryFolder folder;
    for (const bool descending : {false, true}) {
        const std::string launch = chain_launch(folder, descending);
        for (const session::TimedCtas &timed : {session::TimedCtas(), session::TimedCtas::none(),
                                                session::TimedCtas::of({{0, 0}, {2, 2}, {4, 4}, {6, 6}}),
                                                session::TimedCtas::of({{1, 1}, {3, 3}, {5, 5}, {7, 7}})}) {
            EXPECT_FALSE(run_kernel(launch, timed, {"l1.enabled=false"}).is_null()) << descending;
        }
    }
}

TEST(TimedCtas, RangesThatTouchOrOverlapAreOne) {
    constexpr std::uint64_t kLast = ~std::uint64_t{0};
    EXPECT_TRUE(session::TimedCtas::of({{4, kLast}, {0, 3}}).is_all());
    EXPECT_FALSE(session::TimedCtas::of({{5, kLast}, {0, 3}}).is_all());
    const session::TimedCtas set = session::TimedCtas::of({{20, 25}, {2, 5}, {4, 9}, {22, 23}});
    EXPECT_EQ(set.next(0), 2U);
    EXPECT_EQ(set.next(7), 7U);
    EXPECT_EQ(set.next(10), 20U);
    EXPECT_EQ(set.next(26), kLast);
}

TEST(TimedCtas, GiveTheSameBytesInEveryProcessOrder) {
    const test::TemporaryFolder folder;
    const std::string launch = chain_launch(folder, true);
    std::vector<std::string> reports;
    for (const bool reverse : {false, true}) {
        ASSERT_TRUE(test::run_in_child([&] {
            test::KernelLaunch loaded;
            test::load(loaded, launch, {});
            session::Options options;
            options.timed = session::TimedCtas::of({{2, 5}});
            options.reverse_order = reverse;
            const session::SimulationResult result =
                session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch, options);
            if (result.fault || result.early_end) {
                throw std::runtime_error("the launch has not ended");
            }
            RunReport report{.stats = result.stats, .config = loaded.config};
            report.untimed = result.untimed;
            test::write_file(folder / "report", to_json_text(report));
        }));
        reports.push_back(test::read_file(folder / "report"));
    }
    EXPECT_EQ(reports[0], reports[1]);
    EXPECT_THAT(reports[0], HasSubstr("\"timing\": \"some\""));
}

// --- the command ---------------------------------------------------------------------------------------------------

class FunctionalRuns : public testing::Test {
  protected:
    test::CommandResult smsim(const std::string &arguments) {
        return test::run_command_line(std::string(SMSIM_BINARY) + " " + arguments);
    }
    json report() { return json::parse(test::read_file(folder / "out/report.json")); }

    test::TemporaryFolder folder;
    const std::string kernels = std::string(SMSIM_SOURCE_DIR) + "/kernels/";
};

TEST_F(FunctionalRuns, OptionsThatNeedCyclesAreRejectedByName) {
    const std::vector<std::pair<std::string, std::string>> wishes = {
        {"--timeline t.json", "--timeline"},
        {"--vcd t.vcd", "--vcd"},
        {"--critical-path last", "--critical-path"},
        {"--what-if", "--what-if"},
        {"--timing-from 1", "--timing-from"},
        {"--timing-ctas 1", "--timing-ctas"},
        {"--record-transactions t.smtx", "recorded transactions have times"},
        {"--block-waveforms w", "waveforms of a block show cycles"},
        {"--trace t --trace-format timed", "--trace-format timed shows cycles"},
        {"--trace t --trace-fields barriers", "are events in time"},
        {"--set bru.implementation=lockstep", "bru.implementation puts RTL"},
        {"--set sm.hazard_check=true", "sm.hazard_check compares cycles"},
    };
    for (const auto &[options, what] : wishes) {
        const test::CommandResult result = smsim("run --timing none " + options + " -o " + (folder / "out") + " " +
                                                 kernels + "memory/vector_add/launch.yaml");
        EXPECT_EQ(result.status, 2) << options;
        EXPECT_THAT(result.output, HasSubstr(what));
        EXPECT_FALSE(std::filesystem::exists(folder / "out")) << options << ": found before anything was written";
    }
}

TEST_F(FunctionalRuns, AListOfCtasIsNumbersAndRanges) {
    for (const char *list : {"x", "1,", "3-2", "1-", "1;2", "1 2"}) {
        const test::CommandResult result =
            smsim(fmt::format("run --timing-ctas '{}' {}memory/vector_add/launch.yaml", list, kernels));
        EXPECT_EQ(result.status, 2) << list;
        EXPECT_THAT(result.output, HasSubstr(fmt::format("--timing-ctas {}: expected numbers of CTAs", list)));
    }
    EXPECT_EQ(smsim("run --report none --timing-ctas 2,0-1 " + kernels + "memory/vector_add/launch.yaml").status, 0);
}

TEST_F(FunctionalRuns, ASampleIsOfOneLaunchAndChoosesItsCtas) {
    const std::vector<std::pair<std::string, std::string>> wishes = {
        {"--timing sample --timing-ctas 3 " + kernels + "memory/vector_add/launch.yaml", "chooses the CTAs by itself"},
        {"--timing sample --timing-from 3 " + kernels + "memory/vector_add/launch.yaml", "chooses the CTAs by itself"},
        {"--timing sample --what-if " + kernels + "memory/vector_add/launch.yaml",
         "expected no --timing none or sample"},
        {"--timing sample " + kernels + "memory/lu_steps/steps.yaml", "these are several"},
        {"--timing-fraction 0.5 " + kernels + "memory/vector_add/launch.yaml", "expected --timing sample"},
        {"--timing sample --timing-fraction nan " + kernels + "memory/vector_add/launch.yaml", "expected a number"},
        {"--timing sample --timing-fraction 0 " + kernels + "memory/vector_add/launch.yaml", "expected a number"},
        {"--timing-from 1 --timing-ctas 2 " + kernels + "memory/vector_add/launch.yaml", "expected one"},
    };
    for (const auto &[arguments, why] : wishes) {
        const test::CommandResult result = smsim("run " + arguments);
        EXPECT_EQ(result.status, 2) << arguments;
        EXPECT_THAT(result.output, HasSubstr(why));
    }
}

TEST_F(FunctionalRuns, ASampleOfASmallGridIsAllOfIt) {
    const std::string launch = kernels + "memory/vector_add/launch.yaml";
    ASSERT_EQ(smsim("run --report none --timing sample -o " + (folder / "out") + " " + launch).status, 0);
    const json sample = report()["sample"];
    EXPECT_EQ(sample["timed_ctas"], report()["ctas"]);
    EXPECT_EQ(sample["cycles"], report()["cycles"]);
    EXPECT_EQ(sample["half_width"], 0);
    EXPECT_FALSE(report().contains("untimed"));
}

TEST_F(FunctionalRuns, AFunctionalCtaHasNoCriticalPath) {
    const std::string launch =
        " --report none --timing-ctas 1 " + kernels + "compiled/cuda_matmul/launch_small_nvcc.yaml";
    EXPECT_EQ(smsim("run --critical-path 1" + launch).status, 0);
    const test::CommandResult result = smsim("run --critical-path 2" + launch);
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.output, HasSubstr("--critical-path 2: this CTA is not simulated in time"));
}

TEST_F(FunctionalRuns, ATraceHasTheNumberOfEachInstructionAndNoCycle) {
    const std::string trace_file = folder / "trace.jsonl";
    ASSERT_EQ(smsim("run --report none --timing none --trace " + trace_file + " --trace-fields registers,memory -o " +
                    (folder / "out") + " " + kernels + "memory/vector_add/launch.yaml")
                  .status,
              0);
    std::istringstream lines(test::read_file(trace_file));
    std::uint64_t number = 0;
    for (std::string line; std::getline(lines, line); ++number) {
        const json one = json::parse(line);
        EXPECT_EQ(one["number"], number);
        EXPECT_FALSE(one.contains("cycle"));
        EXPECT_FALSE(one.contains("done"));
        EXPECT_TRUE(one.contains("registers"));
    }
    EXPECT_EQ(report()["warp_instructions"], number);
}

TEST_F(FunctionalRuns, TheDumpedStateIsThatOfTheEnd) {
    const std::string in_time = folder / "in_time";
    const std::string without = folder / "without";
    const auto lines_of = [](const std::string &file) {
        std::vector<std::string> lines;
        std::istringstream text(test::read_file(file));
        for (std::string line; std::getline(text, line);) {
            json one = json::parse(line);
            one.erase("slot");
            lines.push_back(one.dump());
        }
        std::ranges::sort(lines); // warps end in another order
        return lines;
    };
    const std::string launch = " " + kernels + "synchronisation/reduction/launch.yaml";
    ASSERT_EQ(smsim("run --report none --dump-state " + in_time + launch).status, 0);
    ASSERT_EQ(smsim("run --report none --timing none --dump-state " + without + launch).status, 0);
    EXPECT_EQ(lines_of(in_time), lines_of(without));
}

TEST_F(FunctionalRuns, TheInstructionLimitIsExact) {
    const test::CommandResult result = smsim("run --timing none --max-instructions 100 -o " + (folder / "out") + " " +
                                             kernels + "synchronisation/reduction/launch.yaml");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_EQ(report()["run"]["status"], "instruction_limit");
    EXPECT_EQ(report()["warp_instructions"], 100);
}

TEST_F(FunctionalRuns, HoldsForAllLaunchesOfAFile) {
    const test::CommandResult result =
        smsim("run --timing none -o " + (folder / "out") + " " + kernels + "memory/lu_steps/steps.yaml");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("Total (without timing)"));
    EXPECT_EQ(report()["timing"], "none");
    for (const json &launch : report()["launches"]) {
        EXPECT_TRUE(launch["cycles"].is_null());
        EXPECT_GT(launch["warp_instructions"], 0);
    }
    EXPECT_EQ(smsim("run --report none --timing none " + kernels + "control_flow/bfs_levels/steps.yaml").status, 0);
    const test::CommandResult some =
        smsim("run --timing-ctas 1 -o " + (folder / "out") + " " + kernels + "memory/lu_steps/steps.yaml");
    EXPECT_EQ(some.status, 0) << some.output;
    EXPECT_EQ(report()["timing"], "some");
}

// Like no real machine: branches of all threads as of one, barriers at which no thread waits, locks that are always
// free.
TEST_F(FunctionalRuns, ReliefsThatChangeResultsMeanTheSame) {
    for (const auto &[kernel, relief] :
         {std::pair("nested_divergence", "ideal.branches=true"), std::pair("jump_table", "ideal.branches=true"),
          std::pair("simt_stack_jump_table", "ideal.branches=true"), std::pair("reduction", "ideal.barriers=true"),
          std::pair("spin_lock_yield", "ideal.locks=true")}) {
        std::vector<json> counts;
        for (const char *timing : {"full", "none"}) {
            std::filesystem::remove_all(folder / "out");
            smsim(fmt::format("run --report none --memory-check off --timing {} --set {} -o {} {}", timing, relief,
                              folder / "out", test::example_file(std::string(kernel) + "/launch.yaml")));
            json instructions = json::array();
            for (const json &one : report()["instructions"]["all"]) {
                instructions.push_back({one["pc"], one["issues"], one["executed_lanes"]});
            }
            counts.push_back({report()["thread_instructions"], instructions});
            for (const json &branch : report()["branch_unit"]["branches"]) {
                EXPECT_TRUE(relief != std::string_view("ideal.branches=true") || branch["diverged"] == 0) << kernel;
            }
        }
        EXPECT_EQ(counts[0], counts[1]) << relief;
    }
}

TEST_F(FunctionalRuns, ABatchHasNoCycles) {
    const test::CommandResult result = smsim("batch --timing none " + kernels + "memory/vector_add/launch.yaml");
    EXPECT_EQ(result.status, 0);
    EXPECT_THAT(result.output, HasSubstr("completed                    - "));
}

TEST_F(FunctionalRuns, AReportHasNoPage) {
    ASSERT_EQ(smsim("run --report none --timing none -o " + (folder / "out") + " " + kernels +
                    "memory/vector_add/launch.yaml")
                  .status,
              0);
    const test::CommandResult result = smsim("report " + (folder / "out"));
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.output, HasSubstr("the run was without timing (--timing none), and the page shows times"));
}

INSTANTIATE_TEST_SUITE_P(All, FunctionalKernels, testing::ValuesIn(test::kernel_launches()), test::launch_name);

} // namespace
} // namespace smsim
