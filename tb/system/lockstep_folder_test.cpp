// The folder that a difference in lockstep leaves: it contains everything that the launch file refers to, and its
// command repeats the run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include <nlohmann/json.hpp>

#include "app/lockstep_folder.h"
#include "assembler/assembler.h"
#include "model/config/config.h"
#include "model/config/loader.h"
#include "tb/support/child_process.h"

namespace smsim {
namespace {

using test::read_file;
using test::write_file;
using testing::HasSubstr;

/// A launch that reads a program and two data files from different folders.
class LockstepFolder : public testing::Test {
  protected:
    LockstepFolder() {
        for (const char *name : {"launch", "program", "data"}) {
            std::filesystem::create_directory(folder_ / name);
        }
        write_file(folder_ / "program/k.sasm", kCode);
        write_file(folder_ / "data/in.bin", std::string(128, '\1'));
        write_file(folder_ / "launch/k", std::string(128, '\2')); // named like the kernel and a dumped file
        write_file(folder_ / "launch/launch.yaml",
                   "program: ../program/k.sasm\n"
                   "grid: 2\nblock: 32\n"
                   "arguments:\n"
                   "  - {name: in, type: u32, count: 32, init: {file: ../data/in.bin}}\n"
                   "  - {name: other, type: u32, init: {file: k}}\n"
                   "kernel: k\n"
                   "check:\n"
                   "  - {buffer: in, file: ../launch/../data/in.bin}\n"
                   "  - {buffer: other, file: k}\n"
                   "dump:\n"
                   "  - {buffer: in, file: k}\n");
        options_.launch = folder_ / "launch/launch.yaml";
        options_.output = folder_ / "it's out";
        difference_.part = "bru";
        difference_.transactions = {"first", "second"};
        difference_.waveform = "waves";
    }
    std::string write() {
        return app::write_lockstep_folder(
            {options_,
             options_.launch,
             {{folder_ / "launch/../program/k.sasm", &program_}},
             {folder_ / "launch/../data/in.bin", folder_ / "launch/../launch/../data/in.bin", folder_ / "launch/k"},
             config_,
             "what differs"},
            difference_);
    }

    static constexpr const char *kCode = ".kernel k\n LDC.64 R[2:3], c[0x0][0x160];\n LDG R4, [R2];\n EXIT;\n";
    const test::TemporaryFolder folder_;
    const Program program_ = assemble(kCode, "k.sasm", timing::SchedulingModel());
    app::RunOptions options_;
    Config config_;
    LockstepDifference difference_;
};

TEST_F(LockstepFolder, ItsCommandRunsTheSameAgain) {
    const std::string path = write();
    EXPECT_EQ(path, (folder_ / "it's out") + "/lockstep_difference");
    const std::string text = read_file(path + "/difference.txt");
    EXPECT_THAT(text, HasSubstr("what differs\n"));
    EXPECT_THAT(text, HasSubstr("  first\n  second\n"));
    EXPECT_EQ(read_file(path + "/pins.vcd"), "waves");
    std::filesystem::remove_all(folder_ / "program"); // nothing outside is needed
    std::filesystem::remove_all(folder_ / "data");
    std::filesystem::remove_all(folder_ / "launch");
    const std::size_t command = text.find("  smsim run ");
    ASSERT_NE(command, std::string::npos);
    const std::string line =
        std::string(SMSIM_BINARY) + text.substr(command + 7, text.find('\n', command + 2) - command - 7);
    EXPECT_EQ(std::system((line + " --report none").c_str()), 0) << line;
    const auto report = nlohmann::json::parse(read_file(path + "/again/report.json"));
    EXPECT_EQ(report["run"]["status"], "completed");
    EXPECT_EQ(report["checks"].size(), 2U);
    EXPECT_EQ(read_file(path + "/again/k"), std::string(128, '\1'));
}

TEST_F(LockstepFolder, OneThatIsThereStaysAsItIs) {
    write();
    difference_.waveform = "other";
    EXPECT_EQ(write(), (folder_ / "it's out") + "/lockstep_difference_2");
    EXPECT_EQ(read_file(folder_ / "it's out/lockstep_difference/pins.vcd"), "waves");
}

TEST_F(LockstepFolder, TheCommandKeepsTheOptionsThatMatter) {
    options_.memory = "./libmem.so:4";
    options_.memory_check = MemoryCheck::kOff;
    EXPECT_THAT(read_file(write() + "/difference.txt"), HasSubstr(" --memory './libmem.so:4' --memory-check off\n"));
}

TEST_F(LockstepFolder, TheLaunchHasTheChangesOfTheRunAndCompilesNothing) {
    options_.changes = {"block=[16, 4]", "compile.registers=32", "check.0.offset=0"};
    const std::string path = write();
    const std::string launch = read_file(path + "/launch.yaml");
    EXPECT_THAT(launch, HasSubstr("block:\n  - 16\n  - 4\n"));
    EXPECT_THAT(launch, testing::Not(HasSubstr("compile")));
    const std::string line =
        std::string(SMSIM_BINARY) + " run --report none \"" + path + "/launch.yaml\" -o \"" + path + "/again\"";
    EXPECT_EQ(std::system(line.c_str()), 0) << line;
}

TEST_F(LockstepFolder, NamesLibrariesOfBlocksByTheirAbsolutePath) {
    config_.timer.implementation = Implementation::parse("lockstep:libmy timer.so").value();
    const std::string text = read_file(write() + "/config.yaml");
    EXPECT_THAT(text, HasSubstr("  implementation: 'lockstep:" +
                                (std::filesystem::current_path() / "libmy timer.so").string() + "'"));
    EXPECT_EQ(parse_config(text, "config.yaml", {}).timer.implementation.library(),
              (std::filesystem::current_path() / "libmy timer.so").string());
}

} // namespace
} // namespace smsim
