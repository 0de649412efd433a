// The program around the simulation: command line, exit statuses, output files, progress line.
#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <sstream>

#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/exit_status.h"
#include "app/progress.h"
#include "model/config/config.h"
#include "model/config/loader.h"
#include "model/error.h"

namespace smsim::app {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A temporary folder.
class Folder : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() / ("smsim_program_" + std::to_string(getpid()));
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::string path(const std::string &name) const { return (folder_ / name).string(); }
    void write(const std::string &name, const std::string &contents) const {
        std::ofstream(folder_ / name, std::ios::binary) << contents;
    }
    std::string read(const std::string &name) const {
        std::ifstream stream(folder_ / name, std::ios::binary);
        std::ostringstream contents;
        contents << stream.rdbuf();
        return contents.str();
    }

    struct Outcome {
        int status;
        std::string out;
        std::string err;
    };
    /// Runs the program in the folder.
    Outcome smsim(const std::string &arguments) const {
        const std::string command =
            "cd " + folder_.string() + " && " SMSIM_BINARY " " + arguments + " >out.txt 2>err.txt";
        const int status = std::system(command.c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read("out.txt"), read("err.txt")};
    }

    std::filesystem::path folder_;
};

RunOptions parse_run(std::vector<const char *> arguments) {
    arguments.insert(arguments.begin(), {"smsim", "run"});
    return std::get<RunOptions>(
        std::get<CommandLine>(parse_command_line(static_cast<int>(arguments.size()), arguments.data())).command);
}

TEST(CommandLineRun, ReadsEveryOption) {
    const RunOptions options = parse_run({"-c", "c.yaml", "--set", "a=1", "l.yaml", "--set", "b=2", "-o", "out",
                                          "--trace", "t.json", "--report", "json", "--no-progress"});
    EXPECT_EQ(options.launch, "l.yaml");
    EXPECT_EQ(options.config.file, "c.yaml");
    EXPECT_THAT(options.config.settings, ElementsAre("a=1", "b=2"));
    EXPECT_EQ(options.output, "out");
    EXPECT_EQ(options.trace, "t.json");
    EXPECT_EQ(options.report, ReportForm::kJson);
    EXPECT_FALSE(options.progress);
}

TEST(CommandLineRun, Defaults) {
    const RunOptions options = parse_run({"l.yaml"});
    EXPECT_EQ(options.config.file, std::nullopt);
    EXPECT_THAT(options.config.settings, ElementsAre());
    EXPECT_EQ(options.output, "");
    EXPECT_EQ(options.report, ReportForm::kText);
    EXPECT_TRUE(options.progress);
}

TEST_F(Folder, HelpAndVersionSucceedOnStandardOutput) {
    const Outcome version = smsim("--version");
    EXPECT_EQ(version.status, kSuccess);
    EXPECT_THAT(version.out, StartsWith("smsim "));
    EXPECT_EQ(version.err, ""); // no banner of the simulation library either
    const Outcome help = smsim("--help");
    EXPECT_EQ(help.status, kSuccess);
    for (const char *command : {"run", "asm", "disasm", "config", "Exit status"}) {
        EXPECT_THAT(help.out, HasSubstr(command));
    }
    EXPECT_THAT(smsim("run --help").out, HasSubstr("--trace"));
    EXPECT_EQ(smsim("-V").out, version.out);
}

TEST_F(Folder, HelpIsAlsoACommand) {
    const Outcome help = smsim("help");
    EXPECT_EQ(help.status, kSuccess);
    EXPECT_EQ(help.out, smsim("--help").out);
    EXPECT_EQ(smsim("help run").out, smsim("run --help").out);
    EXPECT_THAT(smsim("help fly").err, HasSubstr("'fly' is not one of run, batch, report, replay, asm"));
}

