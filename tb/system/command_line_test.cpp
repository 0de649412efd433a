// The program as a command: what a user gets for bad input and for programs that fail. Each case gives one clear
// message with its place and a non-zero status, and no computed results are lost. exceptions_test.cpp tests the
// exceptions one by one.
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tb/support/child_process.h"

namespace smsim {
namespace {

using test::CommandResult;
using test::read_file;
using test::write_file;
using testing::HasSubstr;
using testing::Not;

/// A folder with a program and a launch file, and the program `smsim` to run them.
class CommandLine : public testing::Test {
  protected:
    void program(const std::string &text) { write_file(folder / "kernel.sasm", text); }
    void launch(const std::string &more = "", const std::string &block = "32") {
        write_file(folder / "launch.yaml", "program: kernel.sasm\ngrid: 1\nblock: " + block + "\n" + more);
    }
    /// A program that writes one word, with a launch that dumps it.
    void dumping() {
        program(".kernel k\n MOV R0, 0x2a;\n LDC.64 R[2:3], c[0x0][0x160];\n STG [R[2:3]], R0;\n EXIT;\n");
        launch(
            "arguments:\n  - {name: out, type: u32, count: 1, init: zeros}\ndump:\n  - {buffer: out, file: out.bin}\n");
    }
    CommandResult run(const std::string &options = "") {
        return test::run_command_line(std::string(SMSIM_BINARY) + " run " + (folder / "launch.yaml") + " -o " +
                                      (folder / "out") + " " + options);
    }
    nlohmann::json report() { return nlohmann::json::parse(read_file(folder / "out/report.json")); }

    /// Exactly one message, which contains all of `parts`.
    static void expect_refused(const CommandResult &result, int status, const std::vector<std::string> &parts) {
        EXPECT_EQ(result.status, status) << result.output;
        for (const std::string &part : parts) {
            EXPECT_THAT(result.output, HasSubstr(part));
        }
    }

    static constexpr int kBadInput = 2;
    static constexpr int kException = 3;

    test::TemporaryFolder folder;
};

TEST_F(CommandLine, RunThatSucceedsHasStatusZero) {
    program(".kernel k\n MOV R0, 0x2a;\n LDC.64 R[2:3], c[0x0][0x160];\n STG [R[2:3]], R0;\n EXIT;\n");
    launch("arguments:\n  - {name: out, type: u32, count: 1, init: zeros}\ncheck:\n  - {buffer: out, values: "
           "[42]}\ndump:\n  - {buffer: out, file: out.bin}\n");
    const CommandResult result = run();
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_EQ(report()["run"]["status"], "completed");
    EXPECT_EQ(read_file(folder / "out/out.bin"), std::string("\x2a\0\0\0", 4));
}

TEST_F(CommandLine, AKernelReadsTheLastOfAllArgumentsThatItMayHave) {
    program(".kernel k\n.parameters 32764\n LDC.64 R[2:3], c[0x0][0x160];\n LDC R0, c[0x0][0x8158];\n"
            " STG [R[2:3]], R0;\n MOV R1, c[0x0][0x8158];\n STG [R[2:3]+0x4], R1;\n EXIT;\n");
    std::string arguments = "arguments:\n  - {name: out, type: u32, count: 2}\n";
    for (int i = 0; i < 4094; ++i) {
        arguments += fmt::format("  - {{name: s{}, type: u64, value: {}}}\n", i, i);
    }
    launch(arguments + "  - {name: last, type: u32, value: 77}\ncheck:\n  - {buffer: out, values: [77, 77]}\n");
    for (const char *options : {"", "--timing none"}) {
        const CommandResult result = run(options);
        EXPECT_EQ(result.status, 0) << options << result.output;
    }
}

TEST_F(CommandLine, EachLineOfAListIsAConfigurationOfItsOwn) {
    write_file(folder / "config.yaml", "ibuffer: {depth: 5}\nbru: {sync_latency: 9}\n");
    write_file(folder / "list", "[]\n[\"ibuffer.depth=4\", \"bru.sync_latency=7\"]\n[\"sm.max_cta=3\"]\n");
    const std::string command =
        std::string(SMSIM_BINARY) + " config -c " + (folder / "config.yaml") + " --set bru.sync_latency=8";
    const CommandResult result = test::run_command_line(command + " --each " + (folder / "list"));
    EXPECT_EQ(result.status, 0) << result.output;
    std::istringstream lines(result.output);
    std::vector<nlohmann::json> found;
    for (std::string line; std::getline(lines, line);) {
        found.push_back(nlohmann::json::parse(line));
    }
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[0], nlohmann::json::parse(test::run_command_line(command + " --json").output));
    EXPECT_EQ(found[1]["ibuffer"]["depth"], 4);
    EXPECT_EQ(found[1]["bru"]["sync_latency"], 7);
    EXPECT_THAT(found[2]["refused"].get<std::string>(), HasSubstr("unknown key 'sm.max_cta'"));

