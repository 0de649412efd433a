// Launches that continue in time where functional execution has left them (docs/estimate.md "From an instruction
// on"): every example kernel, cuts at every point of one that uses all transferred state, and the options.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/report.h"
#include "tb/support/child_process.h"
#include "tb/support/kernel_launch.h"
#include "tb/system/kernel_outcome.h"

namespace smsim {
namespace {

using json = nlohmann::json;
using session::TimedCtas;
using test::run_kernel;
using testing::HasSubstr;

std::uint64_t instructions_of(const json &outcome) {
    return outcome["counts"]["warp_instructions"].get<std::uint64_t>();
}

// --- the example kernels -------------------------------------------------------------------------------------------

class KernelsInMidFlight : public testing::TestWithParam<std::string> {};

TEST_P(KernelsInMidFlight, LeaveTheSameBytesAndCountsFromAnyInstructionOn) {
    const std::string folder = test::folder_of(GetParam());
    const json without = run_kernel(GetParam(), TimedCtas::none());
    ASSERT_FALSE(without.is_null());
    const std::uint64_t total = instructions_of(without);
    for (const std::uint64_t quarter : {1, 2, 3}) {
        const std::uint64_t cut = total * quarter / 4;
        const json some = run_kernel(GetParam(), TimedCtas::from_instruction(cut));
        ASSERT_FALSE(some.is_null()) << "in time from instruction " << cut;
        EXPECT_EQ(some["untimed"][1], cut);
        EXPECT_EQ(some["untimed"][0].get<std::uint64_t>() + some["counts"]["ctas"].get<std::uint64_t>(),
                  without["counts"]["ctas"]);
        if (!test::kOrderShows.contains(folder)) {
            EXPECT_TRUE(some["buffers"] == without["buffers"])
                << "the buffers differ from instruction " << cut << " on";
        }
        if (!test::kOrderCounts.contains(folder)) {
            EXPECT_EQ(cut + instructions_of(some), total);
            EXPECT_EQ(some["printed"], without["printed"]);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, KernelsInMidFlight, testing::ValuesIn(test::kernel_launches()), test::launch_name);

// --- cuts everywhere -----------------------------------------------------------------------------------------------

/// Writes a launch of `ctas` CTAs of `threads` threads: `code` gets the number of its thread in R2, the address of its
/// word of `out` in R[4:5], and that of `done`, to which every thread adds 1, in R[14:15].
std::string write_launch(const test::TemporaryFolder &folder, const std::string &name, const std::string &code,
                         unsigned ctas, unsigned threads) {
    test::write_file(folder / (name + ".sasm"),
                     ".kernel k\n.registers 24\n.shared 0x400\n.local 64\n"
                     " S2R R0, SR_TID.X;\n S2R R1, SR_CTAID.X;\n MOV R3, c[0x0][0x0];\n IMAD R2, R1, R3, R0;\n"
                     " MOV R3, 0x4;\n IMAD.WIDE.U32 R[4:5], R2, R3, c[0x0][0x160];\n"
                     " MOV R14, c[0x0][0x168];\n MOV R15, c[0x0][0x16c];\n MOV R3, 0x1;\n" +
                         code);
    test::write_file(folder / (name + ".yaml"), fmt::format("program: {}.sasm\ngrid: {}\nblock: {}\narguments:\n"
                                                            "  - {{name: out, type: u32, count: {}}}\n"
                                                            "  - {{name: done, type: u32, count: 1}}\n"
                                                            "check:\n  - {{buffer: done, values: [{}]}}\n",
                                                            name, ctas, threads, ctas * threads, ctas * threads));
    return folder / (name + ".yaml");
}

/// Five warps: the last ends early, the first sleeps, and the others meet them at all kinds of barriers: of all alive
/// warps, with arrivals that do not wait, and a reduction. Shared memory, local memory and a divergence hold values
/// from start to end.
const std::string kTeam = R"(
    ISETP.GE.U32.AND P0, PT, R0, 0x80, PT;
    ISETP.LT.U32.AND P1, PT, R0, 0x20, PT;
    ISETP.LT.U32.AND P3, PT, R0, 0x40, PT;
    LOP3 R8, R0, 0x1, RZ, 0xc0;
    ISETP.NE.AND P2, PT, R8, RZ, PT;
    SHL R7, R0, 0x2;
    STL [RZ+0x4], R2;
    STS [R7], R2;
    @P0 STG [R[4:5]], R2;
    @P0 RED.ADD [R[14:15]], R3;
    @P0 EXIT;
    @P1 NANOSLEEP 0x100;
    BSSY B0, meet;
    @P2 BRA odd;
    IADD3 R9, R2, 0x100, RZ;
    BRA meet;
odd:
    IADD3 R9, R2, 0x200, RZ;
    NANOSLEEP 0x40;
    IADD3 R9, R9, 0x1, RZ;
meet:
    BSYNC B0;
    BAR.SYNC 0x0;
    LOP3 R10, R7, 0x80, RZ, 0x3c;
    LDS R10, [R10];
    @P3 BRA.U arrive;
    BAR.SYNC 0x1, 0x80;
    BRA.U ask;
arrive:
    BAR.ARV 0x1, 0x80;
ask:
    BAR.RED.POPC 0x2, P2;
    B2R.RESULT R11, PT;
    LDL R12, [RZ+0x4];
    IADD3 R9, R9, R10, R11;
    SHL R12, R12, 0xa;
    IADD3 R9, R9, R12, RZ;
    STG [R[4:5]], R9;
    RED.ADD [R[14:15]], R3;
    EXIT;
)";

/// An SM so small that CTAs begin before, at, and after any cut.
const std::vector<std::string> kSmall = {"sm.max_ctas=2"};

TEST(MidFlight, EveryCutOfATeamOfWarpsIsWhole) {
    const test::TemporaryFolder folder;
    const std::string launch = write_launch(folder, "team", kTeam, 4, 160);
    const json whole = run_kernel(launch, TimedCtas(), kSmall);
    ASSERT_FALSE(whole.is_null());
    const std::uint64_t total = instructions_of(whole);
    for (std::uint64_t cut = 1; cut < total; cut += 7) {
        const json some = run_kernel(launch, TimedCtas::from_instruction(cut), kSmall);
        ASSERT_FALSE(some.is_null()) << "cut at " << cut;
        EXPECT_TRUE(some["buffers"] == whole["buffers"]) << "cut at " << cut;
        EXPECT_EQ(cut + instructions_of(some), total);
    }
}

TEST(MidFlight, ResultsAreReadyForTheHazardChecker) {
    const test::TemporaryFolder folder;
    const std::string launch = write_launch(folder, "team", kTeam, 4, 160);
    for (const std::uint64_t cut : {40, 200, 333}) {
        EXPECT_FALSE(run_kernel(launch, TimedCtas::from_instruction(cut), {"sm.hazard_check=true"}).is_null());
    }
}

/// Threads that see the clock go back store their number there.
TEST(MidFlight, TheClockDoesNotGoBack) {
    const test::TemporaryFolder folder;
    const std::string code = R"(
    S2R R8, SR_CLOCKLO;
    MOV R9, 0x100;
again:
    S2R R10, SR_CLOCKLO;
    ISETP.LT.U32.AND P0, PT, R10, R8, PT;
    @P0 STG [R[4:5]], R10;
    MOV R8, R10;
    IADD3 R9, R9, -0x1, RZ;
    ISETP.NE.AND P1, PT, R9, RZ, PT;
    @P1 BRA again;
    RED.ADD [R[14:15]], R3;
    EXIT;
)";
    const std::string launch = write_launch(folder, "clock", code, 2, 256);
    const json without = run_kernel(launch, TimedCtas::none());
    for (const std::uint64_t quarter : {1, 2, 3}) {
        const json some = run_kernel(launch, TimedCtas::from_instruction(instructions_of(without) * quarter / 4));
        EXPECT_TRUE(some["buffers"] == without["buffers"]) << "at " << quarter << " quarters";
    }
}

TEST(MidFlight, DeadlocksAreDetectedBeforeAndAfterTheCut) {
    const test::TemporaryFolder folder;
    const std::string launch = write_launch(folder, "stuck", " BAR.SYNC 0x0, 0x40;\n EXIT;\n", 1, 32);
    for (const std::uint64_t cut : {10, 11}) { // the arrival is instruction 10
        ASSERT_TRUE(test::run_in_child([&] {
            test::KernelLaunch loaded;
            test::load(loaded, launch, {});
            session::Options options;
            options.timed = TimedCtas::from_instruction(cut);
            const session::SimulationResult result =
                session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch, options);
            if (result.fault != Fault::kBarrierDeadlock ||
                result.exception.find("blocked here: 0") == std::string::npos) {
                throw std::runtime_error("no deadlock, but " + result.exception);
            }
        })) << cut;
    }
}

/// A report of a launch, cut halfway.
std::size_t lines_of(const std::string &file) {
    return static_cast<std::size_t>(std::ranges::count(test::read_file(file), '\n'));
}

std::string report_text(const test::TemporaryFolder &folder, const std::string &launch, bool reverse) {
    EXPECT_TRUE(test::run_in_child([&] {
        test::KernelLaunch loaded;
        test::load(loaded, launch, kSmall);
        session::Options options;
        options.timed = TimedCtas::from_instruction(333);
        options.reverse_order = reverse;
        const session::SimulationResult result =
            session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch, options);
        test::expect_checked(loaded, result);
        RunReport report{.stats = result.stats, .config = loaded.config};
        report.untimed = result.untimed;
        test::write_file(folder / "report", to_json_text(report));
    }));
    return test::read_file(folder / "report");
}