TEST_F(Folder, UnknownWordsOfTheCommandLineListTheChoices) {
    const std::pair<const char *, const char *> cases[] = {
        {"runn", "there is no command 'runn'; did you mean 'run'?"},
        {"--log-level info dissasm x", "there is no command 'dissasm'; did you mean 'disasm'?"},
        {"fly", "there is no command 'fly'; commands: run, batch, report, replay, asm, compile, disasm, config, help"},
        {"assemble --help",
         "there is no command 'assemble'; commands: run, batch, report, replay, asm, compile, disasm, config, help"},
        {"fly --version",
         "there is no command 'fly'; commands: run, batch, report, replay, asm, compile, disasm, config, help"},
        {"", "a command is needed: run, batch, report, replay, asm, compile, disasm, config, help"},
        {"run l.yaml --report xml", "--report: 'xml' is not one of text, json, none"},
        {"run l.yaml --timeline-format vcd", "--timeline-format: 'vcd' is not one of chrome, kanata"},
        {"-x", "unknown option '-x'; options of a command follow it"},
        {"--report xml run l.yaml", "unknown option '--report'; options of a command follow it"},
        {"--log-level=info --trace=t run l.yaml", "unknown option '--trace'; options of a command follow it"},
        {"run l.yaml --max-instructions 0",
         "--max-instructions: '0' is not a whole number from 1 to 18446744073709551615"},
        {"batch l.yaml --max-instructions 18446744073709551616",
         "--max-instructions: '18446744073709551616' is not a whole number from 1 to 18446744073709551615"},
        {"run l.yaml --max-instructions=-1",
         "--max-instructions: '-1' is not a whole number from 1 to 18446744073709551615"},
        {"run l.yaml --max-instructions 010",
         "--max-instructions: '010' is not a whole number from 1 to 18446744073709551615"},
        {"run l.yaml --max-instructions ''",
         "--max-instructions: '' is not a whole number from 1 to 18446744073709551615"},
        {"batch l.yaml -j 0x401", "--jobs: '0x401' is not a whole number from 1 to 1024"},
        {"compile k.ptx --registers 020", "--registers: '020' is not a whole number from 16 to 255"},
        {"'fly\033[31m'",
         "there is no command 'fly?[31m'; commands: run, batch, report, replay, asm, compile, disasm, config, help"},
        {"--log-level loud config", "--log-level: 'loud' is not one of trace, debug, info, warning, error, off"},
    };
    for (const auto &[arguments, message] : cases) {
        const Outcome outcome = smsim(arguments);
        EXPECT_EQ(outcome.status, kBadInput) << arguments;
        EXPECT_EQ(outcome.err, std::string("smsim: error: ") + message + "\nRun 'smsim --help' for the usage.\n");
    }
}

TEST_F(Folder, UsageErrorsAreBadInput) {
    for (const char *arguments :
         {"", "fly", "run", "config --colour", "run a b", "--log-level loud config", "run l.yaml --report pdf"}) {
        const Outcome outcome = smsim(arguments);
        EXPECT_EQ(outcome.status, kBadInput) << arguments;
        EXPECT_THAT(outcome.err, StartsWith("smsim: error: ")) << arguments;
        EXPECT_EQ(outcome.out, "") << arguments;
    }
}

TEST_F(Folder, ConfigPrintsWhatItWouldUse) {
    write("c.yaml", "sm: {max_ctas: 7}\n");
    const Outcome yaml = smsim("config -c c.yaml --set bru.yield_latency=9");
    EXPECT_EQ(yaml.status, kSuccess);
    const Config config = parse_config(yaml.out, "out");
    EXPECT_EQ(config.sm.max_ctas, 7U);
    EXPECT_EQ(config.bru.yield_latency, 9U);
    EXPECT_EQ(nlohmann::json::parse(smsim("config --json").out)["sm"]["max_ctas"], 32);
    EXPECT_THAT(smsim("config --schema").out, HasSubstr("bru.yield_latency"));
    EXPECT_EQ(nlohmann::json::parse(smsim("config --schema --json").out)["keys"][0]["key"], "sm.sub_partitions");
}

