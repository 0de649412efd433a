// Modules that are correct PTX but hostile: sizes, numbers and shapes that the compiler must reject with a place, or
// compile in little time. tb/fuzz/hostile checks the same for any text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assembler/assembler.h"
#include "model/error.h"
#include "ptx/compiler.h"

namespace smsim::ptx {
namespace {

const std::string kHeader = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// The message with which `text` is rejected; empty if it compiles to text that assembles.
std::string compiled(const std::string &text) {
    std::string assembly;
    try {
        assembly = compile_to_assembly(text, "t.ptx");
    } catch (const InputError &error) {
        return error.what();
    }
    assembler::assemble(assembly, "t.sasm", timing::SchedulingModel());
    return "";
}

/// A kernel whose body begins in line 9.
std::string with_body(const std::string &body, const std::string &before = "") {
    return kHeader + before + R"(
.const .align 4 .b8 table[64];
.visible .entry k(.param .align 8 .b8 arg[16], .param .u64 out) {
.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<4>; .reg .b64 %d<4>;
.shared .align 8 .b8 tile[64];
)" + body + "\nret; }\n";
}

/// Statements `make(0)` to `make(count - 1)`.
template <typename Make> std::string repeated(std::size_t count, Make make) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        text += make(std::to_string(i));
    }
    return text;
}

TEST(HostileModule, LocalMemoryIsLimited) {
    EXPECT_EQ(compiled(with_body(".local .b8 x[4000000000]; mov.u64 %d1, x; st.global.u64 [%d0], %d1;")),
              "t.ptx:9:12: 'x' makes the local memory of its function larger than 8388607 bytes");
}

TEST(HostileModule, VariablesOfCallsAreLimited) {
    EXPECT_EQ(compiled(with_body(".param .b8 x[257];")),
              "t.ptx:9:12: 'x' has 257 bytes; expected at most 256 for a parameter of a call");
}

TEST(HostileModule, ValuesOfVariablesAreLimitedAndZerosTakeNoRoom) {
    EXPECT_EQ(
        compiled(kHeader + ".global .b8 x[1000000000]; .const .u32 c = 1; .global .u32 y = 2;\n.entry k() { ret; }"),
        "");
    EXPECT_EQ(compiled(kHeader + ".global .b8 x[1000000000] = {1};\n.global .u32 y = 2;\n.entry k() { ret; }"),
              "t.ptx:5:18: 'y' makes the values of all variables take more than 67108864 bytes");
}

TEST(HostileModule, SharedVariablesTogetherAreLimited) {
    EXPECT_EQ(compiled(with_body(".shared .b8 a[16777216]; .shared .b8 b[16777216];\n"
                                 "mov.u64 %d1, a; mov.u64 %d2, b;")),
              "t.ptx: the variables of shared memory take more than 16777216 bytes");
}

TEST(HostileModule, AlignmentIsLimited) {
    EXPECT_EQ(compiled(kHeader + ".global .align 8192 .b8 x[4];\n"),
              "t.ptx:4:25: 'x': alignment of 8192 bytes; expected at most 4096");
}

TEST(HostileModule, ConstantMemoryIsReadInsideOfItsBank) {
    EXPECT_EQ(
        compiled(with_body("ld.const.u32 %r1, [table+65536];")),
        "t.ptx:9:1: 'ld.const.u32' reads bytes 65536 and on of a constant bank; expected a multiple of 4 inside of it");
    EXPECT_NE(compiled(with_body("ld.const.u32 %r1, [table-4];")), "");
    EXPECT_NE(compiled(with_body("ld.const.u32 %r1, [table+2];")), "");
    EXPECT_NE(compiled(with_body("ld.param.u64 %d1, [arg-2048];")), "");
    EXPECT_EQ(compiled(with_body("mov.u64 %d1, table; ld.const.u32 %r1, [%d1+65536]; st.global.u32 [%d1], %r1;")), "");
    EXPECT_EQ(compiled(with_body("mov.u64 %d1, table; ld.const.u32 %r1, [%d1-4]; st.global.u32 [%d1], %r1;")), "");
}

TEST(HostileModule, OffsetsBeyondTheirFieldsAreAddedUp) {
    EXPECT_EQ(compiled(with_body("st.global.u32 [%d1+8388608], %r1; st.global.u32 [%d1-8388609], %r1;"
                                 "st.shared.u32 [tile-4], %r1; st.shared.u32 [tile+16777216], %r1;"
                                 "st.global.u32 [0xffffffffffffffff], %r1;")),
              "");
    EXPECT_EQ(compiled(with_body("st.global.u32 [%d1+0x7fffffffffffffff], %r1;")),
              "t.ptx:9:1: 'st.global.u32' has an offset of 9223372036854775807 bytes, which is outside of memory");
}

