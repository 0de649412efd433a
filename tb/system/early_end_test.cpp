// Runs that end before their program does: by a signal or at the instruction limit. They end at a cycle boundary and
// leave the same files as a finished run.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tb/support/child_process.h"

namespace smsim {
namespace {

using nlohmann::json;
using test::read_file;
using test::write_file;
using testing::HasSubstr;

/// `smsim run` in a separate process, which can be signalled.
class RunningCommand {
  public:
    explicit RunningCommand(const std::vector<std::string> &arguments, const std::string &messages) {
        process_ = fork();
        if (process_ == 0) {
            dup2(open(messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
            dup2(STDERR_FILENO, STDOUT_FILENO);
            std::vector<char *> pointers;
            pointers.reserve(arguments.size() + 1);
            for (const std::string &argument : arguments) {
                pointers.push_back(const_cast<char *>(argument.c_str()));
            }
            pointers.push_back(nullptr);
            execv(pointers.front(), pointers.data());
            _exit(127);
        }
    }
    void signal(int number) const { kill(process_, number); }
    /// The status as returned by waitpid.
    int wait() const {
        int status = 0;
        waitpid(process_, &status, 0);
        return status;
    }

  private:
    pid_t process_ = -1;
};

class EarlyEndOfARun : public testing::Test {
  protected:
    EarlyEndOfARun() {
        // The value incremented at 0x160 never reaches its limit.
        program(".kernel k\n LDC.64 R[2:3], c[0x0][0x160];\nloop: IADD3 R0, R0, 1, RZ;\n STG [R[2:3]], R0;\n"
                " BRA loop;\n EXIT;\n");
        write_file(folder / "launch.yaml", "program: kernel.sasm\ngrid: 1\nblock: 64\narguments:\n"
                                           "  - {name: out, type: u32, count: 1, init: zeros}\n"
                                           "check:\n  - {buffer: out, values: [42]}\n"
                                           "dump:\n  - {buffer: out, file: out.bin}\n");
    }
    void program(const std::string &text) { write_file(folder / "kernel.sasm", text); }
    std::vector<std::string> command(const std::vector<std::string> &options) {
        std::vector<std::string> all = {SMSIM_BINARY, "run", folder / "launch.yaml", "-o", folder / "out"};
        all.insert(all.end(), options.begin(), options.end());
        return all;
    }
    json report() { return json::parse(read_file(folder / "out/report.json")); }
    std::vector<json> trace() {
        std::istringstream in(read_file(folder / "trace.jsonl"));
        std::vector<json> lines;
        for (std::string line; std::getline(in, line);) {
            lines.push_back(json::parse(line));
        }
        return lines;
    }
    /// Statuses, files and report of a run that `signal` ended.
    void expect_complete(int signal) {
        const RunningCommand run(command({"--trace", folder / "trace.jsonl", "--timeline", folder / "timeline.json",
                                          "--vcd", folder / "waves.vcd"}),
                                 folder / "messages");
        ASSERT_TRUE(test::filled(folder / "trace.jsonl")); // the simulation is under way
        run.signal(signal);
        const int status = run.wait();
        ASSERT_TRUE(WIFEXITED(status));
        EXPECT_EQ(WEXITSTATUS(status), 128 + signal);
        const json found = report();
        EXPECT_EQ(found["run"]["status"], "interrupted");
        EXPECT_EQ(found["checks"], json::array());
        EXPECT_EQ(found["stalls"]["selected"], found["warp_instructions"]);
        EXPECT_EQ(trace().size(), found["warp_instructions"].get<std::size_t>());
        EXPECT_TRUE(json::accept(read_file(folder / "timeline.json")));
        EXPECT_THAT(read_file(folder / "waves.vcd"), HasSubstr("end of the run"));
        EXPECT_THAT(read_file(folder / "out/report.txt"), HasSubstr("status interrupted"));
        EXPECT_EQ(read_file(folder / "out/out.bin").size(), 4U);
        EXPECT_THAT(read_file(folder / "messages"), HasSubstr("nothing is checked"));
    }

    test::TemporaryFolder folder;
};

TEST_F(EarlyEndOfARun, AnInterruptedRunWritesAllOutputs) {
    expect_complete(SIGINT);
}

TEST_F(EarlyEndOfARun, ATerminatedRunWritesAllOutputs) {
    expect_complete(SIGTERM);
}

TEST_F(EarlyEndOfARun, AWhatIfAnalysisEndsWithTheSignalThatItReceived) {
    for (const int signal : {SIGINT, SIGTERM}) {
        std::filesystem::remove(folder / "trace.jsonl");
        const RunningCommand run(command({"--what-if", "--trace", folder / "trace.jsonl"}), folder / "messages");
        ASSERT_TRUE(test::filled(folder / "trace.jsonl"));
        run.signal(signal);
        const int status = run.wait();
        ASSERT_TRUE(WIFEXITED(status));
        EXPECT_EQ(WEXITSTATUS(status), 128 + signal);
        EXPECT_EQ(report()["run"]["status"], "interrupted");
    }
}

TEST_F(EarlyEndOfARun, ASecondSignalEndsAtOnce) {
    // No process reads the timeline: the program waits for a reader when the first signal arrives, and still does
    // after it.
    const std::string pipe = folder / "timeline.json";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const RunningCommand run(command({"--timeline", pipe, "--trace", folder / "trace.jsonl"}), folder / "messages");
    const int reader = open(pipe.c_str(), O_RDONLY);
    fcntl(reader, F_SETPIPE_SZ, 4096); // it fills up soon: the run cannot end between the signals
    ASSERT_TRUE(test::filled(folder / "trace.jsonl"));
    run.signal(SIGINT);
    run.signal(SIGTERM); // whichever is delivered first, the other one ends the program
    const int status = run.wait();
    close(reader);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_FALSE(std::filesystem::exists(folder / "out/report.json"));
}

TEST_F(EarlyEndOfARun, AKilledRunLeavesNoResultsOfThePreviousRun) {
    for (const char *file : {"report.json", "report.txt", "what_if.json", "launches/003/report.json"}) {
        std::filesystem::create_directories(std::filesystem::path(folder / "out") / "launches/003");
        write_file(folder / "out/" + file, "of the run before");
    }
    write_file(folder / "out/notes.txt", "mine");
    const RunningCommand run(command({"--trace", folder / "trace.jsonl"}), folder / "messages");
    ASSERT_TRUE(test::filled(folder / "trace.jsonl"));
    run.signal(SIGKILL);
    run.wait();
    std::vector<std::string> left;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder / "out")) {
        left.push_back(entry.path().filename().string());
    }
    EXPECT_THAT(left, testing::UnorderedElementsAre("config.yaml", "notes.txt"));
}

TEST_F(EarlyEndOfARun, ASignalBeforeTheSimulationEndsAtOnceWithAMessage) {
    // The program run instead of clang signals the process that waits for it, and would itself run for long; while any
    // part of it exists, the pipe has a writer.
    const std::string pipe = folder / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    ASSERT_GE(reader, 0);
    const std::string temporary = folder / "tmp";
    std::filesystem::create_directory(temporary);
    write_file(folder / "clang", "#!/bin/sh\nexec 3>" + pipe + "\nsleep 3600 &\nkill -TERM $PPID\nsleep 3600\n");
    std::filesystem::permissions(folder / "clang", std::filesystem::perms::owner_all);
    write_file(folder / "kernel.cu", "");
    write_file(folder / "launch.yaml", "program: kernel.cu\ngrid: 1\nblock: 32\n");
    setenv("CLANG", (folder / "clang").c_str(), 1);
    setenv("TMPDIR", temporary.c_str(), 1);
    const RunningCommand run(command({}), folder / "messages");
    const int status = run.wait();
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 143);
    EXPECT_EQ(read_file(folder / "messages"), "smsim: error: interrupted before the simulation began\n");
    EXPECT_FALSE(std::filesystem::exists(folder / "out"));
    EXPECT_TRUE(std::filesystem::is_empty(temporary));
    // The same for a command that does not simulate: it ends as if killed by the signal.
    const RunningCommand compile({SMSIM_BINARY, "compile", folder / "kernel.cu"}, folder / "messages");
    const int compiled = compile.wait();
    unsetenv("TMPDIR");
    EXPECT_TRUE(WIFSIGNALED(compiled) && WTERMSIG(compiled) == SIGTERM) << compiled;
    EXPECT_TRUE(std::filesystem::is_empty(temporary));
    char byte = 0;
    EXPECT_TRUE(
        test::comes_true([&] { return read(reader, &byte, 1) == 0; })); // it and all processes it started have ended
    close(reader);
}

TEST_F(EarlyEndOfARun, InstructionLimitEndsTheRunWithTheCycleOfTheLastOne) {
    const std::string trace_file = folder / "trace.jsonl";
    const auto run = [&](const std::string &limit) {
        return RunningCommand(command({"--trace", trace_file, "--max-instructions", limit}), folder / "messages")
            .wait();
    };
    ASSERT_EQ(run("200"), 0) << read_file(folder / "messages");
    const std::vector<json> longer = trace();
    ASSERT_EQ(run("100"), 0) << read_file(folder / "messages");
    const std::vector<json> shorter = trace();
    const json found = report();
    EXPECT_EQ(found["run"]["status"], "instruction_limit");
    EXPECT_EQ(found["checks"], json::array());
    EXPECT_EQ(found["warp_instructions"], shorter.size());
    // The hundredth instruction is included, with all of its cycle, and nothing later.
    ASSERT_GE(shorter.size(), 100U);
    ASSERT_LT(shorter.size(), longer.size());
    EXPECT_EQ(shorter[99]["cycle"], shorter.back()["cycle"]);
    EXPECT_EQ(found["cycles"], shorter.back()["cycle"].get<std::uint64_t>() + 1);
    EXPECT_EQ(shorter, std::vector<json>(longer.begin(), longer.begin() + static_cast<long>(shorter.size())));
    EXPECT_NE(longer[shorter.size()]["cycle"], shorter.back()["cycle"]);
}

TEST_F(EarlyEndOfARun, InstructionLimitThatIsNotReachedChangesNothing) {
    program(".kernel k\n LDC.64 R[2:3], c[0x0][0x160];\n MOV R0, 0x2a;\n STG [R[2:3]], R0;\n EXIT;\n");
    ASSERT_EQ(RunningCommand(command({"--max-instructions", "9"}), folder / "messages").wait(), 0);
    EXPECT_EQ(report()["run"]["status"], "completed");
    EXPECT_EQ(report()["checks"][0]["passed"], true);
}

TEST_F(EarlyEndOfARun, WhileBuffersAreFilledASignalEndsTheRunWithItsReport) {
    // Zeros that are generated one by one, so that they are never stored: a minute of them.
    write_file(folder / "launch.yaml", "program: kernel.sasm\ngrid: 1\nblock: 64\narguments:\n"
                                       "  - {name: out, type: u8, count: 0xe00000000, init: {value: 0}}\n"
                                       "check:\n  - {buffer: out, values: [42]}\n");
    const RunningCommand run(command({"--trace", folder / "trace.jsonl"}), folder / "messages");
    ASSERT_TRUE(test::comes_true([&] { return std::filesystem::exists(folder / "trace.jsonl"); }));
    run.signal(SIGTERM);
    const int status = run.wait();
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 128 + SIGTERM) << read_file(folder / "messages");
    EXPECT_EQ(report()["run"]["status"], "interrupted");
    EXPECT_EQ(report()["warp_instructions"], 0);
    EXPECT_EQ(report()["checks"], json::array());
    EXPECT_THAT(trace(), testing::IsEmpty());
}

