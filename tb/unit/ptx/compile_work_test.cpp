// How the work of the compiler grows with the code: nearly linearly, whatever the branches of a kernel are like, on
// every engine. Counts what its analyses of control flow examine (ptx/machine/steps.h).
#include <cstdint>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ptx/compiler.h"
#include "ptx/machine/steps.h"

namespace smsim::ptx {
namespace {

using Engine = ReconvergenceEngineKind;

std::string kernel_of(const std::string &body) {
    return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u32 n, .param .u64 out)\n{\n"
           ".reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %d<2>;\nld.param.u32 %r1, [n];\nld.param.u64 %d0, [out];\n"
           "mov.u32 %r2, %tid.x;\nmul.wide.u32 %d1, %r2, 4;\nadd.u64 %d1, %d1, %d0;\nmov.u32 %r3, 0;\n" +
           body + "st.global.u32 [%d1], %r3;\nret;\n}\n";
}

template <typename Make> std::string repeated(unsigned count, Make make) {
    std::string text;
    for (unsigned i = 0; i < count; ++i) {
        text += make(i);
    }
    return text;
}

/// A branch that threads take depending on their numbers.
std::string split_to(const std::string &label, unsigned number) {
    return fmt::format("xor.b32 %r4, %r2, {};\nsetp.gt.u32 %p1, %r4, %r1;\n@%p1 bra {};\n", number, label);
}

std::string loops(unsigned count) {
    return kernel_of(repeated(count, [](unsigned i) {
        return fmt::format("L{0}: add.u32 %r3, %r3, %r2;\nsetp.lt.u32 %p1, %r3, %r1;\n@%p1 bra L{0};\n", i);
    }));
}

std::string loops_with_ways_out(unsigned count) {
    return kernel_of(repeated(count, [](unsigned i) {
        return fmt::format("mov.u32 %r5, %r2;\nL{0}: add.u32 %r5, %r5, 1;\n", i) + split_to(fmt::format("X{}", i), i) +
               "st.global.u32 [%d1], %r5;\n" + split_to(fmt::format("Y{}", i), i + 7) +
               fmt::format("setp.lt.u32 %p1, %r5, %r1;\n@%p1 bra L{0};\nadd.u32 %r3, %r3, %r5;\nX{0}: add.u32 %r3, "
                           "%r3, 1;\nY{0}: add.u32 %r3, %r3, 2;\n",
                           i);
    }));
}

/// Groups of nested loops.
std::string nested_loops(unsigned count) {
    constexpr unsigned kDepth = 8;
    return kernel_of(repeated(count / kDepth, [](unsigned group) {
        const auto label = [&](unsigned depth) { return fmt::format("L{}_{}", group, depth); };
        return repeated(kDepth, [&](unsigned i) { return label(i) + ": add.u32 %r3, %r3, %r2;\n"; }) +
               repeated(kDepth,
                        [&](unsigned i) { return "add.u32 %r2, %r2, 3;\n" + split_to(label(kDepth - 1 - i), i); });
    }));
}

/// Every block branches to any other one.
std::string branches_anywhere(unsigned count) {
    std::uint64_t random = 1;
    return kernel_of(repeated(count, [&](unsigned i) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        return fmt::format("B{0}: add.u32 %r2, %r2, {0};\n", i) +
               split_to(fmt::format("B{}", (random >> 33U) % count), i);
    }));
}

std::string branches_ahead(unsigned count) {
    std::uint64_t random = 1;
    return kernel_of(repeated(count,
                              [&](unsigned i) {
                                  random = random * 6364136223846793005U + 1442695040888963407U;
                                  return fmt::format("B{0}: add.u32 %r3, %r3, {0};\n", i) +
                                         split_to(fmt::format("B{}", i + 1 + (random >> 33U) % (count - i)), i);
                              }) +
                     fmt::format("B{}:\n", count));
}

std::string ifs_before_barriers(unsigned count) {
    return kernel_of(repeated(count, [](unsigned i) {
        return split_to(fmt::format("E{}", i), i) +
               repeated(6, [](unsigned) { return "st.global.u32 [%d1], %r3;\n"; }) +
               fmt::format("E{0}: bar.sync 0;\nadd.u32 %r3, %r3, {0};\n", i);
    }));
}

std::string ends_between(unsigned count) {
    return kernel_of(repeated(count, [](unsigned i) {
        return fmt::format("xor.b32 %r4, %r3, {};\nsetp.gt.u32 %p1, %r4, %r1;\n@%p1 exit;\nadd.u32 %r3, %r3, %r2;\n",
                           i);
    }));
}

/// A switch in a loop, like an interpreter.
std::string cases_in_a_loop(unsigned count) {
    std::string targets;
    for (unsigned i = 0; i < count; ++i) {
        targets += fmt::format("{}C{}", i == 0 ? "" : ", ", i);
    }
    return kernel_of(fmt::format("S: add.u32 %r3, %r3, %r2;\nrem.u32 %r4, %r3, {};\nT: .branchtargets {};\nbrx.idx "
                                 "%r4, T;\n",
                                 count, targets) +
                     repeated(count,
                              [](unsigned i) {
                                  return fmt::format("C{0}: add.u32 %r3, %r3, {0};\nst.global.u32 [%d1], %r3;\n", i) +
                                         split_to("END", i) + "bra S;\n";
                              }) +
                     "END:\n");
}

/// Small functions that are all inlined, one after another in one block.
std::string calls_in_a_row(unsigned count) {
    const std::string calls = repeated(count, [](unsigned i) {
        return fmt::format("{{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r3; call (b), f{}, (a);\n"
                           "ld.param.b32 %r3, [b]; }}\n",
                           i);
    });
    std::string text = kernel_of(calls);
    const std::string functions = repeated(count, [](unsigned i) {
        return fmt::format(".func (.param .b32 r) f{0}(.param .b32 a)\n{{ .reg .b32 %a<2>; ld.param.b32 %a0, [a]; "
                           "add.u32 %a1, %a0, {0}; st.param.b32 [r], %a1; ret; }}\n",
                           i);
    });
    return text.insert(text.find(".visible"), functions);
}

struct Shape {
    const char *name;
    std::string (*make)(unsigned count);
    bool for_tokens; ///< otherwise token_stack rejects it
};

class CompileWork : public testing::TestWithParam<Shape> {};

std::uint64_t steps_for(const std::string &text, Engine engine, unsigned level) {
    const std::uint64_t before = machine::steps_so_far;
    compile_to_assembly(text, "t.ptx", {.level = level, .engine = engine});
    return machine::steps_so_far - before;
}

TEST_P(CompileWork, DoublesWithTheCode) {
    constexpr unsigned kCount = 160;
    for (const Engine engine : {Engine::kConvergenceBarrier, Engine::kSimtStack, Engine::kTokenStack}) {
        if (engine == Engine::kTokenStack && !GetParam().for_tokens) {
            continue;
        }
        for (const unsigned level : {0U, 3U}) {
            const auto once = static_cast<double>(steps_for(GetParam().make(kCount), engine, level));
            const auto twice = static_cast<double>(steps_for(GetParam().make(2 * kCount), engine, level));
            EXPECT_GT(once, kCount);
            EXPECT_LT(twice / once, 2.3) << static_cast<int>(engine) << ", level " << level << ": " << once << " steps";
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Of, CompileWork,
    testing::Values(Shape{"Loops", loops, true}, Shape{"LoopsWithWaysOut", loops_with_ways_out, true},
                    Shape{"NestedLoops", nested_loops, true}, Shape{"BranchesAnywhere", branches_anywhere, false},
                    Shape{"BranchesAhead", branches_ahead, false},
                    Shape{"IfsBeforeBarriers", ifs_before_barriers, true}, Shape{"EndsBetween", ends_between, true},
                    Shape{"CasesInALoop", cases_in_a_loop, true}, Shape{"CallsInARow", calls_in_a_row, true}),
    [](const auto &shape) { return shape.param.name; });

} // namespace
} // namespace smsim::ptx
