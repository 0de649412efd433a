// Blocks from libraries: what `timer.implementation: lockstep:LIBRARY` runs, and what is rejected with which message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "assembler/assembler.h"
#include "model/config/config.h"
#include "model/config/loader.h"
#include "model/error.h"
#include "session/session.h"
#include "tb/support/child_process.h"

namespace smsim::cosim {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// The library `name` of tb/cosim/block_library.
std::string library(const std::string &name) {
    return SMSIM_BLOCK_LIBRARIES "/lib" + name + ".so";
}

/// Runs a warp that sleeps, with the timers of `implementation`.
session::LaunchResult run(const std::string &implementation, const std::vector<std::string> &more = {},
                          const std::string &waveforms = "") {
    std::vector<std::string> settings = {"timer.implementation=" + implementation};
    settings.insert(settings.end(), more.begin(), more.end());
    static Config config;
    config = load_config(std::nullopt, settings);
    session::Options options;
    options.block_waveforms = waveforms;
    session::Session session(config, options);
    const Program program =
        assemble(".kernel k\n NANOSLEEP 0x40;\n NANOSLEEP 0x7;\n EXIT;\n", "k.sasm", timing::SchedulingModel());
    launch::Launch what;
    what.path = "launch";
    what.block = {32, 1, 1};
    return session.launch(program, program.kernels.at(0), what, {});
}

/// The message that rejects `implementation`.
std::string refusal(const std::string &implementation, const std::vector<std::string> &more = {},
                    const std::string &waveforms = "") {
    try {
        run(implementation, more, waveforms);
    } catch (const InputError &error) {
        return error.what();
    }
    return "nothing was refused";
}

TEST(LibraryBlock, ReplacesAPart) {
    const session::LaunchResult result = run("lockstep:" + library("timer"));
    ASSERT_TRUE(result.completed()) << result.exception;
    EXPECT_EQ(result.stats.lockstep.at("timer").at("expiry"), (CyclesApart{{0, 2}}));
}

TEST(LibraryBlock, IsRefusedIfTheFileIsMissing) {
    EXPECT_THAT(refusal("rtl:/nowhere/libx.so"),
                AllOf(HasSubstr("timer.implementation: /nowhere/libx.so: the library cannot be loaded: "),
                      HasSubstr("No such file")));
}

TEST(LibraryBlock, IsRefusedIfTruncated) {
    const test::TemporaryFolder folder;
    test::write_file(folder / "part.so", test::read_file(library("timer")).substr(0, 5000));
    EXPECT_THAT(refusal("rtl:" + (folder / "part.so")), HasSubstr("the file is cut off: it has 5000 bytes of "));
}

TEST(LibraryBlock, IsRefusedWithoutItsFunction) {
    EXPECT_THAT(refusal("rtl:" + library("timer_empty")),
                HasSubstr("the library exports no function 'smsim_block_library'; expected a block"));
}

TEST(LibraryBlock, IsRefusedWithAnotherInterfaceVersion) {
    EXPECT_THAT(refusal("rtl:" + library("timer_version")),
                HasSubstr("the library was made for version 99 of the interface of blocks; expected version 1"));
}

TEST(LibraryBlock, IsRefusedIfItIsAnotherKindOfBlock) {
    EXPECT_THAT(refusal("rtl:" + library("timer_kind")),
                HasSubstr("the library holds a block of kind 'bcu'; expected 'sleep_timer'"));
}

TEST(LibraryBlock, IsRefusedWithAFunctionThatIsMissing) {
    EXPECT_THAT(refusal("rtl:" + library("timer_no_edge")), HasSubstr("the library has no function 'edge'"));
}

TEST(LibraryBlock, IsRefusedWithItsOwnWordsForParameters) {
    EXPECT_THAT(refusal("rtl:" + library("timer"), {"sm.warps_per_sub_partition=20"}),
                HasSubstr("the block refuses what this configuration needs: it has 64 timers"));
}

TEST(LibraryBlock, IsRefusedWithoutPorts) {
    EXPECT_THAT(refusal("rtl:" + library("timer_no_ports")), HasSubstr("there is no input rst of 1 bit"));
}

TEST(LibraryBlock, IsRefusedWithTwoPortsOfOneName) {
    EXPECT_THAT(refusal("rtl:" + library("timer_two_ports")), HasSubstr("there are two ports 'now'"));
}

TEST(LibraryBlock, IsRefusedWithAPortWithoutAValue) {
    EXPECT_THAT(refusal("rtl:" + library("timer_no_data")),
                HasSubstr("port 6 of 13: a name, bits and a value are expected"));
}

TEST(LibraryBlock, IsRefusedWithoutAReset) {
    EXPECT_THAT(refusal("rtl:" + library("timer_no_reset")), HasSubstr("there is no input rst of 1 bit"));
}

TEST(LibraryBlock, IsRefusedForAnotherNumberOfSubPartitions) {
    EXPECT_THAT(refusal("rtl:" + library("timer"), {"sm.sub_partitions=2", "bru.pipelines=2"}),
                HasSubstr("sm.sub_partitions: 2; the block sleep_timer was built for 4"));
}

TEST(LibraryBlock, IsRefusedWithAnOutputThatIsUnknownAfterReset) {
    EXPECT_THAT(refusal("rtl:" + library("timer_unknown_at_reset")),
                HasSubstr("after a reset expiry is X; it must be 0 (docs/pins.md, Reset)"));
}

TEST(LibraryBlock, IsRefusedForWaveformsThatItCannotWrite) {
    EXPECT_THAT(refusal("rtl:" + library("timer"), {}, "waves"), HasSubstr("the library writes no waveforms"));
}

TEST(LibraryBlock, EndsTheRunIfItsSimulatorFails) {
    const session::LaunchResult result = run("rtl:" + library("timer_fails"));
    EXPECT_EQ(result.fault, Fault::kRtlViolation);
    EXPECT_THAT(result.exception, HasSubstr("its simulator has failed: the licence of the simulator has expired"));
}

TEST(LibraryBlock, WithAnOutputThatBecomesUnknownEndsTheRun) {
    const session::LaunchResult result = run("rtl:" + library("timer_unknown_later"));
    EXPECT_EQ(result.fault, Fault::kRtlViolation);
    EXPECT_THAT(result.exception, HasSubstr("expiry is X at the edge"));
}

} // namespace
} // namespace smsim::cosim
