// `smsim batch` as a command: many launches in one call give the same results as separate calls.
#include <csignal>

#include <chrono>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/children.h"
#include "app/interruption.h"
#include "tb/support/child_process.h"

namespace smsim {
namespace {

using test::CommandResult;
using test::read_file;
using test::write_file;
using testing::ElementsAre;
using testing::HasSubstr;

class Batch : public testing::Test {
  protected:
    /// A folder `name` with a program of `text` and its launch file; returns the path of the launch file.
    std::string launch(const std::string &name, const std::string &text, const std::string &more = "") {
        std::filesystem::create_directories(folder / name);
        write_file(folder / name + "/kernel.sasm", text);
        write_file(folder / name + "/launch.yaml", "program: kernel.sasm\ngrid: 1\nblock: 32\n" + more);
        return folder / name + "/launch.yaml";
    }
    CommandResult command(const std::string &arguments) {
        return test::run_command_line(std::string(SMSIM_BINARY) + " " + arguments);
    }
    /// First and last column of the table.
    static std::vector<std::string> rows(const std::string &output) {
        std::vector<std::string> found;
        std::istringstream lines(output);
        for (std::string line; std::getline(lines, line);) {
            if (line.ends_with(".yaml")) {
                const std::string path = line.substr(line.rfind(' ') + 1);
                found.push_back(line.substr(0, line.find(' ')) + " " +
                                std::filesystem::path(path).parent_path().filename().string());
            }
        }
        return found;
    }

    test::TemporaryFolder folder;
    const std::string good = ".kernel k\n MOV R0, 0x1;\n EXIT;\n";
};

TEST_F(Batch, GivesALineForEachLaunchInTheirOrderAndTheGreatestStatus) {
    const std::string ok = launch("b", good);
    const std::string wrong =
        launch("a", good, "arguments:\n  - {name: out, type: u32, count: 1}\ncheck:\n  - {buffer: out, values: [7]}\n");
    const std::string trapped = launch("d", ".kernel k\n TRAP 1;\n EXIT;\n");
    const std::string refused = launch("c", ".kernel k\n MOV;\n EXIT;\n");
    const CommandResult three = command("batch -j3 " + trapped + " " + ok + " " + wrong + " " + refused);
    EXPECT_EQ(three.status, 3) << three.output;
    EXPECT_THAT(rows(three.output), ElementsAre("exception d", "completed b", "check_failed a", "refused c"));
    EXPECT_THAT(three.output, HasSubstr("Trap: kernel 'k'"));
    EXPECT_THAT(three.output, HasSubstr("kernel.sasm:2:"));
    const CommandResult one = command("batch " + ok + " " + wrong);
    EXPECT_EQ(one.status, 1) << one.output;
    EXPECT_EQ(command("batch " + ok).status, 0);
}

TEST_F(Batch, WritesTheSameFilesAsSeparateRuns) {
    const std::string first = launch("x/one", good);
    const std::string second = launch("y", ".kernel k\n NOP;\n NOP;\n EXIT;\n");
    write_file(folder / "list", "# two\n" + first + "\n\n  " + second + "\n");
    const CommandResult all = command("batch --trace -o " + (folder / "all") + " --list " + (folder / "list") +
                                      " -j 2 -s bru.branch_latency=9");
    ASSERT_EQ(all.status, 0) << all.output;
    for (const auto &[path, name] : {std::pair(first, "x/one/launch"), std::pair(second, "y/launch")}) {
        const std::string alone = folder / "alone";
        ASSERT_EQ(
            command(fmt::format("run -o {} --trace {}.jsonl -s bru.branch_latency=9 {}", alone, alone, path)).status,
            0);
        const std::string batched = folder / ("all/" + std::string(name));
        for (const char *file : {"report.json", "report.txt", "config.yaml"}) {
            EXPECT_EQ(read_file(batched + "/" + file), read_file(alone + "/" + file)) << name << " " << file;
        }
        EXPECT_EQ(read_file(batched + "/trace.jsonl"), read_file(alone + ".jsonl"));
        EXPECT_FALSE(read_file(batched + "/trace.jsonl").empty());
    }
}

TEST_F(Batch, WritesTracesOfPlainTextUnderAnotherName) {
    const std::string path = launch("a", good);
    EXPECT_EQ(
        command("batch --trace --trace-format control -o " + (folder / "all") + " " + path + " " + launch("b", good))
            .status,
        0);
    EXPECT_THAT(read_file(folder / "all/a/launch/trace.log"), testing::StartsWith("cta 0 warp 0 "));
    EXPECT_FALSE(std::filesystem::exists(folder / "all/a/launch/trace.jsonl"));
    const CommandResult result = command("batch --trace-format control " + path + " " + launch("b", good));
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.output, "smsim: error: --trace-format says what traces look like; ask for them with --trace\n");
}

TEST_F(Batch, RefusesLaunchesThatWouldWriteToOnePlaceAndNoLaunchAtAll) {
    const std::string path = launch("a", good);
    const std::string other = folder / "a/launch.yml";
    std::filesystem::copy_file(path, other);
    const CommandResult both = command("batch -o " + (folder / "out ") + path + " " + other);
    EXPECT_EQ(both.status, 2);
    EXPECT_EQ(both.output,
              "smsim: error: " + path + " and " + other + " would write to one directory, 'launch'; rename one\n");
    EXPECT_EQ(command("batch " + path + " " + other).status, 0); // nothing is written
    EXPECT_EQ(command("batch").status, 2);
    EXPECT_EQ(command("batch --trace " + path).status, 2);
    const CommandResult unnamed = command("batch " + path + " ''");
    EXPECT_EQ(unnamed.status, 2);
    EXPECT_THAT(unnamed.output, HasSubstr("smsim: error: LAUNCH: the value is empty"));
}

TEST_F(Batch, TraceFieldsWithoutTracesAreRefusedOnce) {
    const CommandResult result = command("batch --trace-fields all " + launch("a", good) + " " + launch("b", good));
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.output, "smsim: error: --trace-fields says what traces hold; ask for them with --trace\n");
}

