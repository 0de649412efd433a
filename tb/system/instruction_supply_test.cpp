// Instruction supply in a whole SM: code that fits in the L0, in the L1, or in neither, with and without a stream
// buffer; the causes of no_instruction; and results that do not depend on the order of processes.
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/report.h"
#include "session/simulation.h"
#include "tb/support/child_process.h"
#include "tb/support/kernel_launch.h"

namespace smsim {
namespace {

using nlohmann::json;

/// An L0 of 16 lines, with an L1 of 64 below it.
const std::vector<std::string> kSupply = {
    "icache.l0_bytes=2048",       "icache.l1_bytes=8192",           "icache.l1_ways=4",   "icache.l1_latency=78",
    "icache.l1_miss_latency=200", "icache.l1_requests_per_cycle=1", "icache.stream=head", "sm.hazard_check=true"};

std::vector<std::string> with(std::vector<std::string> settings, const std::vector<std::string> &more) {
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
}

/// Two passes over `lines` lines of independent instructions.
std::string two_passes(unsigned lines) {
    std::string text = ".kernel k\n MOV R1, 0x2;\nagain:\n";
    for (unsigned i = 0; i < 8 * lines - 5; ++i) {
        text += " NOP;\n";
    }
    return text + " IADD3 R1, R1, -0x1, RZ;\n ISETP.NE.AND P0, PT, R1, RZ, PT;\n @P0 BRA again;\n EXIT;\n";
}

/// The report and the trace of a run in a separate process.
std::pair<json, std::string> run(const std::string &program, const std::vector<std::string> &settings,
                                 unsigned block = 32, bool reverse = false) {
    const test::TemporaryFolder folder;
    test::write_file(folder / "kernel.sasm", program);
    test::write_file(folder / "launch.yaml", "program: kernel.sasm\ngrid: 1\nblock: " + std::to_string(block) + "\n");
    const bool ended = test::run_in_child([&] {
        test::KernelLaunch loaded;
        test::load(loaded, folder / "launch.yaml", settings);
        std::ostringstream trace;
        session::Options options;
        options.trace = &trace;
        options.reverse_order = reverse;
        const session::SimulationResult result =
            session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch, options);
        EXPECT_FALSE(result.fault);
        test::write_file(folder / "report", to_json_text({.stats = result.stats, .config = loaded.config}));
        test::write_file(folder / "trace", trace.str());
    });
    EXPECT_TRUE(ended);
    return {json::parse(test::read_file(folder / "report")), test::read_file(folder / "trace")};
}

/// Runs the two passes, and checks that the parts of no_instruction add up to it.
json passes(unsigned lines, unsigned prefetch) {
    json report = run(two_passes(lines), with(kSupply, {"icache.prefetch_lines=" + std::to_string(prefetch)})).first;
    std::uint64_t sum = 0;
    for (const json &cycles : report["no_instruction"]) {
        sum += cycles.get<std::uint64_t>();
    }
    EXPECT_EQ(sum, report["stalls"]["no_instruction"]);
    return report;
}

// A miss takes 79 or 279 cycles from its fetch to the buffer. Three instructions precede it there, except at the start
// of a pass.
constexpr unsigned kAhead = 3;

TEST(SupplyOfKernels, CodeThatFitsIntoTheL0MissesOnce) {
    const json report = passes(8, 0);
    EXPECT_EQ(report["no_instruction"]["behind_l1"], 8 * (279 - kAhead) + kAhead);
    EXPECT_EQ(report["no_instruction"]["l1"], 0);
    EXPECT_EQ(report["fetch"]["l1_misses"], 8);
    EXPECT_EQ(report["fetch"]["l1_hits"], 0);
}

TEST(SupplyOfKernels, CodeLongerThanTheL0MissesThereInEveryPass) {
    const json report = passes(32, 0);
    EXPECT_EQ(report["no_instruction"]["behind_l1"], 32 * (279 - kAhead) + kAhead);
    EXPECT_EQ(report["no_instruction"]["l1"], 32 * (79 - kAhead) + kAhead);
    EXPECT_EQ(report["fetch"]["l1_misses"], 32);
    EXPECT_EQ(report["fetch"]["l1_hits"], 32);
}

TEST(SupplyOfKernels, CodeLongerThanTheL1IsFetchedFromBelowItInEveryPass) {
    const json report = passes(96, 0);
    EXPECT_EQ(report["no_instruction"]["behind_l1"], 2 * (96 * (279 - kAhead) + kAhead));
    EXPECT_EQ(report["no_instruction"]["l1"], 0);
    EXPECT_EQ(report["fetch"]["l1_misses"], 192);
}

TEST(SupplyOfKernels, AStreamBufferHidesMostOfIt) {
    for (const unsigned lines : {32, 96}) {
        const json without = passes(lines, 0);
        const json stream = passes(lines, 8);
        EXPECT_EQ(stream["fetch"]["prefetches_used"].get<unsigned>() +
                      stream["fetch"]["prefetches_unused"].get<unsigned>(),
                  stream["fetch"]["prefetches"]);
        EXPECT_LT(stream["cycles"].get<double>(), 0.35 * without["cycles"].get<double>()) << lines;
        EXPECT_GT(stream["no_instruction"]["stream"], 0);
        EXPECT_EQ(stream["no_instruction"]["behind_l1"], lines == 32 ? 279 : 2 * 279) << "the first line of a pass";
    }
}

TEST(SupplyOfKernels, GivesTheSameBytesInEveryProcessOrder) {
    for (const std::vector<std::string> &more : {std::vector<std::string>{},
                                                 {"icache.stream=next_use"},
                                                 {"icache.l1_bytes=0"},
                                                 {"icache.l1_bytes=1024"},
                                                 {"icache.l1_requests_per_cycle=0", "jitter.seed=5"},
                                                 {"icache.l0_bytes=256", "icache.l1_latency=1"},
                                                 {"icache.l0=false"},
                                                 {"sm.sub_partitions=2", "bru.pipelines=2"}}) {
        const auto first = run(two_passes(24), with(kSupply, more), 512);
        const auto second = run(two_passes(24), with(kSupply, more), 512, true);
        EXPECT_TRUE(first == second) << testing::PrintToString(more);
    }
}

} // namespace
} // namespace smsim