    write_file(folder / "list", "[]\n{\"ibuffer.depth\": 4}\n");
    expect_refused(test::run_command_line(command + " --each " + (folder / "list")), kBadInput,
                   {"list:2: expected a list of settings in JSON"});
    expect_refused(test::run_command_line(command + " --schema --each " + (folder / "list")), kBadInput,
                   {"--each lists configurations and --schema keys; give one of them"});
}

TEST_F(CommandLine, MemoryCheckReportsAccessesOutsideBuffersEvenWithoutAReport) {
    program(".kernel k\n LDC.64 R[2:3], c[0x0][0x160];\n LDG R0, [R[2:3]+0x10];\n EXIT;\n");
    launch("arguments:\n  - {name: out, type: u32, count: 4}\n");
    EXPECT_EQ(run("--report none").status, kException);
    const CommandResult result = run("--report none --memory-check report");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("smsim: warning: 32 accesses of threads outside every buffer were performed:\n"
                                         "  pc 0x0010 (kernel.sasm:3): 32 times, first CTA 0 warp 0 thread 0 at "
                                         "0x10000010,\n    0 bytes past the end of 'out'\n"));
    EXPECT_EQ(report()["memory_check"]["count"], 32);
    EXPECT_THAT(read_file(folder / "out/report.txt"), HasSubstr("0 bytes past the end of 'out'"));
    EXPECT_EQ(run("--report none --memory-check off").output, "");
    expect_refused(run("--memory-check lax"), kBadInput, {"--memory-check", "lax", "strict", "report", "off"});
}