TEST_F(Batch, TakesItsListFromStandardInput) {
    const std::string path = launch("a", good);
    write_file(folder / "list", path + "\n");
    EXPECT_THAT(rows(command("batch --list - <" + (folder / "list")).output), ElementsAre("completed a"));
    const CommandResult binary = test::run_command_line("printf 'a\\0b\\n' | " SMSIM_BINARY " batch --list -");
    EXPECT_EQ(binary.status, 2);
    EXPECT_THAT(binary.output, HasSubstr("/dev/stdin: holds a zero byte"));
    const CommandResult endless = test::run_command_line("yes | " SMSIM_BINARY " batch --list -");
    EXPECT_EQ(endless.status, 2);
    EXPECT_THAT(endless.output, HasSubstr("/dev/stdin: larger than 16777216 bytes"));
}

TEST_F(Batch, ChecksAccessesToMemoryAsARunDoes) {
    const std::string path = launch("a", ".kernel k\n LDC.64 R[2:3], c[0x0][0x160];\n LDG R0, [R[2:3]+0x10];\n EXIT;\n",
                                    "arguments:\n  - {name: out, type: u32, count: 4}\n");
    EXPECT_THAT(rows(command("batch " + path).output), ElementsAre("exception a"));
    EXPECT_THAT(rows(command("batch --memory-check off " + path).output), ElementsAre("completed a"));
}

TEST_F(Batch, EndsRunningLaunchesAndStartsNoOthersWhenInterrupted) {
    const std::string endless = launch("a", ".kernel k\nl: BRA l;\n");
    const std::string next = launch("b", good);
    const std::string output = folder / "out";
    const std::string messages = folder / "messages";
    const pid_t process = fork();
    if (process == 0) {
        const std::string line =
            fmt::format("exec {} batch --trace -o {} {} {} >{} 2>&1", SMSIM_BINARY, output, endless, next, messages);
        execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
        _exit(127);
    }
    EXPECT_TRUE(test::filled(output + "/a/launch/trace.jsonl")); // the first launch is simulated
    kill(process, SIGINT);
    int status = 0;
    waitpid(process, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 130);
    EXPECT_THAT(rows(read_file(messages)), ElementsAre("interrupted a", "not_run b"));
    EXPECT_EQ(nlohmann::json::parse(read_file(output + "/a/launch/report.json"))["run"]["status"], "interrupted");
}

TEST_F(Batch, ALaunchThatIsInterruptedBeforeItsSimulationIsSaidToBe) {
    const std::string path = launch("a", "");
    write_file(folder / "clang", "#!/bin/sh\nkill -TERM $PPID\nsleep 3600\n"); // signals the launch's process
    std::filesystem::permissions(folder / "clang", std::filesystem::perms::owner_all);
    write_file(folder / "a/kernel.cu", "");
    write_file(path, "program: kernel.cu\ngrid: 1\nblock: 32\n");
    const CommandResult result =
        test::run_command_line("CLANG=" + (folder / "clang") + " " SMSIM_BINARY " batch " + path);
    EXPECT_EQ(result.status, 143);
    EXPECT_THAT(rows(result.output), ElementsAre("interrupted a"));
    EXPECT_THAT(result.output, HasSubstr("smsim: error: interrupted before the simulation began"));
}

/// The process pool below it.
TEST(Children, EndInAnyOrderAndAreReportedInTaskOrderWithTheirOutput) {
    std::vector<std::string> told;
    app::Tasks tasks;
    tasks.count = 5;
    tasks.jobs = 3;
    tasks.run = [](std::size_t index) {
        std::this_thread::sleep_for(std::chrono::milliseconds(index == 0 ? 50 : 0));
        if (index == 2) {
            std::raise(SIGKILL); // whatever happens to it, the others continue
        }
        std::printf("%s", std::string(100'000, static_cast<char>('a' + index)).c_str()); // more than a pipe holds
        return static_cast<int>(index);
    };
    tasks.ended = [&](std::size_t index, const app::TaskEnd &end) {
        EXPECT_TRUE(end.started);
        told.push_back(fmt::format("{} {} {} {}", index, end.status, end.signal, end.output.size()));
    };
    tasks.stop = [] { return false; };
    app::run_in_children(tasks);
    EXPECT_THAT(told, ElementsAre("0 0 0 100000", "1 1 0 100000", "2 0 9 0", "3 3 0 100000", "4 4 0 100000"));
}

bool terminate_in_fork = false;

TEST(Children, ASignalBeforeTheFirstInstructionOfATaskIsNotLost) {
    // The parent handles signals; a child that has just been forked must not do so in its place.
    const app::Interruption of_the_parent;
    pthread_atfork(nullptr, nullptr, [] {
        if (terminate_in_fork) {
            std::raise(SIGTERM);
        }
    });
    terminate_in_fork = true;
    app::Tasks tasks;
    tasks.count = 1;
    tasks.run = [](std::size_t) { return 7; };
    tasks.ended = [](std::size_t, const app::TaskEnd &end) {
        EXPECT_EQ(end.signal, SIGTERM);
        EXPECT_EQ(end.status, 0);
    };
    tasks.stop = [] { return false; };
    app::run_in_children(tasks);
    terminate_in_fork = false;
}

} // namespace
} // namespace smsim