/// A shell's view of the run, under `limit`.
class LimitedRun : public EarlyEndOfARun {
  protected:
    test::CommandResult run(const std::string &limit, const std::string &options) {
        return test::run_command_line("ulimit " + limit + "; " SMSIM_BINARY " run --report none " +
                                      (folder / "launch.yaml") + " -o " + (folder / "out") + " " + options);
    }
    void expect_end(const test::CommandResult &result, const std::string &status) {
        EXPECT_EQ(result.status, 2) << result.output;
        const json found = report();
        EXPECT_EQ(found["run"]["status"], status);
        EXPECT_EQ(found["checks"], json::array());
        EXPECT_GT(found["cycles"], 0);
        EXPECT_GT(found["warp_instructions"], 0);
    }
};

TEST_F(LimitedRun, AFullDiskUnderATraceEndsTheRunWithItsReport) {
    const test::CommandResult result = run("-S -c 0", "--trace /dev/full");
    expect_end(result, "file_error");
    EXPECT_THAT(result.output, HasSubstr("/dev/full: the trace could not be written completely"));
    EXPECT_THAT(result.output, HasSubstr("a file can take no more"));
}

TEST_F(LimitedRun, AFullDiskUnderATimelineEndsTheRunWithItsReport) {
    expect_end(run("-S -c 0", "--timeline /dev/full --timeline-format chrome"), "file_error");
}

