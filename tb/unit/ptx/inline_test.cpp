// Inlined functions: which calls are inlined, and that no argument or result gets lost.
#include "tb/unit/ptx/run_support.h"

namespace smsim::ptx::tb {
namespace {

using testing::Test;

/// A call of `function` with %r`from`, whose result goes to %r`to`.
std::string call(const std::string &function, unsigned from, unsigned to) {
    return "    {\n    .param .b32 a;\n    .param .b32 b;\n    st.param.b32 [a], %r" + std::to_string(from) +
           ";\n    call (b), " + function + ", (a);\n    ld.param.b32 %r" + std::to_string(to) + ", [b];\n    }\n";
}

/// A function of one number whose body works on %r1 to %r9.
std::string function(const std::string &name, const std::string &body) {
    return ".func (.param .b32 result) " + name +
           "(.param .b32 argument)\n{\n    .reg .pred %p<4>;\n    .reg .b32 %r<10>;\n    .reg .b64 %rd<4>;\n"
           "    ld.param.u32 %r1, [argument];\n" +
           body + "    st.param.b32 [result], %r1;\n    ret;\n}\n";
}

std::size_t calls_in(const std::string &assembly) {
    std::size_t count = 0;
    for (std::size_t at = assembly.find("CALL."); at != std::string::npos; at = assembly.find("CALL.", at + 1)) {
        ++count;
    }
    return count;
}

const std::string kStore = "    st.global.u32 [%rd1], %r2;\n    ret;";

std::string repeated(const std::string &text, unsigned times) {
    std::string all;
    for (unsigned i = 0; i < times; ++i) {
        all += text;
    }
    return all;
}

TEST(Inline, ASmallFunctionTakesThePlaceOfEveryCallFromLevelTwoOn) {
    const std::string ptx = kernel_with(call("twice", 0, 2) + call("twice", 2, 2) + kStore,
                                        function("twice", "    add.u32 %r1, %r1, %r1;\n"));
    EXPECT_EQ(calls_in(compile_to_assembly(ptx, "test.ptx", {.level = 1})), 2U);
    EXPECT_EQ(calls_in(compile_to_assembly(ptx, "test.ptx", {.level = 2})), 0U);
}

TEST(Inline, ALargeFunctionDoesSoWhereItIsCalledOnceOnly) {
    const std::string large = function("large", repeated("    mad.lo.u32 %r1, %r1, %r1, 3;\n", 200));
    const std::string once = kernel_with(call("large", 0, 2) + kStore, large);
    const std::string twice = kernel_with(call("large", 0, 2) + call("large", 2, 2) + kStore, large);
    EXPECT_EQ(calls_in(compile_to_assembly(once, "test.ptx")), 0U);
    EXPECT_EQ(calls_in(compile_to_assembly(twice, "test.ptx")), 2U);
}

TEST(Inline, ALargeFunctionWhoseAddressIsTakenStays) {
    const std::string large = function("large", repeated("    mad.lo.u32 %r1, %r1, %r1, 3;\n", 200)) +
                              ".global .align 8 .u64 table[1] = {large};\n";
    EXPECT_EQ(calls_in(compile_to_assembly(kernel_with(call("large", 0, 2) + kStore, large), "test.ptx")), 1U);
}

TEST(Inline, AFunctionThatCallsItselfStays) {
    const std::string self =
        function("self", "    setp.eq.u32 %p0, %r1, 0;\n    @%p0 bra END;\n    sub.u32 %r1, %r1, 1;\n" +
                             call("self", 1, 1) + "END:\n");
    EXPECT_EQ(calls_in(compile_to_assembly(kernel_with(call("self", 0, 2) + kStore, self), "test.ptx")), 2U);
}

TEST(Inline, AFunctionWithAllocaStays) {
    const std::string taking = function("taking", "    alloca.u64 %rd0, 16;\n    st.local.u32 [%rd0], %r1;\n"
                                                  "    ld.local.u32 %r1, [%rd0];\n");
    EXPECT_EQ(calls_in(compile_to_assembly(kernel_with(call("taking", 0, 2) + kStore, taking), "test.ptx")), 1U);
}

TEST(Inline, AModuleDoesNotGrowBeyondItsLimit) {
    // 250 functions, each with 40 calls of one of 80 instructions, would be 800,000.
    std::string functions = function("small", repeated("    mad.lo.u32 %r1, %r1, %r1, 3;\n", 80));
    for (unsigned i = 0; i < 250; ++i) {
        functions += function("f" + std::to_string(i), repeated(call("small", 1, 1), 40));
    }
    const std::string ptx = kernel_with(call("f7", 0, 2) + call("f7", 2, 2) + kStore, functions);
    CompileLog log;
    compile_to_assembly(ptx, "test.ptx", {.passes = {.only = {"inline"}}, .log = &log});
    std::size_t total = 0;
    for (const PassRecord &record : log.passes) {
        total += record.pass == "inline" ? record.instructions : 0;
    }
    EXPECT_LT(total, 400000U);
    EXPECT_GT(total, 300000U);
}

TEST(Inline, ArgumentsAndResultsArePassedThroughFunctionsInFunctions) {
    // outer(x) = inner(x) * 1000 + inner(x + 1), inner(x) = 3 x + 5; the result of the first call lives across the
    // second.
    const std::string functions = function("inner", "    mad.lo.u32 %r1, %r1, 3, 5;\n") +
                                  function("outer", "    add.u32 %r4, %r1, 1;\n" + call("inner", 1, 2) +
                                                        call("inner", 4, 3) + "    mad.lo.u32 %r1, %r2, 1000, %r3;\n");
    const std::string body = call("outer", 0, 2) + kStore;
    EXPECT_EQ(calls_in(compile_to_assembly(kernel_with(body, functions), "test.ptx")), 0U);
    const auto out = run_body(body, 32, functions);
    for (unsigned i = 0; i < 32; ++i) {
        EXPECT_EQ(out[i], (3 * i + 5) * 1000 + 3 * (i + 1) + 5) << i;
    }
}

TEST(Inline, ACallInsideThatStaysHasItsOwnArguments) {
    const std::string functions =
        function("large", repeated("    mad.lo.u32 %r1, %r1, %r1, 3;\n", 200)) +
        function("small", "    add.u32 %r2, %r1, 7;\n" + call("large", 2, 3) + "    xor.b32 %r1, %r3, %r1;\n");
    const std::string body = call("small", 0, 2) + call("large", 2, 3) + "    add.u32 %r2, %r2, %r3;\n" + kStore;
    const std::string code = compile_to_assembly(kernel_with(body, functions), "test.ptx");
    EXPECT_EQ(calls_in(code.substr(0, code.find(".endkernel"))), 2U) << "small is part of the kernel, large is not";
    const auto large = [](unsigned x) {
        for (unsigned i = 0; i < 200; ++i) {
            x = x * x + 3;
        }
        return x;
    };
    const auto out = run_body(body, 32, functions);
    for (unsigned i = 0; i < 32; ++i) {
        const unsigned small = large(i + 7) ^ i;
        EXPECT_EQ(out[i], small + large(small)) << i;
    }
}

/// Keeps its argument in local memory, at a computed index.
const std::string kKeeping = function("keeping", "    .local .align 4 .b32 kept[8];\n    mov.u64 %rd0, kept;\n"
                                                 "    and.b32 %r2, %r1, 7;\n    mad.wide.u32 %rd1, %r2, 4, %rd0;\n"
                                                 "    st.local.u32 [%rd1], %r1;\n    st.local.u32 [kept], 9;\n"
                                                 "    ld.local.u32 %r1, [%rd1];\n");

TEST(Inline, LocalVariablesOfFunctionsAreAfterThoseOfTheCaller) {
    const std::string body =
        "    .local .align 4 .b32 mine;\n    add.u32 %r3, %r0, 100;\n    st.local.u32 [mine], %r3;\n" +
        call("keeping", 0, 2) + "    ld.local.u32 %r3, [mine];\n    mad.lo.u32 %r2, %r3, 1000, %r2;\n" + kStore;
    const auto out = run_body(body, 32, kKeeping);
    for (unsigned i = 0; i < 32; ++i) {
        EXPECT_EQ(out[i], (i + 100) * 1000 + (i % 8 == 0 ? 9 : i)) << i;
    }
}

TEST(Inline, LocalVariablesOfAFunctionInAFunctionHaveTheFrameOfTheOuterOne) {
    const std::string outer =
        function("outer", "    .local .align 4 .b32 mine[200];\n    st.local.u32 [mine+396], %r1;\n" +
                              call("keeping", 1, 2) + "    ld.local.u32 %r3, [mine+396];\n" +
                              repeated("    mad.lo.u32 %r2, %r2, %r2, 3;\n", 100) + "    add.u32 %r1, %r2, %r3;\n");
    const std::string body = call("outer", 0, 2) + call("outer", 2, 3) + "    xor.b32 %r2, %r2, %r3;\n" + kStore;
    EXPECT_EQ(calls_in(compile_to_assembly(kernel_with(body, kKeeping + outer), "test.ptx")), 2U);
    const auto computed = [](unsigned x) {
        unsigned y = x % 8 == 0 ? 9 : x;
        for (unsigned i = 0; i < 100; ++i) {
            y = y * y + 3;
        }
        return y + x;
    };
    const auto out = run_body(body, 32, kKeeping + outer);
    for (unsigned i = 0; i < 32; ++i) {
        EXPECT_EQ(out[i], computed(i) ^ computed(computed(i))) << i;
    }
}

TEST(Inline, FunctionsOneAfterAnotherShareLocalMemory) {
    const std::string code =
        compile_to_assembly(kernel_with(call("keeping", 0, 2) + call("keeping", 2, 2) + kStore, kKeeping), "test.ptx");
    EXPECT_NE(code.find(".local 32\n"), std::string::npos) << code;
}

} // namespace
} // namespace smsim::ptx::tb