TEST(HostileModule, ElementsOfArraysAreReadByConstantIndex) {
    EXPECT_EQ(compiled(with_body("ld.const.u8 %r1, table[3]; mov.u64 %d1, table[4]; st.global.u64 [%d2], %d1;")), "");
    EXPECT_EQ(compiled(with_body("ld.const.u8 %r1, table[%r2];")),
              "t.ptx:9:1: 'ld.const.u8' takes an element in a way that is not covered; expected a constant index of an "
              "array of one dimension");
}

TEST(HostileModule, VectorsInRegistersAreRefused) {
    EXPECT_EQ(compiled(with_body(".reg .v2 .f32 %v; ld.global.v2.f32 %v, [%d1];")),
              "t.ptx:9:15: '%v': vectors in registers are not covered");
}

TEST(HostileModule, PredicatesAndVectorsAreNotPassed) {
    EXPECT_EQ(compiled(kHeader + ".func f(.reg .pred p) { ret; }"),
              "t.ptx:4:20: 'p' is a predicate that is passed, which is not covered");
    EXPECT_EQ(compiled(kHeader + ".func (.reg .v2 .b32 v) f() { ret; }"),
              "t.ptx:4:22: 'v' is a vector that is passed, which is not covered");
}

TEST(HostileModule, ArgumentsWiderThanTheirParameterAreCut) {
    EXPECT_EQ(compiled(with_body("call (%d1), f, (%d2, %r1); st.global.u64 [%d2], %d1;",
                                 ".func (.reg .b32 r) f(.reg .b32 a, .reg .b32 b) { add.u32 r, a, b; ret; }")),
              "");
}

TEST(HostileModule, ParametersOfKernelsAreNoArguments) {
    EXPECT_EQ(compiled(with_body("call f, (out);", ".func f(.param .b64 a) { ret; }")),
              "t.ptx:9:10: 'call' has 'out', a parameter of a kernel; expected a variable in .param or a register");
}

TEST(HostileModule, KernelsHaveNoAddress) {
    EXPECT_EQ(compiled(with_body("mov.u64 %d1, k;")),
              "t.ptx:9:1: 'mov.u64' takes the address of the kernel 'k', which is not covered");
    EXPECT_NE(compiled(kHeader + ".entry k() { ret; }\n.global .u64 x = k;\n"), "");
    EXPECT_NE(compiled(with_body("T: .calltargets k; call %d1, (), T;")), "");
}

TEST(HostileModule, BarriersHaveNumbersAndThreadsThatFit) {
    EXPECT_EQ(compiled(with_body("bar.sync 16;")), "t.ptx:9:1: 'bar.sync' has 16; expected at most 15");
    EXPECT_EQ(compiled(with_body("barrier.sync 1, 4096;")),
              "t.ptx:9:1: 'barrier.sync' has 4096; expected at most 4095");
}

TEST(HostileModule, AddressesHave64Bits) {
    EXPECT_EQ(compiled(".version 8.0\n.target sm_80\n.entry k() { ret; }"),
              "t.ptx:1:1: addresses of 32 bits are not covered; expected .address_size 64");
    EXPECT_EQ(compiled(with_body("isspacep.global %p1, %r1;")),
              "t.ptx:9:1: 'isspacep.global' asks for an address of 32 bits, which is not covered");
}

TEST(HostileModule, ComponentsOfSpecialRegistersHaveTwoNames) {
    EXPECT_EQ(compiled(with_body("mov.u32 %r1, %tid.r; mov.u32 %r2, %ntid.b; mov.u32 %r3, %ctaid.a; st.global.u32 "
                                 "[%d1], %r1; st.global.u32 [%d1], %r2; st.global.u32 [%d1], %r3;")),
              "");
}

TEST(HostileModule, NarrowAtomicsTakeVariablesOfSharedMemory) {
    EXPECT_EQ(compiled(with_body("atom.shared.cas.b16 %h1, [tile+2], %h2, %h3; st.global.u16 [%d1], %h1;")), "");
}

TEST(HostileModule, VectorsAreNotMovedToVectors) {
    EXPECT_EQ(compiled(with_body("mov.b32 {%h1, %h2}, {%h2, %h3};")),
              "t.ptx:9:1: 'mov.b32' between two vectors; expected a single value on one side");
}

TEST(HostileModule, AddressesAreTakenApart) {
    EXPECT_EQ(compiled(with_body("mov.b64 {%r1, %r2}, tile; mov.b32 {%h1, %h2}, f; st.global.v2.u32 [%d1], {%r1, %r2};"
                                 "st.global.u16 [%d1], %h1;",
                                 ".func f() { ret; }")),
              "");
}

