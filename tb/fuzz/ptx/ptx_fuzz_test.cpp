// Random PTX programs give the same results on the model and on the interpreter.
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <set>

#include "ptx/checker.h"
#include "ptx/optimise/optimise.h"
#include "ptx/parser.h"
#include "tb/fuzz/ptx/campaign.h"
#include "tb/fuzz/ptx/program_writer.h"

namespace smsim::ptx_fuzz {
namespace {

class RandomPtxOn : public testing::TestWithParam<ReconvergenceEngineKind> {};

INSTANTIATE_TEST_SUITE_P(Engines, RandomPtxOn,
                         testing::Values(ReconvergenceEngineKind::kConvergenceBarrier,
                                         ReconvergenceEngineKind::kSimtStack, ReconvergenceEngineKind::kTokenStack));

TEST_P(RandomPtxOn, AgreesWithTheInterpreter) {
    spdlog::set_level(spdlog::level::off);
    Options options;
    options.programs = 300;
    options.engine = GetParam();
    const Summary summary = run_campaign(options);
    for (const Failure &failure : summary.failures) {
        ADD_FAILURE() << "seed " << failure.seed << ": " << failure.message;
    }
    EXPECT_GT(summary.warp_instructions, 100'000U) << "the programs do next to nothing";
    EXPECT_LT(summary.refused, options.programs / 2) << "the engine holds too few of the programs";
}

/// Each pass alone, each prefix of the pipeline, each level: the meaning of a program is the same at all of them.
TEST(RandomPtx, AgreesAfterEveryPass) {
    spdlog::set_level(spdlog::level::off);
    Options options;
    options.programs = 300;
    options.first_seed = 1000;
    options.vary_passes = true;
    for (const Failure &failure : run_campaign(options).failures) {
        ADD_FAILURE() << "seed " << failure.seed << ": " << failure.message;
    }
}

TEST(RandomPtx, IsCompiledWithEveryLevelAndPass) {
    std::set<unsigned> levels;
    std::set<std::string> alone;
    std::set<unsigned> runs;
    for (std::uint64_t seed = 1000; seed < 1300; ++seed) {
        const ptx::CompileOptions code = varied_passes(seed);
        levels.insert(code.level);
        alone.insert(code.passes.only.begin(), code.passes.only.end());
        runs.insert(code.passes.runs);
    }
    EXPECT_EQ(levels, (std::set<unsigned>{0, 1, 2, 3}));
    EXPECT_EQ(alone.size(), ptx::optimise::pass_names().size());
    EXPECT_GT(runs.size(), 20U);
}

TEST(RandomPtx, IsTheSameForTheSameSeed) {
    EXPECT_EQ(write_program(grow(5)), write_program(grow(5)));
    EXPECT_NE(write_program(grow(5)), write_program(grow(6)));
}

TEST(RandomPtx, HasFunctionsThatCallThemselvesAndOneAnother) {
    bool itself = false;
    bool another = false;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const std::string text = write_program(grow(seed));
        for (std::size_t at = text.find("sub.u32 %depth, %depth"); at != std::string::npos;
             at = text.find("sub.u32 %depth, %depth", at + 1)) {
            const std::size_t function = text.find("result) f", text.rfind(".func", at)) + 9;
            const std::size_t call = text.find("call (result), f", at) + 16;
            (text[function] == text[call] ? itself : another) = true;
        }
    }
    EXPECT_TRUE(itself);
    EXPECT_TRUE(another);
}

TEST(RandomPtx, HasEveryKindOfInstructionItIsMadeFor) {
    std::set<std::string> missing = {
        "brx.idx",       "bra ",          "call (result), f", "call (result), %d1", "exit;",        "ret;",
        "vote.sync",     "shfl.sync.idx", "shfl.sync.bfly",   "match.all",          "match.any",    "redux.sync",
        "bar.warp.sync", "bar.sync",      "bar.arrive",       "barrier.red",        "atom.",        "red.",
        "nanosleep",     "cvta.shared",   "cvta.local",       "ld.volatile",        ".calltargets", ".branchtargets",
        "@!%p0",         "fma.rn.f32",    "fma.rn.f64",       "setp.lt.f64",        "mma.sync",     "mma.sp",
        "ldmatrix",      "stmatrix",      "movmatrix"};
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
        const std::string text = write_program(grow(seed));
        std::erase_if(missing, [&](const std::string &word) { return text.find(word) != std::string::npos; });
    }
    EXPECT_EQ(missing, std::set<std::string>{});
}

/// Reducing keeps programs legal: any part of a tree is a program that ends.
TEST(Shrinking, EveryPartOfATreeIsAProgram) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Tree tree = grow(seed);
        while (!tree.kernel.empty()) {
            tree.kernel.erase(tree.kernel.begin() + static_cast<std::ptrdiff_t>(seed % tree.kernel.size()));
            const std::string text = write_program(tree);
            ASSERT_NO_THROW(ptx::check_module(ptx::parse_module(text, "part.ptx"), "part.ptx")) << seed;
            const ptx_differential::Ran ran = ptx_differential::run_interpreter(text, launch_of(tree), 20'000'000);
            ASSERT_EQ(ran.error, "") << seed;
        }
    }
}

/// A differing model would be detected: threads of a warp at two places of one barrier deadlock on the model.
TEST(Comparison, ReportsAProgramThatTheModelDoesNotRun) {
    Tree tree;
    tree.beyond_compiler = true;
    Node &node = tree.kernel.emplace_back();
    node.kind = NodeKind::kSplitBarrier;
    node.random = {2, 3, 6, 4, 5, 0};
    Options plain;
    plain.vary_design = false;
    Summary summary;
    EXPECT_NE(judge(tree, plain, summary), "");
    tree.beyond_compiler = false;
    EXPECT_EQ(judge(tree, plain, summary), "");
}

} // namespace
} // namespace smsim::ptx_fuzz
