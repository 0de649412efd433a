// Random programs for simt_stack and token_stack: the same trees as for convergence barriers, on stacks.
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>

#include "assembler/assembler.h"
#include "model/config/config.h"
#include "model/config/loader.h"
#include "model/config/validate.h"
#include "tb/fuzz/programs/campaign.h"
#include "tb/fuzz/programs/emit.h"
#include "tb/fuzz/programs/generate_tree.h"
#include "tb/fuzz/programs/reconvergence_points.h"
#include "tb/fuzz/programs/vary.h"

namespace smsim::fuzz {
namespace {

/// A campaign of `programs` seeds for `engine` that must not fail.
CampaignSummary campaign(const std::string &engine, std::uint64_t first_seed, std::uint64_t programs,
                         std::vector<std::string> settings = {}) {
    spdlog::set_level(spdlog::level::off); // SYSCALL logs a notice
    CampaignOptions options;
    options.engine = engine;
    options.first_seed = first_seed;
    options.programs = programs;
    options.settings = std::move(settings);
    CampaignSummary summary = run_campaign(options);
    EXPECT_EQ(summary.programs, programs);
    EXPECT_EQ(summary.failed, 0U) << summary_text(summary);
    return summary;
}

class StackEngines : public testing::TestWithParam<const char *> {};

TEST_P(StackEngines, AgreeWithTheOracle) {
    const CampaignSummary summary = campaign(GetParam(), 1, 1500);
    EXPECT_GT(summary.warp_instructions, 150'000U) << "the programs do next to nothing";
    std::set<std::string> idle;
    const std::size_t cells = std::size_t{kGuardStates} * kSituations;
    for (std::size_t row = 0; row < coverage_rows(GetParam()).size(); ++row) {
        const auto first = summary.coverage.begin() + static_cast<std::ptrdiff_t>(row * cells);
        if (std::all_of(first, first + cells, [](std::uint64_t count) { return count == 0; })) {
            idle.insert(coverage_rows(GetParam())[row].name);
        }
    }
    EXPECT_EQ(idle, std::set<std::string>{}) << "instructions that no program has executed";
}

TEST_P(StackEngines, GiveTheSameResultsWithRandomDelays) {
    campaign(GetParam(), 20'000, 150, {"jitter.seed=1", "jitter.max=7"});
    campaign(GetParam(), 21'000, 150, {"jitter.seed=2", "jitter.max=500"});
}

TEST_P(StackEngines, KeepTheirRulesWhereSubPartitionsShareAPipelineOfTheBranchUnit) {
    campaign(GetParam(), 22'000, 300,
             {"sm.sub_partitions=4", "bru.pipelines=1", "sm.warps_per_sub_partition=32", "sm.registers=262144"});
}

TEST_P(StackEngines, GiveTheSameResultsOnEveryDesign) {
    spdlog::set_level(spdlog::level::off);
    ModelRunner runner;
    for (std::uint64_t seed = 500'000; seed < 500'040; ++seed) {
        const Tree tree = grow(seed);
        for (std::uint64_t design = 0; design < 6; ++design) {
            const Verdict verdict = judge(tree, vary(7919 * seed + design, tree.threads, {}, GetParam()), runner);
            ASSERT_EQ(verdict.kind, Verdict::Kind::kAgree)
                << "seed " << seed << " design " << design << ": " << verdict.message;
        }
    }
}

TEST_P(StackEngines, HaveDesignsThatCouldComeFromAConfigurationFile) {
    for (std::uint64_t seed = 1; seed < 200; ++seed) {
        EXPECT_NO_THROW(validate(vary(seed, 32 * (1 + seed % 32), {}, GetParam()).config)) << "seed " << seed;
    }
}

TEST_P(StackEngines, HaveProgramsOfTheirOwnForEachTree) {
    for (std::uint64_t seed = 1; seed < 20; ++seed) {
        const std::string text = emit(grow(seed), GetParam()).text;
        EXPECT_EQ(text, emit(grow(seed), GetParam()).text);
        EXPECT_EQ(assemble(text, "generated.sasm", timing::SchedulingModel(Config{})).engine, GetParam());
    }
}

/// The text without the added reconvergence instructions.
std::string lines_of(const Writer &text, const std::vector<ControlTransfer> &transfers) {
    std::string result = with_reconvergence(text, transfers);
    std::erase(result, ' ');
    return result;
}

TEST(ReconvergencePoints, AreWhereBothSidesMeetFirst) {
    Writer text;
    text.line("VBEQ R1, R2, other");
    text.line("BRA end");
    text.place("other");
    text.line("NOP");
    text.place("end");
    text.line("ENDPRG");
    EXPECT_EQ(lines_of(text, {{0, {"other"}, true, true}, {1, {"end"}, false, false}, {3, {}, false, false}}),
              "SETRPCend;\nVBEQR1,R2,other;\nBRAend;\nother:\nNOP;\nend:\nJOIN;\nENDPRG;\n");
}

TEST(ReconvergencePoints, OfBranchesAroundABreakAreAfterTheLoop) {
    Writer text;
    text.place("head");
    text.line("VBEQ R1, R2, behind_if");
    text.line("VBNE R3, RZ, out");
    text.place("behind_if");
    text.line("VBLT R1, R2, head");
    text.place("out");
    text.line("ENDPRG");
    EXPECT_EQ(lines_of(text, {{0, {"behind_if"}, true, true},
                              {1, {"out"}, true, true},
                              {2, {"head"}, true, true},
                              {3, {}, false, false}}),
              "head:\nSETRPCout;\nVBEQR1,R2,behind_if;\nSETRPCout;\nVBNER3,RZ,out;\nbehind_if:\nSETRPCout;\n"
              "VBLTR1,R2,head;\nout:\nJOIN;\nENDPRG;\n");
}

INSTANTIATE_TEST_SUITE_P(All, StackEngines, testing::Values("simt_stack", "token_stack"),
                         [](const auto &engine) { return std::string(engine.param); });

} // namespace
} // namespace smsim::fuzz
