// Blocks that do not claim every instruction (`bru.rtl_operations`): which kernels are rejected, and what the model
// executes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assembler/assembler.h"
#include "cosim/rtl_operations.h"
#include "model/config/config.h"
#include "model/config/loader.h"

namespace smsim::cosim {
namespace {

Program assembled(const std::string &text) {
    return assemble(text, "k.sasm", timing::SchedulingModel());
}

Config with(const std::vector<std::string> &settings) {
    return load_config(std::nullopt, settings);
}

constexpr const char *kTwoKernels = ".kernel first\n YIELD;\n EXIT;\n"
                                    ".kernel second\n LEPC R2;\n WARPSYNC 0xff;\n WARPSYNC 0xf;\n BMOV R4, B0;\n"
                                    " BMOV B0, R4;\n EXIT;\n";

TEST(RtlOperations, AKernelThatNeedsMoreIsRejectedByNameAndPlace) {
    const Program program = assembled(kTwoKernels);
    const Config config = with({"bru.implementation=rtl", "bru.rtl_operations=BRA,EXIT"});
    EXPECT_EQ(unclaimed(config, program, program.kernels.at(1)),
              "its block of the branch unit does not claim what it needs (bru.rtl_operations): WARPSYNC (0x0030, "
              "k.sasm:6), BMOV (0x0060, k.sasm:9)");
}

TEST(RtlOperations, CodeOfOtherKernelsIsIgnored) {
    const Program program = assembled(kTwoKernels);
    const Config config = with({"bru.implementation=lockstep", "bru.rtl_operations=BRA,EXIT,WARPSYNC,BMOV"});
    EXPECT_EQ(unclaimed(config, program, program.kernels.at(1)), "");
    EXPECT_THAT(unclaimed(config, program, program.kernels.at(0)), testing::HasSubstr(": YIELD (0x0000, k.sasm:2)"));
}

TEST(RtlOperations, TheModelsOwnBranchUnitSupportsEveryOperation) {
    const Program program = assembled(kTwoKernels);
    EXPECT_EQ(unclaimed(with({"bru.rtl_operations=EXIT"}), program, program.kernels.at(0)), "");
}

TEST(RtlOperations, ReadOnlyInstructionsAreExecutedByTheModel) {
    const Program program = assembled(kTwoKernels);
    std::vector<bool> read;
    for (const isa::Instruction &insn : program.code) {
        read.push_back(only_reads(insn));
    }
    EXPECT_EQ(read, (std::vector<bool>{false, false, true, false, false, true, false, false}));
}

} // namespace
} // namespace smsim::cosim