TEST(MidFlight, TheReportIsTheSameInEveryProcessOrder) {
    const test::TemporaryFolder folder;
    const std::string launch = write_launch(folder, "team", kTeam, 4, 160);
    const std::string report = report_text(folder, launch, false);
    EXPECT_EQ(report, report_text(folder, launch, true));
    EXPECT_THAT(report, HasSubstr("\"timing\": \"some\""));
}

// --- the command ---------------------------------------------------------------------------------------------------

class MidFlightOption : public testing::Test {
  protected:
    /// Runs with --timing-from `place`, or without it if that is empty, into folder `name`.
    test::CommandResult run(const std::string &place, const std::string &more, const std::string &name = "out") {
        return test::run_command_line(fmt::format("{} run --report none {} -o {} {}", SMSIM_BINARY,
                                                  place.empty() ? "" : fmt::format("--timing-from '{}'", place),
                                                  folder / name, more));
    }
    json report(const std::string &name = "out") {
        return json::parse(test::read_file(folder / (name + "/report.json")));
    }

    test::TemporaryFolder folder;
    const std::string kernels = std::string(SMSIM_SOURCE_DIR) + "/kernels/";
};

TEST_F(MidFlightOption, IsTheNumberOfACtaOrOfAnInstruction) {
    for (const char *place : {"instruction:", "instruction:x", "instruction:-1", "instruction:1x", "instruction: 1",
                              "x", "-1", "1.5", "cta:1", "instruction:18446744073709551616", "18446744073709551616"}) {
        const test::CommandResult result = run(place, kernels + "memory/vector_add/launch.yaml");
        EXPECT_EQ(result.status, 2) << place;
        EXPECT_THAT(result.output, HasSubstr("--timing-from"));
        EXPECT_THAT(result.output, HasSubstr("expected ")) << place;
        EXPECT_FALSE(std::filesystem::exists(folder / "out"));
    }
    EXPECT_THAT(run("", "--timing-from '' " + kernels + "memory/vector_add/launch.yaml").output,
                HasSubstr("--timing-from: the value is empty"));
    EXPECT_THAT(
        run("instruction:x", kernels + "memory/vector_add/launch.yaml").output,
        HasSubstr("--timing-from 'instruction:x': expected the number of a CTA, or instruction:N to start after N "
                  "warp instructions"));
    EXPECT_THAT(run("instruction:18446744073709551616", kernels + "memory/vector_add/launch.yaml").output,
                HasSubstr("expected a number below 2^64"));
}