TEST_F(LimitedRun, AFileThatReachesItsLimitIsAFullDisk) {
    const std::string trace_file = folder / "trace.jsonl";
    const test::CommandResult result = run("-S -f 4096", "--trace " + trace_file); // of 512 or 1024 bytes
    expect_end(result, "file_error");
    EXPECT_THAT(result.output, HasSubstr("the trace could not be written completely"));
}

#if !defined(__SANITIZE_ADDRESS__)
TEST_F(LimitedRun, WithoutMoreMemoryTheRunEndsWithItsReport) {
    // A store to each page of a memory that is larger than the process may have.
    program(".kernel k\n LDC.64 R[2:3], c[0x0][0x160];\n MOV R0, 0x1;\n MOV R1, 0x4000;\n"
            "loop: STG [R[2:3]], R0;\n IMAD.WIDE.U32 R[2:3], R0, R1, R[2:3];\n BRA loop;\n EXIT;\n");
    write_file(folder / "launch.yaml", "program: kernel.sasm\ngrid: 1\nblock: 1\narguments:\n"
                                       "  - {name: out, type: u8, count: 0xe00000000}\n"
                                       "check:\n  - {buffer: out, values: [42]}\n");
    const test::CommandResult result = run("-S -v 400000", "");
    expect_end(result, "out_of_memory");
    EXPECT_THAT(result.output,
                testing::ContainsRegex("out of memory: [0-9]+ MiB of address space are in use, of 390 MiB"));
}

