// One double-precision unit for all sub-partitions, in a whole SM: results equal those of four units, nothing depends
// on the order of processes, and warps share its rate.
#include <sstream>

#include <gtest/gtest.h>

#include "report/report.h"
#include "session/simulation.h"
#include "tb/support/child_process.h"
#include "tb/support/kernel_launch.h"

namespace smsim {
namespace {

/// Chains of sums and products in each of 16 warps, with comparisons in between; each thread stores its result.
constexpr const char *kProgram = R"(.kernel k
 LDC.64 R[2:3], c[0x0][0x160];
 S2R R1, SR_TID.X;
 I2F.F64.U32 R[4:5], R1;
 IMAD.WIDE.U32 R[2:3], R1, 0x8, R[2:3];
 DADD R[6:7], R[4:5], 1.0;
 DADD R[8:9], R[4:5], 2.0;
 MOV R10, 0x8;
again:
 DFMA R[6:7], R[6:7], 0.5, R[4:5];
 DMUL R[8:9], R[8:9], 0.75;
 DSETP.LT.AND P0, PT, R[6:7], R[8:9], PT;
 @P0 DADD R[6:7], R[6:7], R[8:9];
 IADD3 R10, R10, -0x1, RZ;
 ISETP.NE.AND P1, PT, R10, RZ, PT;
 @P1 BRA again;
 DADD R[6:7], R[6:7], R[8:9];
 STG.64 [R[2:3]], R[6:7];
 EXIT;
)";

struct Ran {
    std::string report; ///< with the trace
    std::string buffer;
    std::uint64_t cycles = 0;
};

/// A run in a separate process.
Ran run(const std::string &program, unsigned block, std::vector<std::string> settings, bool reverse = false) {
    const test::TemporaryFolder folder;
    test::write_file(folder / "kernel.sasm", program);
    test::write_file(folder / "launch.yaml", "program: kernel.sasm\ngrid: 1\nblock: " + std::to_string(block) +
                                                 "\narguments:\n  - {name: a, type: f64, count: 512}\n");
    settings.emplace_back("sm.hazard_check=true");
    const bool ended = test::run_in_child([&] {
        test::KernelLaunch loaded;
        test::load(loaded, folder / "launch.yaml", settings);
        std::ostringstream trace;
        session::Options options;
        options.trace = &trace;
        options.reverse_order = reverse;
        const session::SimulationResult result =
            session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch, options);
        EXPECT_TRUE(result.stats.hazards.empty());
        if (result.fault || testing::Test::HasFailure()) {
            throw std::runtime_error("see above");
        }
        test::write_file(folder / "report",
                         to_json_text({.stats = result.stats, .config = loaded.config}) + trace.str());
        test::write_file(folder / "buffer", std::string(result.buffers.at(0).begin(), result.buffers.at(0).end()));
    });
    EXPECT_TRUE(ended);
    Ran done{test::read_file(folder / "report"), test::read_file(folder / "buffer"), 0};
    const std::string key = "\"cycles\": ";
    done.cycles = std::stoull(done.report.substr(done.report.find(key) + key.size()));
    return done;
}

const std::vector<std::string> kShared = {"pipes.fp64_per_sm=true", "pipes.fp64.latency=48", "pipes.fp64.interval=16"};

std::vector<std::string> with(std::vector<std::string> settings, const std::vector<std::string> &more) {
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
}

TEST(Fp64PerSm, GivesTheResultsOfAUnitPerSubPartition) {
    const Ran shared = run(kProgram, 512, kShared);
    EXPECT_EQ(shared.buffer, run(kProgram, 512, {}).buffer);
    EXPECT_EQ(shared.buffer, run(kProgram, 512, with(kShared, {"jitter.seed=5"})).buffer);
}

TEST(Fp64PerSm, GivesTheSameBytesInEveryProcessOrder) {
    for (const std::vector<std::string> &more :
         {std::vector<std::string>{}, {"pipes.fp64_queue=1"}, {"pipes.fp64.interval=1", "jitter.seed=5"}}) {
        const Ran first = run(kProgram, 512, with(kShared, more));
        EXPECT_TRUE(first.report == run(kProgram, 512, with(kShared, more), true).report);
    }
}

/// Straight-line code of `count` instructions, each into a different register, or a chain.
std::string sums(unsigned count, bool chain) {
    std::string text = ".kernel k\n";
    for (unsigned i = 0; i < count; ++i) {
        text += chain ? " DADD R[2:3], R[2:3], 1.0;\n"
                      : " DADD R[" + std::to_string(2 + 2 * i) + ":" + std::to_string(3 + 2 * i) + "], R[0:1], 1.0;\n";
    }
    return text + " EXIT;\n";
}
/// Cycles taken by 20 more instructions in each warp.
std::uint64_t more_cycles(unsigned block, bool chain) {
    return run(sums(40, chain), block, kShared).cycles - run(sums(20, chain), block, kShared).cycles;
}
TEST(Fp64PerSm, AChainRunsByTheLatencyAndAllWarpsShareTheRate) {
    EXPECT_EQ(more_cycles(32, true), 20 * 48U);
    EXPECT_EQ(more_cycles(32, false), 20 * 16U);
    EXPECT_EQ(more_cycles(256, false), 8 * 20 * 16U);
}

} // namespace
} // namespace smsim
