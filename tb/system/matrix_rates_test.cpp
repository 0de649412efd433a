// Products of matrices one after the other in a whole SM, on the configuration of each generation: independent ones
// reach the peak that its data sheet or a measurement gives, dependent ones take the latency that was measured
// (tensor.md 3).
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/report.h"
#include "session/simulation.h"
#include "tb/support/child_process.h"
#include "tb/support/kernel_launch.h"

namespace smsim {
namespace {

/// Products of a body, each with an accumulator of its own.
constexpr unsigned kIndependent = 8;

/// The instruction with its operands: A from R32 on, B from R48, C and D from the first register of accumulator
/// `number`; of a sparse one the metadata of R60.
std::string product(const std::string &name, unsigned number) {
    const unsigned accumulator = 64 + 8 * number;
    const bool sparse = name.find(".SP") != std::string::npos;
    return fmt::format(" {} R{}, R32, R48, R{}{};\n", name, accumulator, accumulator, sparse ? ", R60" : "");
}

/// What the report of a CTA of `warps` warps that run `body` `count` times has under the names of profilers.
nlohmann::json metrics(const std::string &config, unsigned warps, const std::string &body, unsigned count) {
    const test::TemporaryFolder folder;
    test::write_file(folder / "kernel.sasm",
                     fmt::format(".kernel k\n.registers 128\n MOV R60, 0x44444444;\n MOV R0, {};\n"
                                 "again:\n{} IADD3 R0, R0, -0x1, RZ;\n"
                                 " ISETP.NE.AND P0, PT, R0, RZ, PT;\n @P0 BRA again;\n EXIT;\n",
                                 count, body));
    test::write_file(folder / "launch.yaml", fmt::format("program: kernel.sasm\ngrid: 1\nblock: {}\n", 32 * warps));
    const bool ended = test::run_in_child([&] {
        test::KernelLaunch loaded;
        test::load(loaded, folder / "launch.yaml", {"sm.hazard_check=true"}, std::nullopt,
                   SMSIM_SOURCE_DIR "/configs/" + config + ".yaml");
        const session::SimulationResult result =
            session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch, {});
        EXPECT_TRUE(result.stats.hazards.empty());
        EXPECT_FALSE(result.fault) << result.exception;
        RunReport written{.stats = result.stats, .config = loaded.config};
        written.code = &loaded.program;
        test::write_file(folder / "metrics", to_json(written)["metrics"].dump());
    });
    EXPECT_TRUE(ended);
    return nlohmann::json::parse(ended ? test::read_file(folder / "metrics") : "{}");
}

std::uint64_t cycles(const std::string &config, unsigned warps, const std::string &body, unsigned count) {
    return metrics(config, warps, body, count).value("sm__cycles_elapsed.max", std::uint64_t{0});
}

/// Cycles for each run of `body`, without beginning and end.
double cycles_of_body(const std::string &config, unsigned warps, const std::string &body) {
    constexpr unsigned kFew = 40;
    constexpr unsigned kMany = 140;
    const std::uint64_t many = cycles(config, warps, body, kMany);
    return static_cast<double>(many - cycles(config, warps, body, kFew)) / (kMany - kFew);
}

// --- rates ---------------------------------------------------------------------------------------------------------

struct Peak {
    const char *config;
    const char *name;
    unsigned multiply_adds; ///< of an instruction
    double peak;            ///< multiply-adds per cycle and SM
};

class MatrixPeaks : public testing::TestWithParam<Peak> {};

TEST_P(MatrixPeaks, IndependentProductsReachThePeakOfTheGeneration) {
    const Peak &of = GetParam();
    constexpr unsigned kWarps = 16;
    // Long, because reading the registers of some products takes as long as their pipe, so that each instruction of the
    // loop itself delays them.
    constexpr unsigned kProducts = 8 * kIndependent;
    std::string body;
    for (unsigned i = 0; i < kProducts; ++i) {
        body += product(of.name, i % kIndependent);
    }
    const double work = static_cast<double>(kWarps) * kProducts * of.multiply_adds;
    EXPECT_NEAR(work / cycles_of_body(of.config, kWarps, body), of.peak, 0.01 * of.peak);
}

INSTANTIATE_TEST_SUITE_P(
    Of, MatrixPeaks,
    testing::Values(
        // 7.0: 125 TFLOP/s of 80 SMs at 1.53 GHz.
        Peak{"v100", "HMMA.884.F32.F32", 1024, 512}, Peak{"v100", "HMMA.884.F16.F16", 1024, 512},
        // 7.5: f16 of 8 tensor cores of 64; with f32 results half of it on GeForce cards.
        Peak{"turing", "HMMA.1688.F16.F16", 1024, 512}, Peak{"turing", "HMMA.1688.F32.F32", 1024, 256},
        Peak{"turing", "IMMA.8816.S8.S8", 1024, 1024}, Peak{"turing", "IMMA.8832.S4.S4", 2048, 2048},
        // 8.0: 312 TFLOP/s of 108 SMs at 1.41 GHz.
        Peak{"a100", "HMMA.16816.F32.F32", 2048, 1024}, Peak{"a100", "HMMA.16816.F16.F16", 2048, 1024},
        Peak{"a100", "HMMA.1688.F32.F32", 1024, 1024}, Peak{"a100", "HMMA.16816.F32.F32.BF16", 2048, 1024},
        Peak{"a100", "HMMA.1688.F32.F32.TF32", 1024, 512}, Peak{"a100", "IMMA.16832.S8.S8", 4096, 2048},
        Peak{"a100", "IMMA.16864.S4.S4", 8192, 4096}, Peak{"a100", "BMMA.168256.XOR", 32768, 16384},
        Peak{"a100", "DMMA.884", 256, 64}, Peak{"a100", "HMMA.16832.F32.F32.SP0", 4096, 2048},
        Peak{"a100", "IMMA.16864.S8.S8.SP0", 8192, 4096},
        // 8.6 and 8.9 of GeForce: half with f32 results.
        Peak{"ga10x", "HMMA.16816.F32.F32", 2048, 256}, Peak{"ga10x", "HMMA.16816.F16.F16", 2048, 512},
        Peak{"ga10x", "HMMA.16816.F32.F32.BF16", 2048, 256}, Peak{"ga10x", "HMMA.1688.F32.F32.TF32", 1024, 128},
        Peak{"ga10x", "IMMA.16832.S8.S8", 4096, 1024}, Peak{"ga10x", "IMMA.16864.S4.S4", 8192, 2048},
        Peak{"ga10x", "DMMA.884", 256, 2}, Peak{"ada", "HMMA.16816.F32.F32", 2048, 256},
        Peak{"ada", "HMMA.16816.F16.F16", 2048, 512}, Peak{"ada", "HMMA.1688.F32.F32.TF32", 1024, 128},
        Peak{"ada", "HMMA.16832.F32.F32.E4M3", 4096, 512}, Peak{"ada", "HMMA.16832.F16.F16.E5M2", 4096, 1024},
        Peak{"ada", "IMMA.16832.S8.S8", 4096, 1024},
        // 9.0 by mma.sync, as measured: 6 cycles for HMMA.16816.
        Peak{"h100", "HMMA.16816.F32.F32", 2048, 4.0 * 2048 / 6},
        Peak{"h100", "HMMA.1688.F32.F32.TF32", 1024, 4.0 * 1024 / 6},
        Peak{"h100", "IMMA.16832.S8.S8", 4096, 4.0 * 4096 / 6}, Peak{"h100", "DMMA.884", 256, 128}),
    [](const auto &one) {
        std::string name = std::string(one.param.config) + "_" + one.param.name;
        std::ranges::replace(name, '.', '_');
        return name;
    });

// --- latencies -----------------------------------------------------------------------------------------------------

struct Chain {
    const char *config;
    const char *name;
    double measured; ///< cycles from a product to the next one that adds to its result
};

class MatrixChains : public testing::TestWithParam<Chain> {};

TEST_P(MatrixChains, DependentProductsTakeTheLatencyThatWasMeasured) {
    const Chain &of = GetParam();
    std::string body;
    for (unsigned i = 0; i < 4 * kIndependent; ++i) {
        body += product(of.name, 0);
    }
    const double found = cycles_of_body(of.config, 1, body) / (4 * kIndependent);
    EXPECT_NEAR(found, of.measured, 1);
}

// A100: Sun et al., arXiv 2206.02874, Table 3, where a loop of one product has 0.7 cycles more.
INSTANTIATE_TEST_SUITE_P(Of, MatrixChains,
                         testing::Values(Chain{"a100", "HMMA.1688.F32.F32", 17.7},
                                         Chain{"a100", "HMMA.16816.F32.F32", 24.7},
                                         Chain{"a100", "HMMA.16816.F16.F16", 24.4},
                                         Chain{"a100", "HMMA.1688.F32.F32.TF32", 25.0},
                                         Chain{"a100", "IMMA.16832.S8.S8", 24.7}, Chain{"a100", "DMMA.884", 26},
                                         Chain{"h100", "HMMA.16816.F32.F32", 24}),
                         [](const auto &one) {
                             std::string name = std::string(one.param.config) + "_" + one.param.name;
                             std::ranges::replace(name, '.', '_');
                             return name;
                         });

// --- in the report -------------------------------------------------------------------------------------------------

TEST(MatrixReport, CountsWhatTheTensorPipeDidUnderTheNamesOfProfilers) {
    constexpr unsigned kTimes = 10;
    const std::string body = product("HMMA.16816.F32.F32", 0) + product("HMMA.16816.F32.F32", 1) +
                             product("IMMA.16832.S8.S8", 2) + product("DMMA.884", 3);
    const nlohmann::json found = metrics("a100", 4, body, kTimes);
    EXPECT_EQ(found.at("sm__inst_executed_pipe_tensor.sum"), 4 * 4 * kTimes);
    EXPECT_EQ(found.at("sm__inst_executed_pipe_tensor_op_hmma.sum"), 4 * 2 * kTimes);
    EXPECT_EQ(found.at("sm__inst_executed_pipe_tensor_op_imma.sum"), 4 * kTimes);
    EXPECT_EQ(found.at("sm__inst_executed_pipe_tensor_op_dmma.sum"), 4 * kTimes);
    const double busy = kTimes * (8 + 8 + 8 + 16); // of each sub-partition
    EXPECT_NEAR(found.at("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"),
                100 * busy / found.at("sm__cycles_elapsed.max").get<double>(), 1e-9);
    EXPECT_FALSE(metrics("a100", 4, " FADD R1, R2, R3;\n", kTimes).contains("sm__inst_executed_pipe_tensor.sum"));
}

} // namespace
} // namespace smsim