TEST_F(LimitedRun, ZerosOfBuffersTakeNoMemory) {
    program(".kernel k\n LDC.64 R[2:3], c[0x0][0x168];\n MOV R0, 0x2a;\n STG [R[2:3]+0x10], R0;\n EXIT;\n");
    write_file(folder / "launch.yaml", "program: kernel.sasm\ngrid: 1\nblock: 1\narguments:\n"
                                       "  - {name: a, type: f32, count: 0x30000000}\n"
                                       "  - {name: out, type: u32, count: 0x30000000}\n"
                                       "check:\n  - {buffer: out, values: [0, 42, 0], offset: 3}\n"
                                       "  - {buffer: a, values: [0], offset: 0x2fffffff}\n");
    const test::CommandResult result = run("-S -v 400000", "");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_EQ(report()["run"]["status"], "completed");
}

TEST_F(LimitedRun, AMillionWarpsTakeNoMoreMemoryThanAThousand) {
    program(".kernel k\n EXIT;\n");
    write_file(folder / "launch.yaml", "program: kernel.sasm\ngrid: 40000\nblock: 1024\n");
    const test::CommandResult result = run("-S -v 400000", "");
    EXPECT_EQ(result.status, 0) << result.output;
    const json found = report();
    EXPECT_EQ(found["warp_instructions"], 40000 * 32);
    EXPECT_EQ(found["warps_every"], 313); // 4096 / 32 CTAs are kept
    EXPECT_EQ(found["warps"].size(), 128U * 32);
    EXPECT_LE(found["occupancy"]["samples"].size(), 4096U);
    EXPECT_LT(std::filesystem::file_size(folder / "out/report.json"), 20'000'000U);
}

TEST_F(LimitedRun, FunctionalCtasKeepNoWarpRecords) {
    program(".kernel k\n EXIT;\n");
    write_file(folder / "launch.yaml", "program: kernel.sasm\ngrid: 800000\nblock: 32\n");
    const test::CommandResult result = run("-S -v 300000", "--timing-ctas 799999");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_EQ(report()["untimed"]["ctas"], 799999);
    EXPECT_EQ(report()["warps"].size(), 1U);
}

TEST_F(LimitedRun, WithoutMemoryToBeginThereIsAMessage) {
    const test::CommandResult result = test::run_command_line("ulimit -S -v 25600; " SMSIM_BINARY " --version");
    EXPECT_EQ(result.status, 2) << result.output;
    EXPECT_THAT(result.output, HasSubstr("smsim: error: the host has no more memory"));
}
#endif

} // namespace
} // namespace smsim
