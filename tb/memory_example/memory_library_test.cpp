// `--memory` of `smsim run` and `smsim batch`: kernels on a memory from a shared library, and the messages for
// rejected libraries.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/support/child_process.h"
#include "tb/support/example_kernels.h"

namespace smsim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string library(const std::string &name) {
    return std::string(SMSIM_MEMORY_EXAMPLES) + "/" + name;
}

test::CommandResult run(const std::string &arguments, const std::string &launch = "vector_add/launch.yaml") {
    return test::run_command_line(
        fmt::format("{} run --no-progress {} {}", SMSIM_BINARY, arguments, test::example_file(launch)));
}

class OnAMemoryLibrary : public testing::TestWithParam<const char *> {};

TEST_P(OnAMemoryLibrary, KernelsGiveTheirResults) {
    const test::CommandResult done = run("--report none --memory " + library("libbanked_memory.so"), GetParam());
    EXPECT_EQ(done.status, 0) << done.output;
    EXPECT_EQ(done.output, "");
}
// Buffers, atomics, locks, data of the program, and several launches.
INSTANTIATE_TEST_SUITE_P(Kernels, OnAMemoryLibrary,
                         testing::Values("vector_add/launch.yaml", "histogram/launch.yaml",
                                         "spin_lock_yield/launch.yaml", "cuda_hash_table/launch.yaml",
                                         "bfs_levels/steps.yaml"));

std::string cycles_with(const std::string &parameters) {
    const test::CommandResult done = run("--report json --memory " + library("libbanked_memory.so") + parameters);
    const std::size_t at = done.output.find("\"cycles\":");
    return at == std::string::npos ? done.output : done.output.substr(at, 30);
}
TEST(MemoryLibrary, GetsTheParametersAfterTheColon) {
    EXPECT_EQ(cycles_with(""), cycles_with(":banks=16,latency=200"));
    EXPECT_NE(cycles_with(""), cycles_with(":latency=400"));
}

TEST(MemoryLibrary, AtomicsAreReadsAndWritesUnlessTheConfigurationSaysOtherwise) {
    const test::TemporaryFolder folder;
    const std::string memory = "--report none --memory " + library("libbanked_memory.so");
    run(memory + " -o " + (folder / "out"));
    EXPECT_THAT(test::read_file(folder / "out/config.yaml"), HasSubstr("atomics: read_write"));
    const std::string histogram = "histogram/launch.yaml";
    EXPECT_THAT(run(memory + " --set global.atomics=native", histogram).output,
                AllOf(HasSubstr("MemoryError"), HasSubstr("global.atomics=read_write")));
    test::write_file(folder / "native.yaml", "global: {atomics: native}\n");
    EXPECT_THAT(run(memory + " -c " + (folder / "native.yaml"), histogram).output, HasSubstr("MemoryError"));
}

TEST(MemoryLibrary, EachLaunchOfABatchHasOneOfItsOwn) {
    const test::TemporaryFolder folder;
    const std::string kernels = std::string(SMSIM_SOURCE_DIR) + "/kernels/memory/";
    const std::string memory = library("libbanked_memory.so:latency=400");
    const test::CommandResult batch = test::run_command_line(
        fmt::format("{0} batch --memory {1} -o {2} {3}vector_add/launch.yaml {3}histogram/launch.yaml", SMSIM_BINARY,
                    memory, folder / "all", kernels));
    ASSERT_EQ(batch.status, 0) << batch.output;
    for (const std::string name : {"vector_add/launch", "histogram/launch"}) {
        const test::CommandResult alone = run("--report json --memory " + memory, name + ".yaml");
        EXPECT_EQ(test::read_file(folder / "all/" + name + "/report.json"), alone.output) << name;
    }
}

void expect_refused(const std::string &argument, const std::vector<std::string> &words) {
    const test::CommandResult done = run("--report none --memory " + argument);
    EXPECT_EQ(done.status, 2) << argument;
    for (const std::string &word : words) {
        EXPECT_THAT(done.output, HasSubstr(word)) << argument;
    }
}
TEST(MemoryLibrary, AFileThatIsMissingIsRefused) {
    expect_refused("nowhere/libmemory.so:4", {"--memory nowhere/libmemory.so", "No such file"});
    expect_refused("libmemory.so", {"--memory libmemory.so", "No such file"});
    expect_refused(":4", {"--memory :4", "LIBRARY:PARAMETERS"});
}
TEST(MemoryLibrary, AFileThatIsCutOffIsRefusedOrWorks) {
    const test::TemporaryFolder folder;
    const std::string whole = test::read_file(library("libbanked_memory.so"));
    const std::string part = folder / "libpart.so";
    for (std::size_t eighth = 0; eighth < 8; ++eighth) {
        test::write_file(part, whole.substr(0, whole.size() * eighth / 8));
        const test::CommandResult done = run("--report none --memory " + part);
        EXPECT_TRUE(done.status == 2 || done.status == 0)
            << eighth << ": " << done.status; // 0: only symbols are missing
    }
    test::write_file(part, whole.substr(0, 5000));
    expect_refused(part, {"libpart.so: the library cannot be loaded: the file is cut off: it has 5000 bytes of "});
}
TEST(MemoryLibrary, ALibraryOfSomethingElseIsRefused) {
    expect_refused(library("libsmsim_no_memory.so"), {"libsmsim_no_memory.so", "smsim_memory_library"});
}
TEST(MemoryLibrary, AnotherVersionOfTheInterfaceIsRefused) {
    expect_refused(library("libsmsim_other_version.so"), {"libsmsim_other_version.so", "version 3", "version 2"});
}
TEST(MemoryLibrary, ParametersThatTheLibraryDoesNotUnderstandAreRefused) {
    expect_refused(library("libbanked_memory.so:ranks=2"), {"ranks=2", "banks=N"});
    expect_refused(library("libbanked_memory.so:banks=0"), {"banks=0"});
}

} // namespace
} // namespace smsim