TEST_F(Folder, BadConfigurationIsOneClearMessage) {
    write("c.yaml", "sm: {max_cta: 7}\n");
    const Outcome outcome = smsim("config -c c.yaml");
    EXPECT_EQ(outcome.status, kBadInput);
    EXPECT_EQ(outcome.err, "smsim: error: c.yaml:1:6: unknown key 'sm.max_cta'; did you mean 'sm.max_ctas'?\n");
}

TEST_F(Folder, OutputThatCannotBeWrittenIsAnError) {
    for (const char *arguments : {"config", "--version", "--help", "help", "run --help"}) {
        const std::string command = std::string(SMSIM_BINARY " ") + arguments + " >/dev/full 2>" + path("err.txt");
        EXPECT_EQ(std::system(command.c_str()) >> 8, kBadInput) << arguments;
        EXPECT_THAT(read("err.txt"), HasSubstr("standard output cannot be written")) << arguments;
    }
}

constexpr const char *kProgram = ".kernel k\n.registers 8\nMOV R1, R2;\nEXIT;\n";

TEST_F(Folder, AssembledFileDisassemblesToTextOfTheSameWords) {
    write("p.sasm", kProgram);
    ASSERT_EQ(smsim("asm p.sasm").status, kSuccess) << read("err.txt");
    const Outcome text = smsim("disasm p.smbin");
    ASSERT_EQ(text.status, kSuccess) << text.err;
    EXPECT_THAT(text.out, HasSubstr("MOV R1, R2"));
    write("q.sasm", text.out);
    ASSERT_EQ(smsim("asm q.sasm -o q.smbin").status, kSuccess) << read("err.txt");
    EXPECT_EQ(smsim("disasm q.smbin").out, text.out);
}

TEST_F(Folder, AsmReportsErrorsAndKeepsItsInput) {
    write("p.sasm", ".kernel k\n.registers 8\nMOVE R1, R2;\nEXIT;\n");
    const Outcome outcome = smsim("asm p.sasm");
    EXPECT_EQ(outcome.status, kBadInput);
    EXPECT_THAT(outcome.err, HasSubstr("p.sasm:3:1: "));
    EXPECT_FALSE(std::filesystem::exists(path("p.smbin")));
    write("p.sasm", kProgram);
    EXPECT_THAT(smsim("asm p.sasm -o p.sasm").err, HasSubstr("would overwrite the input"));
    EXPECT_EQ(read("p.sasm"), kProgram);
    EXPECT_EQ(smsim("asm none.sasm").status, kBadInput);
    EXPECT_EQ(smsim("disasm none.smbin").status, kBadInput);
}

/// The buffers of a run with one buffer that holds 1, 2, 3.
class OneTwoThree final : public session::FinalBuffers {
    void read(std::size_t, std::uint64_t offset, std::span<std::uint8_t> to) const override {
        std::iota(to.begin(), to.end(), static_cast<std::uint8_t>(offset + 1));
    }
};

/// run_command with a fake simulation: it writes i + 1 into element i of the first buffer.
class Run : public Folder {
  protected:
    void SetUp() override {
        Folder::SetUp();
        write("p.sasm", kProgram);
        options_.launch = path("l.yaml");
        options_.report = ReportForm::kNone;
    }

    void launch(const std::string &rest) const {
        write("l.yaml", "program: p.sasm\ngrid: 2\nblock: 32\narguments:\n  - {name: c, type: u8, count: 3}\n" + rest);
    }

    int run() {
        return run_command(options_, [&](const SimulationInput &input, Progress &progress) {
            ++simulations_;
            EXPECT_EQ(input.kernel->name, "k");
            session::SimulationResult result;
            result.stats.cycles = 5;
            result.stats.ctas = 2;
            result.stats.pcs.resize(input.program.code.size());
            result.stats.pcs[0].stalls[0] = 1;
            result.memory = std::make_shared<OneTwoThree>();
            result.fault = fault_;
            result.exception = fault_ ? "Trap at 0x0" : "";
            progress.update(5, 2);
            return result;
        });
    }
    std::string error_of_run() {
        try {
            run();
        } catch (const InputError &error) {
            return error.what();
        }
        return "no error";
    }