TEST_F(CommandLine, GlobalDataAreInMemoryBeforeTheFirstCycle) {
    // table[1] = table[0] + 1, and also the next word, through the pointer in the data.
    program(".global\ntable: .word 0x29, 0\npointer: .quad table\n.zero 0x1000000\nlast:\n.kernel k\n"
            " MOV R4, lo(table); MOV R5, hi(table);\n LDG R0, [R[4:5]];\n IADD3 R0, R0, 1, RZ;\n STG [R[4:5]+4], R0;\n"
            " LDG.64 R[6:7], [R[4:5]+0x8];\n LDG R1, [R[6:7]+0x4];\n MOV R6, lo(last); MOV R7, hi(last);\n"
            " STG [R[6:7]-4], R1;\n LDG R2, [R[6:7]-4];\n LDC.64 R[8:9], c[0x0][0x160];\n STG [R[8:9]], R2;\n EXIT;\n");
    launch("arguments:\n  - {name: out, type: u32, count: 1}\ncheck:\n  - {buffer: out, values: [42]}\n", "1");
    const CommandResult result = run();
    EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(CommandLine, AccessPastGlobalDataIsAnException) {
    program(".global\n.word 1\nend:\n.kernel k\n MOV R4, lo(end); MOV R5, hi(end);\n LDG R0, [R[4:5]];\n EXIT;\n");
    launch();
    expect_refused(run(), kException,
                   {"IllegalAddress", "0x1000000004 is 0 bytes past the end of 'global data' (4 bytes)"});
}

TEST_F(CommandLine, ArgumentsOfAnotherSizeThanTheKernelExpectsAreRefused) {
    program(".kernel k\n.parameters 16\n EXIT;\n");
    launch("arguments:\n  - {name: a, type: u32, count: 1}\n  - {name: n, type: u16, value: 1}\n");
    expect_refused(run(), kBadInput,
                   {"launch.yaml: kernel 'k' expects 16 bytes of arguments",
                    "the launch gives 10: a (buffer, 8 bytes), "
                    "n (u16, 2 bytes)"});
    launch();
    expect_refused(run(), kBadInput, {"expects 16 bytes", "the launch gives 0: no arguments"});
    launch("arguments:\n  - {name: a, type: u32, count: 1}\n  - {name: n, type: u64, value: 1}\n");
    EXPECT_EQ(run().status, 0);
}

TEST_F(CommandLine, AtomicsOf64BitsWorkOnSharedAndGlobalMemory) {
    const std::string value = "MOV R4, 0x0; MOV R5, 0x3ff80000; "; // 1.5
    program(
        ".kernel k\n.shared 8\n" + value +
        "LDC.64 R[2:3], c[0x0][0x160]; STS.64 [RZ], R[4:5];\n BAR.SYNC 0x0;\n"
        " RED.ADD.F64 [R[2:3]], R[4:5]; ATOMG.ADD.F64 R[6:7], [R[2:3]], R[4:5]; ATOMS.ADD.F64 R[6:7], [RZ], R[4:5];\n"
        " LDS.64 R[8:9], [RZ]; STG.64 [R[2:3]+0x8], R[8:9];\n"
        " MOV R10, 0x5; MOV R11, 0x80000000; MOV R12, 0x3; MOV R13, 0xc0000000;\n"
        " ATOMG.EXCH.U64 R[6:7], [R[2:3]+0x10], R[10:11]; ATOMG.XOR.U64 R[6:7], [R[2:3]+0x10], R[12:13];\n"
        " STG.64 [R[2:3]+0x18], R[6:7];\n RED.OR.U64 [R[2:3]+0x18], R[12:13];\n"
        " RED.AND.U64 [R[2:3]+0x20], R[12:13];\n EXIT;\n");
    launch("arguments:\n  - {name: a, type: u64, count: 5, init: {values: [0, 0, 0, 0, 0xffffffffffffffff]}}\ncheck:\n"
           "  - {buffer: a, values: [0x4008000000000000, 0x4008000000000000, 0x4000000000000006, 0xc000000000000007,\n"
           "                         0xc000000000000003]}\n",
           "1");
    const CommandResult result = run();
    EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(CommandLine, FailedCheckHasStatusOneAndShowsTheElement) {
    program(".kernel k\n EXIT;\n");
    launch(
        "arguments:\n  - {name: out, type: u32, count: 4, init: zeros}\ncheck:\n  - {buffer: out, values: [0, 7]}\n");
    const CommandResult result = run();
    EXPECT_EQ(result.status, 1) << result.output;
    EXPECT_THAT(result.output, HasSubstr("out"));
    EXPECT_EQ(report()["run"]["status"], "check_failed");
    const CommandResult silent = run("--report none");
    EXPECT_EQ(silent.status, 1);
    EXPECT_EQ(silent.output, "smsim: error: check out: 1 of 2 elements agree\n"); // as in the report
    EXPECT_THAT(read_file(folder / "out/report.txt"), HasSubstr("\ncheck out: 1 of 2 elements agree\n"));
}

TEST_F(CommandLine, DumpsWithoutADirectoryAreNamedInAWarning) {
    dumping();
    const CommandResult result =
        test::run_command_line(std::string(SMSIM_BINARY) + " run --report none " + (folder / "launch.yaml"));
    EXPECT_EQ(result.status, 0);
    EXPECT_THAT(result.output, HasSubstr("no buffer is dumped, because there is no directory for them (-o)"));
}

TEST_F(CommandLine, WhatIfOfALaunchWithDumpsHasFigures) {
    dumping();
    ASSERT_EQ(run("--report none --what-if").status, 0);
    const nlohmann::json ranking = nlohmann::json::parse(test::read_file(folder / "out/what_if.json"));
    ASSERT_FALSE(ranking["reliefs"].empty());
    for (const nlohmann::json &relief : ranking["reliefs"]) {
        EXPECT_EQ(relief["status"], "completed") << relief["relief"];
        EXPECT_TRUE(relief["cause"].is_null());
    }
}

// The RTL of this program has four sub-partitions; a relief that doubles them cannot run.
TEST_F(CommandLine, WhatIfNamesTheCauseOfAReliefThatCannotRun) {
    dumping();
    const CommandResult result = run("--report none --what-if --set bru.implementation=rtl");
    EXPECT_EQ(result.status, kBadInput);
    EXPECT_THAT(result.output,
                HasSubstr("was not carried out: refused: sm.sub_partitions: 8; the block bru was built for 4"));
    EXPECT_THAT(test::read_file(folder / "out/what_if.json"), HasSubstr("the block bru was built for 4"));
}

TEST_F(CommandLine, KeysWithoutEffectAreNamed) {
    program(".kernel k\n EXIT;\n");
    launch("set: {bru.token_stack.depth: 8}\n");
    const std::string of_launch =
        "launch.yaml:4:30: bru.token_stack.depth has no effect with bru.engine: convergence_barrier";
    const std::string of_option = "--set l2.miss_latency=100: l2.miss_latency has no effect with l2.bytes: 0";
    CommandResult result = run("--report none --set l2.miss_latency=100");
    EXPECT_EQ(result.status, 0);
    EXPECT_THAT(result.output, HasSubstr("smsim: warning: " + of_option + "\n"));
    EXPECT_THAT(result.output, HasSubstr("warning: " + (folder / of_launch) + "\n"));
    EXPECT_THAT(run("--report none --set l2.miss_latency=100 --set l2.bytes=1M --set bru.engine=token_stack").output,
                Not(HasSubstr("no effect")));
    // A batch says once what holds for all its launches.
    write_file(folder / "second.yaml", "program: kernel.sasm\ngrid: 1\nblock: 32\n");
    result = test::run_command_line(std::string(SMSIM_BINARY) + " batch --set l2.miss_latency=100 " +
                                    (folder / "launch.yaml") + " " + (folder / "second.yaml"));
    EXPECT_EQ(result.status, 0);
    const auto count = [&](const std::string &text) {
        std::size_t number = 0;
        for (std::size_t at = result.output.find(text); at != std::string::npos;
             at = result.output.find(text, at + 1)) {
            ++number;
        }
        return number;
    };
    EXPECT_EQ(count(of_option), 1U) << result.output;
    EXPECT_EQ(count(of_launch), 1U) << result.output;
    result = test::run_command_line(std::string(SMSIM_BINARY) + " config --set l2.miss_latency=100");
    EXPECT_THAT(result.output, HasSubstr(of_option));
    EXPECT_THAT(result.output, HasSubstr("(no effect with l2.bytes: 0)"));
}

TEST_F(CommandLine, AnInputThatIsNoFileIsRejectedAtOnce) {
    for (const std::string command : {"asm", "disasm", "run", "config -c"}) {
        for (const auto &[path, cause] :
             {std::pair(folder / ".", "it is a directory"), {"/dev/zero", "it is a device"}}) {
            const CommandResult result = test::run_command_line(fmt::format("{} {} {}", SMSIM_BINARY, command, path));
            expect_refused(result, kBadInput, {"smsim: error: " + path + ": cannot be opened for reading: " + cause});
        }
    }
}

TEST_F(CommandLine, UnknownConfigurationKeyNamesTheNearest) {
    program(".kernel k\n EXIT;\n");
    launch();
    write_file(folder / "config.yaml", "sm:\n  sub_partitons: 2\n");
    expect_refused(run("-c " + (folder / "config.yaml")), kBadInput,
                   {"config.yaml:2:", "sub_partitons", "sub_partitions"});
    expect_refused(run("--set bru.branch_latenzy=3"), kBadInput, {"--set bru.branch_latenzy=3", "branch_latency"});
    expect_refused(run("--set bru.branch_latency=fast"), kBadInput, {"--set bru.branch_latency=fast"});
}

TEST_F(CommandLine, UnknownLaunchKeyNamesItsPlace) {
    program(".kernel k\n EXIT;\n");
    launch("dynamic_sharde: 4\n");
    expect_refused(run(), kBadInput, {"launch.yaml:4:", "dynamic_shared"});
}

TEST_F(CommandLine, SyntaxErrorNamesFileLineAndColumn) {
    program(".kernel k\n MOV R0, ;\n EXIT;\n");
    launch();
    expect_refused(run(), kBadInput, {"kernel.sasm:2:"});
}

TEST_F(CommandLine, TruncatedAndGarbledBinariesAreRefused) {
    program(".kernel k\n MOV R0, 0x1;\n EXIT;\n");
    ASSERT_EQ(test::run_command_line(std::string(SMSIM_BINARY) + " asm " + (folder / "kernel.sasm") + " -o " +
                                     (folder / "kernel.smbin"))
                  .status,
              0);
    const std::string good = read_file(folder / "kernel.smbin");
    write_file(folder / "launch.yaml", "program: broken.smbin\ngrid: 1\nblock: 32\n");
    write_file(folder / "broken.smbin", good.substr(0, good.size() / 2));
    expect_refused(run(), kBadInput, {"broken.smbin"});
    std::string garbled = good;
    garbled[garbled.size() / 2] = static_cast<char>(garbled[garbled.size() / 2] ^ 0x55);
    write_file(folder / "broken.smbin", garbled);
    expect_refused(run(), kBadInput, {"broken.smbin"});
    write_file(folder / "broken.smbin", good);
    EXPECT_EQ(run().status, 0);
}

TEST_F(CommandLine, TooMuchSharedMemoryNamesTheLimit) {
    program(".kernel k\n EXIT;\n");
    launch("dynamic_shared: 1000000\n");
    expect_refused(run(), kBadInput, {"1000000 bytes of shared memory", "shared.max_per_cta"});
}

TEST_F(CommandLine, MissingBufferFileNamesItsPlace) {
    program(".kernel k\n EXIT;\n");
    launch("arguments:\n  - {name: a, type: u32, count: 4, init: {file: nowhere.bin}}\n");
    expect_refused(run(), kBadInput, {"launch.yaml:5:", "nowhere.bin"});
}

TEST_F(CommandLine, DeadlockedBarrierNamesWhoWaitsAndKeepsTheReport) {
    // Warp 0 waits for 96 threads at barrier 1; only two warps ever arrive.
    program(".kernel k\n BAR.SYNC 0x1, 0x60;\n EXIT;\n");
    launch("", "64");
    expect_refused(run("--trace " + (folder / "trace.jsonl")), kException,
                   {"BarrierDeadlock", "barrier 1", "warp 0", "warp 1"});
    EXPECT_EQ(report()["run"]["status"], "exception");
    EXPECT_EQ(report()["warp_instructions"], 2);
    EXPECT_THAT(read_file(folder / "trace.jsonl"), HasSubstr("BAR.SYNC"));
}

TEST_F(CommandLine, ABarrierNumberWithOtherBitsIsNamedByTheDeadlockThatItLeadsTo) {
    program(".kernel k\n S2R R0, SR_TID.X;\n ISETP.GE.U32.AND P0, PT, R0, 0x20, PT;\n MOV R4, 0x11;\n @P0 BRA other;\n"
            " BAR.SYNC R4;\n EXIT;\nother:\n BAR.SYNC 0x2;\n EXIT;\n");
    launch("", "64");
    expect_refused(run("--set sm.hazard_check=true"), kException,
                   {"BarrierDeadlock", "barrier 1: warp 0 has come with other bits set than count: R4 holds 17, which "
                                       "acts as barrier 1"});
    const auto hazard = report()["hazards"]["list"][0];
    EXPECT_EQ(hazard["kind"], "barrier_bits");
    EXPECT_EQ(hazard["first"]["line"], 6);
    EXPECT_EQ(hazard["value"], 17);
    EXPECT_EQ(hazard["acts_as"], 1);
}

TEST_F(CommandLine, TimelineThatCannotBeWrittenIsAnErrorAfterTheReport) {
    program(".kernel k\n EXIT;\n");
    launch();
    expect_refused(run("--timeline /dev/full --timeline-format kanata"), kBadInput,
                   {"/dev/full: could not be written completely", "warp instructions"});
    EXPECT_EQ(report()["run"]["status"], "completed");
    expect_refused(run("--trace /dev/full"), kBadInput, {"/dev/full: the trace could not be written"});
    expect_refused(run("--timeline " + (folder / "nowhere/t.json")), kBadInput, {"nowhere/t.json: cannot be opened"});
    expect_refused(run("--vcd " + (folder / "nowhere/t.vcd")), kBadInput, {"nowhere/t.vcd: cannot be opened"});
}

TEST_F(CommandLine, TimelineOptionsThatMakeNoSenseAreRefused) {
    program(".kernel k\n EXIT;\n");
    launch();
    const std::string timeline = "--timeline " + (folder / "t.json") + " ";
    expect_refused(run("--timeline " + (folder / "t.txt")), kBadInput, {"t.txt: the extension names no format"});
    expect_refused(run(timeline + "--timeline-cycles 9:3"), kBadInput, {"--timeline-cycles 9:3: expected BEGIN:END"});
    expect_refused(run(timeline + "--timeline-sample 9/3"), kBadInput, {"--timeline-sample 9/3: expected ON/PERIOD"});
    expect_refused(run(timeline + "--timeline-ctas x"), kBadInput, {"--timeline-ctas x: expected BEGIN:END"});
    expect_refused(run(timeline + "--timeline-warps 3"), kBadInput, {"--timeline-warps 3: expected BEGIN:END"});
    expect_refused(run(timeline + "--timeline-warps 9999:"), kBadInput,
                   {"--timeline-warps 9999:: nothing to record; the configuration has", "warp slots"});
    expect_refused(
        run(timeline + "--timeline-sub-partitions 4:5"), kBadInput,
        {"--timeline-sub-partitions 4:5: nothing to record; the configuration has 4 sub-partitions, 0 to 3"});
    for (const char *number : {"0", "-1", "x", "1.5"}) {
        expect_refused(run(timeline + "--timeline-min-cycles=" + number), kBadInput,
                       {std::string("--timeline-min-cycles ") + number + ": expected a number of cycles, 1 or more"});
    }
    expect_refused(run("--timeline-warps 1:2"), kBadInput, {"name its file with --timeline FILE"});
    expect_refused(run(timeline + "--timeline-warps 0:1 --timeline-sub-partitions 1:2"), kBadInput,
                   {"--timeline-warps 0:1, --timeline-sub-partitions 1:2: nothing to record"});
    expect_refused(run("--timeline-min-cycles 3"), kBadInput, {"name its file with --timeline FILE"});
    expect_refused(run("--timeline-cycles 1:2"), kBadInput, {"name its file with --timeline FILE"});
    expect_refused(run("--vcd " + (folder / "t.txt")), kBadInput, {"t.txt: the name must end in .vcd"});
}

TEST_F(CommandLine, ACriticalPathIsThatOfACtaOfOneLaunch) {
    program(".kernel k\n EXIT;\n");
    launch();
    EXPECT_EQ(run("--report none --critical-path longest").status, 0);
    EXPECT_EQ(report()["critical_path"]["cta"], 0);
    EXPECT_EQ(run("--report none").status, 0);
    EXPECT_FALSE(report().contains("critical_path"));
    expect_refused(run("--critical-path first"), kBadInput,
                   {"--critical-path: 'first' names no CTA; expected last, longest or a number"});
    expect_refused(run("--critical-path 1"), kBadInput, {"--critical-path: there is no CTA 1; the launch has 1"});
    program(".kernel k\nloop:\n BRA loop;\n");
    const CommandResult cut = run("--report none --max-instructions 5 --critical-path last");
    EXPECT_THAT(cut.output, HasSubstr("--critical-path: the run ended before that CTA did"));
    EXPECT_FALSE(report().contains("critical_path"));
    write_file(folder / "launch.yaml", "program: kernel.sasm\nsteps:\n  - launch: {grid: 1, block: 32}\n");
    expect_refused(run("--critical-path last"), kBadInput, {"--critical-path is that of a CTA of one launch"});
}

TEST_F(CommandLine, NoOutputMayBeAnInputOrAnotherOutput) {
    program(".kernel k\n LDC.64 R[2:3], c[0x0][0x160];\n LDG R0, [R[2:3]];\n EXIT;\n");
    launch("arguments:\n  - {name: a, type: u32, init: {file: a.bin}}\ndump:\n  - {buffer: a, file: a.bin}\n");
    write_file(folder / "a.bin", "1234");
    write_file(folder / "c.yaml", "sm:\n  clock_ghz: 1\n");
    std::filesystem::create_hard_link(folder / "a.bin", folder / "link.bin");
    const std::string launch_file = folder / "launch.yaml";
    const std::string new_file = folder / "new.vcd";
    const std::pair<std::string, std::string> cases[] = {
        {"--trace " + launch_file, "--trace " + launch_file + " would overwrite the launch file " + launch_file},
        {"--dump-state " + (folder / "kernel.sasm"), "would overwrite the program " + (folder / "kernel.sasm")},
        {"--timeline-format kanata --timeline " + (folder / "link.bin"),
         "--timeline " + (folder / "link.bin") + " would overwrite the data " + (folder / "a.bin")},
        {"--trace " + (folder / "c.yaml") + " -c " + (folder / "c.yaml"), "would overwrite the configuration"},
        {"--vcd " + new_file + " --trace " + (folder / "./new.vcd"),
         "--trace " + (folder / "./new.vcd") + " and --vcd " + new_file + " would be one file"},
        {"--trace " + (folder / "out/report.json"),
         " and report.json of -o " + (folder / "out") + " would be one file"},
        {"--trace " + (folder / "out/a.bin"), " and a.bin of -o " + (folder / "out") + " would be one file"},
        {"--trace " + (folder / "out/report.json.part"),
         " and report.json.part of -o " + (folder / "out") + " would be one file"},
        {"--what-if --trace " + (folder / "out/what_if.json"),
         " and what_if.json of -o " + (folder / "out") + " would be one file"},
    };
    const std::string before = read_file(launch_file);
    for (const auto &[options, message] : cases) {
        expect_refused(run(options), kBadInput, {message});
        EXPECT_FALSE(std::filesystem::exists(folder / "out")) << options;
    }
    EXPECT_EQ(read_file(launch_file), before);
    EXPECT_EQ(read_file(folder / "a.bin"), "1234");
    const CommandResult here =
        test::run_command_line("cd " + (folder / ".") + " && " SMSIM_BINARY " run launch.yaml -o .");
    expect_refused(here, kBadInput, {"a.bin of -o . would overwrite the data a.bin"});
    std::filesystem::rename(folder / "c.yaml", folder / "config.yaml");
    launch("arguments:\n  - {name: a, type: u32, init: {file: a.bin}}\n");
    const std::string in_place = "-o " + (folder / ".") + " -c " + (folder / "config.yaml");
    const CommandResult overwriting = test::run_command_line(SMSIM_BINARY " run " + launch_file + " " + in_place);
    expect_refused(overwriting, kBadInput, {"config.yaml of -o", "would overwrite the configuration"});
    EXPECT_EQ(run("--trace /dev/null --vcd " + new_file + " --dump-state /dev/null").status, 0);
}

TEST_F(CommandLine, ADirectoryBelongsToOneRunAtATime) {
    program(".kernel k\n EXIT;\n");
    launch();
    std::filesystem::create_directory(folder / "out");
    const CommandResult result =
        test::run_command_line("flock " + (folder / "out") + " " SMSIM_BINARY " run --report none " +
                               (folder / "launch.yaml") + " -o " + (folder / "out"));
    expect_refused(result, kBadInput, {"out: another run is writing to this directory; name another one"});
    EXPECT_TRUE(std::filesystem::is_empty(folder / "out"));
    EXPECT_EQ(run().status, 0);
}

TEST_F(CommandLine, WhyAFileCannotBeWrittenIsSaid) {
    program(".kernel k\n EXIT;\n");
    launch();
    const std::string begin = "ulimit -S -f 0; " SMSIM_BINARY " ";
    for (const std::string &command :
         {"run --report none " + (folder / "launch.yaml") + " -o " + (folder / "out"),
          "run --report none " + (folder / "launch.yaml") + " --trace " + (folder / "trace.jsonl"),
          "asm " + (folder / "kernel.sasm") + " -o " + (folder / "kernel.smbin")}) {
        expect_refused(test::run_command_line(begin + command), kBadInput, {": File too large"});
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "kernel.smbin"));
}

TEST_F(CommandLine, EmptyValuesAndUnboundedNamesAreNotTaken) {
    program(".kernel k\n EXIT;\n");
    launch();
    for (const char *option : {"--trace", "--timeline", "--vcd", "--dump-state", "--record-transactions", "--memory",
                               "--timing-ctas", "-c", "--set"}) {
        expect_refused(run(std::string(option) + " ''"), kBadInput, {"the value is empty"});
    }
    const CommandResult long_name =
        test::run_command_line(SMSIM_BINARY " run " + std::string(100'000, 'n') + " -o " + (folder / "out"));
    EXPECT_EQ(long_name.status, kBadInput);
    EXPECT_LT(long_name.output.size(), 3000U);
    write_file(folder / "nul.sasm", std::string(".kernel k\n EXIT;\n\0", 18));
    expect_refused(test::run_command_line(SMSIM_BINARY " asm " + (folder / "nul.sasm")), kBadInput, {"nul.sasm:3:1: "});
}

TEST_F(CommandLine, AWaveformFileMayHaveAnEndingAlone) {
    program(".kernel k\n EXIT;\n");
    launch();
    const CommandResult result = test::run_command_line(
        "cd " + (folder / ".") + " && " SMSIM_BINARY " run --report none launch.yaml --vcd .vcd");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_TRUE(std::filesystem::exists(folder / ".vcd"));
}

TEST_F(CommandLine, AClosedPipeIsAWriteError) {
    program(".kernel k\n MOV R0, 0x0;\nloop: IADD3 R0, R0, 0x1, RZ;\n ISETP.LT.U32.AND P0, PT, R0, 0x4000, PT;\n"
            " @P0 BRA loop;\n EXIT;\n");
    launch();
    const CommandResult result = test::run_command_line(
        "mkfifo " + (folder / "pipe") + "; head -1 " + (folder / "pipe") + " >/dev/null & " +
        SMSIM_BINARY " run --report none " + (folder / "launch.yaml") + " --trace " + (folder / "pipe"));
    expect_refused(result, kBadInput, {"the trace could not be written completely: Broken pipe"});
}

/// The reports of single launches below `folder`.
std::vector<std::string> launch_reports_in(const std::string &folder) {
    std::vector<std::string> found;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (const auto name = entry.path().lexically_relative(folder); name.begin()->string() == "launches") {
            found.push_back(name.string());
        }
    }
    std::ranges::sort(found);
    return found;
}

TEST_F(CommandLine, ReportsOfLaunchesOfAnEarlierRunAreRemoved) {
    program(".kernel k\n EXIT;\n");
    const auto several = [this](int times) {
        write_file(folder / "launch.yaml",
                   "program: kernel.sasm\nsteps:\n  - repeat:\n      times: " + std::to_string(times) +
                       "\n      steps:\n        - launch: {grid: 1, block: 32}\n");
        return run("--report none");
    };
    EXPECT_EQ(several(3).status, 0);
    EXPECT_THAT(launch_reports_in(folder / "out"), testing::Contains("launches/002/report.json"));
    write_file(folder / "out/launches/001/notes.txt", "mine");
    EXPECT_EQ(several(1).status, 0);
    EXPECT_THAT(launch_reports_in(folder / "out"),
                testing::ElementsAre("launches", "launches/000", "launches/000/report.json", "launches/000/report.txt",
                                     "launches/001", "launches/001/notes.txt"));
    std::filesystem::remove_all(folder / "out/launches/001");
    launch();
    EXPECT_EQ(run("--report none").status, 0);
    EXPECT_THAT(launch_reports_in(folder / "out"), testing::IsEmpty());
}

TEST_F(CommandLine, AnInputAmongTheReportsOfAnEarlierRunIsNotRemoved) {
    program(".kernel k\n EXIT;\n");
    std::filesystem::create_directories(folder / "out/launches/000");
    const std::string data = folder / "out/launches/000/report.txt";
    write_file(data, "1234");
    launch("arguments:\n  - {name: a, type: u32, init: {file: out/launches/000/report.txt}}\n");
    expect_refused(run(), kBadInput, {"would overwrite the data", data});
    EXPECT_EQ(read_file(data), "1234");
}

TEST_F(CommandLine, EndlessLoopEndsWithTheWatchdog) {
    program(".kernel k\nloop:\n BRA loop;\n");
    launch();
    expect_refused(run("--set sm.watchdog_cycles=5000"), kException, {"Watchdog", "5000 cycles", "warp 0"});
    EXPECT_EQ(report()["run"]["status"], "exception");
}

TEST_F(CommandLine, SleepOfAnyLengthEnds) {
    program(".kernel k\n NANOSLEEP 1000000;\n EXIT;\n");
    launch();
    ASSERT_EQ(run().status, 0);
    EXPECT_GT(report()["cycles"], 1'000'000);
    // Longer than the watchdog allows, with no event before it.
    expect_refused(run("--set sm.watchdog_cycles=900000"), kException, {"Watchdog", "900000 cycles", "Sleeping"});
    expect_refused(run("--set sm.watchdog_cycles=5000"), kException, {"Watchdog", "5000 cycles", "Sleeping"});
    EXPECT_EQ(report()["cycles"], 5000);
    EXPECT_GT(report()["stalls"]["sleeping"], 4900);
}

TEST_F(CommandLine, HazardIsReportedWithBothPlaces) {
    program(".kernel k\n.schedule manual\n MOV R0, 0x1 ?stall1;\n MOV R1, R0 ?stall1;\n EXIT;\n");
    launch();
    const CommandResult counted = run("--set sm.hazard_check=true");
    EXPECT_EQ(counted.status, 0) << counted.output;
    ASSERT_EQ(report()["hazards"]["count"], 1);
    expect_refused(run("--set sm.hazard_check=true --set sm.hazard_fatal=true"), kException,
                   {"Hazard", "R0", "0x0000", "0x0010"});
}

TEST_F(CommandLine, ScheduledStoresInALoopHaveNoHazard) {
    // Several instances of one store are in flight at once; its source is overwritten after the loop.
    program(".kernel k\n S2R R0, SR_TID.X; MOV R2, 4;\n IMAD.WIDE.U32 R4, R0, R2, c[0x0][0x160];\n MOV R8, 12;\n"
            "l: STG [R4], R13;\n ISETP.EQ.AND P0, PT, R8, RZ, PT;\n IADD3 R8, R8, -1, RZ;\n @!P0 BRA l;\n"
            " MOV R13, 5;\n STG [R4], R13;\n EXIT;\n");
    launch("arguments:\n  - {name: a, type: u32, count: 1024, init: zeros}\n", "1024");
    ASSERT_EQ(run("--set sm.hazard_check=true").status, 0);
    EXPECT_EQ(report()["hazards"]["count"], 0);
}

TEST_F(CommandLine, TraceHoldsOneLinePerWarpInstruction) {
    program(".kernel k\n S2R R0, SR_LANEID;\n ISETP.LT.AND P0, PT, R0, 0x10, PT;\n BSSY B0, `(join);\n @P0 BRA "
            "`(join);\n NOP;\njoin:\n BSYNC B0;\n EXIT;\n");
    launch();
    ASSERT_EQ(run("--trace " + (folder / "trace.jsonl")).status, 0);
    std::istringstream lines(read_file(folder / "trace.jsonl"));
    std::vector<nlohmann::json> trace;
    for (std::string line; std::getline(lines, line);) {
        trace.push_back(nlohmann::json::parse(line));
    }
    ASSERT_EQ(trace.size(), report()["warp_instructions"].get<std::size_t>());
    EXPECT_EQ(trace[2]["text"], "BSSY B0, 0x50");
    EXPECT_EQ(trace[2]["b"]["B0"], "0xffffffff");
    EXPECT_EQ(trace[3]["after"]["ActiveMask"], "0xffff0000");
    EXPECT_EQ(trace[3]["active"], "0xffffffff");
    EXPECT_EQ(trace[5]["after"]["ActiveMask"], "0xffffffff");
    EXPECT_EQ(trace[5]["after"]["ActivePC"], 0x60);
    EXPECT_EQ(trace[5]["b"]["B0"], "0x00000000");
}

TEST_F(CommandLine, EffectiveConfigurationIsWrittenNextToTheReportAndLoadsBack) {
    program(".kernel k\n EXIT;\n");
    launch();
    ASSERT_EQ(run("--set ibuffer.policy=two_level --set sm.clock_ghz=1.7").status, 0);
    nlohmann::ordered_json first = nlohmann::ordered_json::parse(read_file(folder / "out/report.json"));
    ASSERT_EQ(run("-c " + (folder / "out/config.yaml")).status, 0);
    nlohmann::ordered_json second = nlohmann::ordered_json::parse(read_file(folder / "out/report.json"));
    EXPECT_EQ(first["validation"]["configuration"], "default");
    EXPECT_EQ(second["validation"]["configuration"], folder / "out/config.yaml");
    first["validation"].erase("configuration"); // everything else is the same
    second["validation"].erase("configuration");
    EXPECT_EQ(first.dump(), second.dump());
}

} // namespace
} // namespace smsim
