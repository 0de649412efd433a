// Constants in a whole SM: operands and LDC that miss their caches, in kernels whose constants do and do not fit; each
// effect on and off, with the reason to which it is charged; results that do not depend on the order of processes.
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/report.h"
#include "session/simulation.h"
#include "tb/support/child_process.h"
#include "tb/support/kernel_launch.h"

namespace smsim {
namespace {

using nlohmann::json;

/// Eight lines of 64 bytes for operands, sixteen for LDC.
const std::string kOperands = "constants.operand_bytes=512";
const std::string kLoads = "constants.load_bytes=1024";
constexpr Cycle kOperandMiss = 79; // the defaults of constants.miss_latency
constexpr Cycle kLoadMiss = 62;    // and of constants.load_miss_latency

/// The given number of lines of constants. Each word is the position of the same word in the next line; the last line
/// leads to the first.
std::string constants(unsigned lines) {
    std::string text = ".const 0x3\n";
    for (unsigned line = 0; line < lines; ++line) {
        for (unsigned word = 0; word < 16; ++word) {
            text += fmt::format(" .word {}\n", 64 * ((line + 1) % lines) + 4 * word);
        }
    }
    return text + ".text\n.kernel k\n";
}

/// Two passes of `body`.
std::string two_passes(const std::string &body) {
    return " MOV R1, 0x2;\nagain:\n" + body +
           " IADD3 R1, R1, -0x1, RZ;\n ISETP.NE.AND P0, PT, R1, RZ, PT;\n @P0 BRA again;\n EXIT;\n";
}

/// Two passes over a word of each line, as an operand.
std::string operands(unsigned lines) {
    std::string body;
    for (unsigned line = 0; line < lines; ++line) {
        body += fmt::format(" IADD3 R{}, R2, c[0x3][0x{:x}], RZ;\n", 8 + line, 64 * line);
    }
    return constants(lines) + two_passes(body);
}

/// Two passes over the lines by LDC, each of which waits for the previous one, and the code after them for the last.
/// All threads read the same word.
std::string chain(unsigned lines) {
    std::string body;
    for (unsigned line = 0; line < lines; ++line) {
        body += " LDC R2, c[0x3][R2];\n";
    }
    return constants(lines) + " MOV R2, RZ;\n" + two_passes(body + " IADD3 R2, R2, 0x0, RZ;\n");
}

/// An LDC by which `different` threads read their own words and the others one of these, then an instruction that
/// reads the result.
std::string spread(unsigned different) {
    return constants(4) + fmt::format(" S2R R2, SR_LANEID;\n LOP3 R2, R2, 0x{:x}, RZ, 0xc0;\n SHL R2, R2, 0x2;\n"
                                      " LDC R3, c[0x3][R2];\n IADD3 R4, R3, 0x1, RZ;\n EXIT;\n",
                                      different - 1);
}

/// The report and the trace of a run in a separate process.
std::pair<json, std::string> run(const std::string &program, const std::vector<std::string> &settings,
                                 unsigned block = 32, bool reverse = false) {
    const test::TemporaryFolder folder;
    test::write_file(folder / "kernel.sasm", program);
    test::write_file(folder / "launch.yaml", "program: kernel.sasm\ngrid: 1\nblock: " + std::to_string(block) + "\n");
    const bool ended = test::run_in_child([&] {
        test::KernelLaunch loaded;
        // The code is available at once, so that waiting for it hides no wait for a constant.
        std::vector<std::string> all = {"sm.hazard_check=true", "icache.l1_latency=1"};
        all.insert(all.end(), settings.begin(), settings.end());
        test::load(loaded, folder / "launch.yaml", all);
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

/// The extra time of a run with `settings`, in total and by reason, over one with all constants present.
struct Cost {
    Cycle cycles = 0;
    Cycle imc_miss = 0;
    Cycle short_scoreboard = 0;
    Cycle misses = 0; ///< of LDC
};

Cost cost_of(const std::string &program, const std::vector<std::string> &settings) {
    const json there = run(program, {}).first;
    EXPECT_EQ(there["stalls"]["imc_miss"], 0U);
    const json report = run(program, settings).first;
    const auto more = [&](const char *reason) {
        return report["stalls"][reason].get<Cycle>() - there["stalls"][reason].get<Cycle>();
    };
    return {report["cycles"].get<Cycle>() - there["cycles"].get<Cycle>(), more("imc_miss"), more("short_scoreboard"),
            report["memory"]["load_store"]["constant_misses"]};
}

TEST(ConstantsOfKernels, OperandsThatFitAreMissedOnce) {
    const Cost cost = cost_of(operands(8), {kOperands});
    EXPECT_EQ(cost.imc_miss, 8 * kOperandMiss);
    EXPECT_EQ(cost.cycles, 8 * kOperandMiss);
    EXPECT_EQ(cost.short_scoreboard, 0U);
}

TEST(ConstantsOfKernels, OperandsThatDoNotFitAreMissedInEveryPass) {
    EXPECT_EQ(cost_of(operands(16), {kOperands}).imc_miss, 2 * 16 * kOperandMiss);
}

TEST(ConstantsOfKernels, LdcThatFitsMissesOnce) {
    const Cost cost = cost_of(chain(16), {kLoads});
    EXPECT_EQ(cost.misses, 16U);
    EXPECT_EQ(cost.short_scoreboard, 16 * kLoadMiss);
    EXPECT_EQ(cost.cycles, 16 * kLoadMiss);
    EXPECT_EQ(cost.imc_miss, 0U);
}

TEST(ConstantsOfKernels, LdcThatDoesNotFitMissesInEveryPass) {
    const Cost cost = cost_of(chain(32), {kLoads});
    EXPECT_EQ(cost.misses, 2 * 32U);
    EXPECT_EQ(cost.short_scoreboard, 2 * 32 * kLoadMiss);
}

TEST(ConstantsOfKernels, OneCacheDoesNotFillTheOther) {
    const std::string both = constants(1) + " LDC R2, c[0x3][0x0];\n IADD3 R3, R2, 0x1, RZ;\n"
                                            " IADD3 R4, R3, c[0x3][0x0], RZ;\n EXIT;\n";
    const Cost cost = cost_of(both, {kOperands, kLoads});
    EXPECT_EQ(cost.misses, 1U);
    EXPECT_EQ(cost.imc_miss, kOperandMiss);
}

TEST(ConstantsOfKernels, ThreadsThatReadDifferentAddressesAreServedOneByOne) {
    for (const unsigned different : {1U, 2U, 32U}) {
        const Cost cost = cost_of(spread(different), {"constants.address_interval=4"});
        EXPECT_EQ(cost.cycles, 4 * (different - 1)) << different;
        EXPECT_EQ(cost.short_scoreboard, 4 * (different - 1)) << different;
    }
}

TEST(ConstantsOfKernels, GivesTheSameBytesInEveryProcessOrder) {
    const std::vector<std::string> settings = {kOperands, kLoads, "constants.address_interval=4"};
    for (const std::string &program : {operands(16), chain(32), spread(32)}) {
        EXPECT_TRUE(run(program, settings, 512) == run(program, settings, 512, true));
    }
}

} // namespace
} // namespace smsim