    RunOptions options_;
    std::optional<Fault> fault_;
    int simulations_ = 0;
};

TEST_F(Run, WritesReportsConfigurationAndDumps) {
    launch("check: [{buffer: c, values: [2, 3], offset: 1}]\ndump: [{buffer: c, file: data/c.bin}]\n");
    options_.output = path("out/a");
    options_.config.settings = {"sm.max_ctas=3"};
    EXPECT_EQ(run(), kSuccess);
    const nlohmann::json report = nlohmann::json::parse(read("out/a/report.json"));
    EXPECT_EQ(report["run"]["kernel"], "k");
    EXPECT_EQ(report["run"]["status"], "completed");
    EXPECT_EQ(report["run"]["grid"], (nlohmann::json{2, 1, 1}));
    EXPECT_EQ(report["checks"][0]["passed"], true);
    EXPECT_EQ(report["config"]["sm"]["max_ctas"], 3);
    EXPECT_THAT(report["instructions"]["all"][0]["text"].get<std::string>(), HasSubstr("MOV R1, R2"));
    EXPECT_THAT(read("out/a/report.txt"), HasSubstr("status completed"));
    EXPECT_EQ(load_config(path("out/a/config.yaml")).sm.max_ctas, 3U);
    EXPECT_EQ(read("out/a/data/c.bin"), "\x01\x02\x03");
}

TEST_F(Run, StatusReportsFailedChecksAndExceptions) {
    launch("check: [{buffer: c, values: [9]}]\n");
    EXPECT_EQ(run(), kCheckFailed);
    fault_ = Fault::kTrap;
    EXPECT_EQ(run(), kException);
}

TEST_F(Run, InputIsCheckedBeforeTheFirstCycle) {
    launch("kernel: kk\n");
    EXPECT_THAT(error_of_run(), HasSubstr("no kernel 'kk'; did you mean 'k'?"));
    launch("");
    write("file", "");
    options_.output = path("file/sub");
    EXPECT_THAT(error_of_run(), HasSubstr("output directory cannot be created"));
    options_.output = "";
    write("p.sasm", std::string(kProgram) + ".kernel k2\n.registers 8\nEXIT;\n");
    EXPECT_THAT(error_of_run(), HasSubstr("'kernel' is needed"));
    EXPECT_EQ(simulations_, 0);
}

TEST(ProgressLine, AppearsAfterTwoSecondsAtMostFiveTimesASecondAndIsErased) {
    Progress::Clock::time_point now{};
    std::vector<std::string> shown;
    {
        Progress progress(
            8, [&](std::string_view text) { shown.emplace_back(text); }, [&] { return now; });
        now += 1999ms;
        progress.update(1000, 1);
        EXPECT_TRUE(shown.empty());
        now += 1ms;
        progress.update(200'000, 2);
        ASSERT_EQ(shown.size(), 1U);
        EXPECT_EQ(shown[0], "\r200000 cycles, 2 of 8 CTAs, 2 s, 100 kcycles/s");
        now += 199ms;
        progress.update(200'001, 2);
        EXPECT_EQ(shown.size(), 1U);
        now += 1ms;
        progress.update(200'002, 3);
        EXPECT_EQ(shown.size(), 2U);
    }
    ASSERT_EQ(shown.size(), 3U);
    EXPECT_EQ(shown[2], "\r" + std::string(shown[0].size() - 1, ' ') + "\r");
}

TEST(ProgressLine, ShortRunWritesNothing) {
    unsigned writes = 0;
    {
        Progress progress(
            8, [&](std::string_view) { ++writes; }, [] { return Progress::Clock::time_point{}; });
        progress.update(1, 1);
    }
    EXPECT_EQ(writes, 0U);
}

} // namespace
} // namespace smsim::app