TEST(HostileModule, TablesOfBranchesFitTheirBank) {
    const std::string list = "T: .branchtargets L" + repeated(16384, [](const std::string &) { return ",L"; });
    EXPECT_EQ(compiled(with_body(list + "; brx.idx %r1, T; L:")),
              "t.ptx:9:32790: 'brx.idx' makes the tables of all branches longer than 16384 entries");
}

TEST(HostileModule, FunctionsThatAreTooLargeAreRefused) {
    const std::string limits = "is too large; expected at most 100000 instructions of the model and 16384 blocks";
    EXPECT_EQ(compiled(with_body(repeated(17000, [](const std::string &i) { return "L" + i + ": "; }))),
              "t.ptx:6:17: 'k' " + limits);
    EXPECT_EQ(compiled(with_body(repeated(100000, [](const std::string &) { return "shl.b64 %d1, %d1, %r1;"; }))),
              "t.ptx:6:17: 'k' " + limits);
}

TEST(HostileModule, ValuesAliveAtTheSameTimeAreLimited) {
    const std::string all =
        repeated(9000, [](const std::string &i) { return "ld.global.u32 %x" + i + ", [%d0+" + i + "];\n"; }) +
        repeated(9000, [](const std::string &i) { return "add.u32 %r0, %r0, %x" + i + ";\n"; });
    EXPECT_EQ(
        compiled(with_body(".reg .b32 %x<4000000000>; ld.global.u32 %r0, [%d0];" + all + "st.global.u32 [%d0], %r0;")),
        "t.ptx:6:1: 'k' keeps too many values at the same time; expected smaller functions");
}

TEST(HostileModule, LongChainsOfCallsAreOrdered) {
    const std::string chain = repeated(4000, [](const std::string &i) {
        return ".func f" + std::to_string(std::stoul(i) + 1) + "() { call f" + i + "; ret; }\n";
    });
    EXPECT_EQ(compiled(kHeader + ".func f0() { ret; }\n" + chain + ".entry k() { call f4000; ret; }\n"), "");
}

TEST(HostileModule, CommentsShowTheBeginningOfLongLines) {
    const std::string line = repeated(1000, [](const std::string &i) { return ".entry k" + i + "() { trap; ret; } "; });
    EXPECT_LT(compile_to_assembly(kHeader + line, "t.ptx").size(), 1000 * 1000U);
}

TEST(HostileModule, TextOfPtxLinesDoesNotReachTheAssembly) {
    EXPECT_EQ(compiled(with_body("st.global.u32 [%d1], %r1; // \x01 \xff */ /* \\\n"
                                 "st.global.u32 [%d1], %r1; /* \x01 \xff // \\*/")),
              "");
}

TEST(HostileModule, ParametersOfKernelsAreLimited) {
    const auto kernel = [](const std::string &parameters) {
        return compiled(kHeader + ".visible .entry k(" + parameters + ") { ret; }");
    };
    EXPECT_EQ(kernel(".param .b8 a[32764]"), "");
    EXPECT_EQ(kernel(".param .b8 a[32765]"),
              "t.ptx:4:30: 'a' of 32765 bytes at byte 0 makes the parameters of its kernel larger than 32764 bytes");
    EXPECT_EQ(kernel(".param .b8 a[4294967296]"), "t.ptx:4:30: 'a' of 4294967296 bytes at byte 0 makes the parameters "
                                                  "of its kernel larger than 32764 bytes");
    EXPECT_EQ(kernel(".param .u64 p, .param .b8 a[32756], .param .u8 z"),
              "t.ptx:4:66: 'z' of 1 bytes at byte 32764 makes the parameters of its kernel larger than 32764 bytes");
    EXPECT_EQ(kernel(".param .b8 p[28673], .param .align 4096 .b8 a[1]"),
              "t.ptx:4:63: 'a' of 1 bytes at byte 32768 makes the parameters of its kernel larger than 32764 bytes");
}

TEST(HostileModule, ParametersOfCallsAreReadInside) {
    for (const std::string offset : {"-4", "+4", "+1", "-8388608"}) {
        EXPECT_THAT(compiled(kHeader + ".func f(.param .b32 a) { .reg .b32 %r1; ld.param.b32 %r1, [a" + offset +
                             "]; st.global.b32 [%r1], %r1; ret; }\n" + with_body("").substr(kHeader.size())),
                    testing::HasSubstr("reaches outside its parameter of 4 bytes"));
    }
}

} // namespace
} // namespace smsim::ptx