TEST_F(MidFlightOption, FromInstruction0EverythingIsInTime) {
    const std::string launch = kernels + "synchronisation/reduction/launch.yaml";
    ASSERT_EQ(run("", launch, "whole").status, 0);
    ASSERT_EQ(run("instruction:0", launch, "from_0").status, 0);
    for (const char *file : {"/report.json", "/report.txt", "/config.yaml"}) {
        EXPECT_EQ(test::read_file(folder / ("whole" + std::string(file))),
                  test::read_file(folder / ("from_0" + std::string(file))))
            << file;
    }
}

TEST_F(MidFlightOption, PastTheEndNothingIsTimed) {
    const std::string launch = kernels + "synchronisation/reduction/launch.yaml";
    ASSERT_EQ(run("instruction:18446744073709551615", launch).status, 0);
    const json behind = report();
    EXPECT_EQ(behind["cycles"], 0);
    EXPECT_EQ(behind["ctas"], 0);
    std::filesystem::remove_all(folder / "out");
    ASSERT_EQ(run("", "--timing none " + launch).status, 0);
    EXPECT_EQ(behind["untimed"]["ctas"], report()["ctas"]);
    EXPECT_EQ(behind["untimed"]["warp_instructions"], report()["warp_instructions"]);
    EXPECT_EQ(behind["untimed"]["thread_instructions"], report()["thread_instructions"]);
    EXPECT_EQ(behind["checks"], report()["checks"]);
}

TEST_F(MidFlightOption, TheRestOfASteadyLaunchTakesItsShareOfTheCycles) {
    const std::string launch = kernels + "compiled/cuda_matmul/launch_nvcc.yaml";
    ASSERT_EQ(run("", launch, "whole").status, 0);
    const json whole = report("whole");
    const std::uint64_t half = whole["warp_instructions"].get<std::uint64_t>() / 2;
    ASSERT_EQ(run(fmt::format("instruction:{}", half), launch).status, 0);
    const double share = report()["cycles"].get<double>() / whole["cycles"].get<double>();
    EXPECT_GT(share, 0.4);
    EXPECT_LT(share, 0.6);
    EXPECT_EQ(report()["timing"], "some");
}

