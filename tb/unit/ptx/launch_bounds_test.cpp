// What the directives of kernels require of their launches, and how many registers that leaves to a thread.
#include <gtest/gtest.h>

#include "ptx/launch_bounds.h"
#include "ptx/parser.h"

namespace smsim::ptx {
namespace {

LaunchBounds bounds_of(const std::string &directives) {
    const Module module = parse_module(
        ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() " + directives + " { ret; }\n", "test.ptx");
    return launch_bounds(std::get<Function>(module.items.back()));
}

unsigned limit_of(const std::string &directives) {
    return register_limit(bounds_of(directives), 65536, 255);
}

TEST(LaunchBounds, NoneSayNothing) {
    const LaunchBounds bounds = bounds_of("");
    EXPECT_FALSE(bounds.most_threads.has_value());
    EXPECT_FALSE(bounds.registers.has_value());
    EXPECT_EQ(bounds.least_ctas, 1U);
    EXPECT_EQ(limit_of(""), 255U);
}

TEST(LaunchBounds, DimensionsAreMultiplied) {
    EXPECT_EQ(bounds_of(".maxntid 16, 8, 4").most_threads, 512U);
    EXPECT_EQ(bounds_of(".maxntid 0x10, 010").most_threads, 128U);
    EXPECT_EQ(bounds_of(".maxntid 4096, 4096, 4096").most_threads, 1024U);
}

TEST(LaunchBounds, RequiredThreadsAreMarked) {
    EXPECT_TRUE(bounds_of(".reqntid 96").threads_required);
    EXPECT_FALSE(bounds_of(".maxntid 96").threads_required);
}

TEST(LaunchBounds, ExtentsThatAreNotRequiredAreOne) {
    EXPECT_EQ(bounds_of(".reqntid 32, 2").block, (std::array<std::uint32_t, 3>{32, 2, 1}));
    EXPECT_EQ(bounds_of(".maxntid 32, 2").block, (std::array<std::uint32_t, 3>{}));
}

TEST(LaunchBounds, RegistersAreThoseOfWholeWarpsInUnitsOfEight) {
    EXPECT_EQ(limit_of(".maxntid 1024"), 64U);
    EXPECT_EQ(limit_of(".maxntid 700"), 88U) << "22 warps: 93 registers";
    EXPECT_EQ(limit_of(".maxntid 128"), 255U);
    EXPECT_EQ(limit_of(".maxnreg 40"), 40U);
    EXPECT_EQ(limit_of(".maxntid 1024 .maxnreg 40"), 40U);
    EXPECT_EQ(limit_of(".maxnreg 1"), 16U) << "fewer hold no instruction";
}

TEST(LaunchBounds, SeveralCtasShareTheRegisters) {
    EXPECT_EQ(limit_of(".maxntid 256 .minnctapersm 4"), 64U);
    EXPECT_EQ(limit_of(".maxntid 1024 .minnctapersm 2"), 32U);
    EXPECT_EQ(limit_of(".maxntid 1024 .minnctapersm 100"), 16U);
    EXPECT_EQ(limit_of(".minnctapersm 4"), 255U) << "of CTAs of any size";
}

} // namespace
} // namespace smsim::ptx
