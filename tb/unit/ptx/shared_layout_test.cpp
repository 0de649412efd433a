// The layout of variables in shared memory, as shown by the size of a kernel's shared memory.
#include <gtest/gtest.h>

#include <string>

#include "model/config/config.h"
#include "model/timing/dependence.h"
#include "ptx/compiler.h"

namespace smsim::ptx {
namespace {

/// Bytes of shared memory that kernel `k` declares; its body is `body`.
std::uint32_t shared_bytes(const std::string &variables, const std::string &body) {
    const std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n" + variables +
                             ".visible .entry k() {\n.reg .b32 %r<4>;\n.shared .align 4 .b8 own[100];\n" + body +
                             "st.shared.u32 [own], %r1;\nret;\n}\n";
    const Program program = compile(text, "test.ptx", timing::SchedulingModel(Config{}), {});
    return program.find_kernel("k")->shared_bytes;
}

std::string dynamic(unsigned align) {
    return ".extern .shared .align " + std::to_string(align) + " .b8 all[];\n";
}

TEST(SharedLayout, DynamicMemoryBeginsAtAMultipleOfItsAlignment) {
    EXPECT_EQ(shared_bytes(dynamic(16), "mov.u32 %r1, all;\n"), 100U) << "the launch puts it at 112";
    EXPECT_EQ(shared_bytes(dynamic(128), "mov.u32 %r1, all;\n"), 128U);
    EXPECT_EQ(shared_bytes(dynamic(1024), "mov.u32 %r1, all;\n"), 1024U);
}

TEST(SharedLayout, TheGreatestAlignmentOfThoseThatTheKernelUsesCounts) {
    const std::string two = ".extern .shared .align 4 .b8 few[];\n.extern .shared .align 512 .b8 many[];\n";
    EXPECT_EQ(shared_bytes(two, "mov.u32 %r1, few;\n"), 100U);
    EXPECT_EQ(shared_bytes(two, "mov.u32 %r1, few;\nmov.u32 %r2, many;\nadd.u32 %r1, %r1, %r2;\n"), 512U);
}

} // namespace
} // namespace smsim::ptx