TEST_F(MidFlightOption, HoldsForEachLaunchOfAFileAndForABatch) {
    for (const unsigned cut : {5U, 50U, 300U}) { // with the last two some launches end before it
        ASSERT_EQ(run(fmt::format("instruction:{}", cut), kernels + "memory/lu_steps/steps.yaml").status, 0) << cut;
        for (const json &launch : report()["launches"]) {
            const unsigned before = launch["untimed"]["warp_instructions"];
            EXPECT_TRUE(before == cut || (before < cut && launch["warp_instructions"] == 0)) << before;
        }
        std::filesystem::remove_all(folder / "out");
    }
    const test::CommandResult batch = test::run_command_line(fmt::format(
        "{} batch --timing-from instruction:100 {}synchronisation/reduction/launch.yaml", SMSIM_BINARY, kernels));
    EXPECT_EQ(batch.status, 0);
    EXPECT_THAT(batch.output, HasSubstr("completed"));
}

TEST_F(MidFlightOption, ObserversOfTheTimedPartSeeIt) {
    const std::string launch = write_launch(folder, "team", kTeam, 4, 160);
    for (const std::string &wish :
         {"--timeline " + (folder / "t.json"), "--timeline " + (folder / "t.kanata"), "--vcd " + (folder / "t.vcd"),
          "--trace " + (folder / "t.jsonl"), "--trace " + (folder / "f.jsonl") + " --trace-fields all",
          "--trace " + (folder / "t.txt") + " --trace-format control", "--dump-state " + (folder / "t.state")}) {
        const test::CommandResult result = run("instruction:200", wish + " " + launch);
        EXPECT_EQ(result.status, 0) << wish << result.output;
        std::filesystem::remove_all(folder / "out");
    }
    for (const char *file : {"t.json", "t.kanata", "t.vcd", "f.jsonl", "t.txt", "t.state"}) {
        EXPECT_GT(std::filesystem::file_size(folder / file), 200U) << file << " is not empty";
    }
    EXPECT_GT(lines_of(folder / "f.jsonl"), lines_of(folder / "t.jsonl")) << "with events besides the instructions";
    std::istringstream lines(test::read_file(folder / "t.jsonl"));
    std::uint64_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        EXPECT_TRUE(json::parse(line).contains("cycle"));
    }
    ASSERT_EQ(run("instruction:200", launch).status, 0);
    EXPECT_EQ(report()["warp_instructions"], count) << "those in time, and no other";
}

TEST_F(MidFlightOption, PartsThatCannotTakeOverAStateAreRejectedByName) {
    const std::vector<std::pair<std::string, std::string>> wishes = {
        {"--record-transactions t.smtx", "recorded transactions begin with the starts of warps"},
        {"--critical-path last", "--critical-path follows a CTA from its beginning"},
        {"--what-if", "--timing-from"},
        {"--timing none", "--timing-from"},
        {"--timing sample", "chooses the CTAs by itself"},
        {"--timing-ctas 1", "expected one"},
        {"--set bru.implementation=lockstep", "bru.implementation puts RTL"},
        {"--set bcu.implementation=rtl", "bcu.implementation puts RTL"},
        {"--set shared.implementation=rtl", "shared.implementation puts RTL"},
    };
    for (const auto &[options, why] : wishes) {
        const test::CommandResult result =
            run("instruction:5", options + " " + kernels + "memory/vector_add/launch.yaml");
        EXPECT_EQ(result.status, 2) << options;
        EXPECT_THAT(result.output, HasSubstr(why));
        EXPECT_FALSE(std::filesystem::exists(folder / "out")) << options << ": found before anything was written";
    }
}

TEST_F(MidFlightOption, AnExceptionBeforeTheCutHasTheMessageOfAFunctionalRun) {
    const std::string launch = write_launch(folder, "wrong", " STG [RZ], R2;\n EXIT;\n", 1, 32);
    const test::CommandResult before = run("instruction:100", launch);
    EXPECT_EQ(before.status, 3);
    std::filesystem::remove_all(folder / "out");
    EXPECT_EQ(before.output, run("", "--timing none " + launch).output);
    std::filesystem::remove_all(folder / "out");
    const test::CommandResult behind = run("instruction:5", launch);
    EXPECT_EQ(behind.status, 3);
    EXPECT_THAT(behind.output, HasSubstr("IllegalAddress"));
}

} // namespace
} // namespace smsim
