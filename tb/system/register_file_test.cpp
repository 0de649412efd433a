// The registers' ports in a whole SM: products of a tile of registers with and without reuse cache, by bank; waits are
// charged to dispatch; instructions delayed by a result of fixed latency; results that do not depend on the order of
// processes.
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

const std::vector<std::string> kPorts = {"register_file.read_ports=1", "sm.hazard_check=true"};

std::vector<std::string> with(std::vector<std::string> settings, const std::vector<std::string> &more) {
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
}

/// Ten times: the products of four registers from `a` on and four from `b` on, added to sixteen from R64 on, every
/// second one: all sums are in the bank of even registers.
std::string products(unsigned a, unsigned b) {
    std::string text = ".kernel k\n";
    for (unsigned round = 0; round < 10; ++round) {
        for (unsigned i = 0; i < 4; ++i) {
            for (unsigned j = 0; j < 4; ++j) {
                const std::string sum = "R" + std::to_string(64 + 2 * (4 * i + j));
                text += " FFMA " + sum + ", R" + std::to_string(a + 2 * i) + ", R" + std::to_string(b + 2 * j) + ", " +
                        sum + ";\n";
            }
        }
    }
    return text + " EXIT;\n";
}

/// The report and the trace of a run in a separate process.
std::pair<json, std::string> run(const std::string &program, const std::vector<std::string> &settings,
                                 unsigned block = 128, bool reverse = false) {
    const test::TemporaryFolder folder;
    test::write_file(folder / "kernel.sasm", program);
    test::write_file(folder / "launch.yaml",
                     "program: kernel.sasm\ngrid: 1\nblock: " + std::to_string(block) + "\ndynamic_shared: 4096\n");
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

struct Cost {
    double per_product = 0; ///< extra cycles of a sub-partition with one warp over a run without limits
    Cycle dispatch = 0;     ///< warp-cycles
};

Cost cost_of(const std::string &program, const std::vector<std::string> &settings) {
    constexpr double kProducts = 160;
    const json free = run(program, {}).first;
    EXPECT_EQ(free["stalls"]["dispatch"], 0U);
    const json report = run(program, settings).first;
    return {(report["cycles"].get<double>() - free["cycles"].get<double>()) / kProducts, report["stalls"]["dispatch"]};
}

TEST(RegisterFile, OperandsOfOneBankCostACycleEachUnlessTheyAreKept) {
    const std::string one_bank = products(16, 32);
    const Cost kept = cost_of(one_bank, kPorts);
    EXPECT_NEAR(kept.per_product, 1.25, 0.05) << "three products in four find operand a in the reuse cache";
    const Cost read = cost_of(one_bank, with(kPorts, {"register_file.reuse_cache=false"}));
    EXPECT_NEAR(read.per_product, 2, 0.05);
    EXPECT_NEAR(static_cast<double>(kept.dispatch) / (4 * 160), kept.per_product, 0.05);
    EXPECT_NEAR(static_cast<double>(read.dispatch) / (4 * 160), read.per_product, 0.05);
}

TEST(RegisterFile, OperandsOfBothBanksCostLess) {
    EXPECT_NEAR(cost_of(products(17, 32), with(kPorts, {"register_file.reuse_cache=false"})).per_product, 1, 0.05);
    EXPECT_NEAR(cost_of(products(32, 17), kPorts).per_product, 0.25, 0.05);
}

TEST(RegisterFile, ALoadIsThereACycleLaterWhenAResultOfFixedLatencyMeetsIt) {
    const auto cycles = [](unsigned bank, bool conflicts) {
        std::string program = ".kernel k\n";
        for (unsigned i = 0; i < 10; ++i) {
            program += " LDS R4, [RZ] ?stall2 &wsb=0;\n";
            for (unsigned k = 0; k < 40; ++k) {
                program += " MOV R" + std::to_string(20 + bank) + ", 0x1 ?stall1;\n";
                program += k == 20 ? " FADD R10, R4, R4 ?stall1 &req={0};\n" : "";
            }
        }
        program += " EXIT ?stall1;\n";
        return run(program, with({"register_file.write_conflicts=" + std::string(conflicts ? "true" : "false")}, {}),
                   32)
            .first["cycles"]
            .get<Cycle>();
    };
    EXPECT_EQ(cycles(0, true), cycles(0, false) + 10);
    EXPECT_EQ(cycles(1, true), cycles(1, false));
}

TEST(RegisterFile, ResultsDoNotDependOnTheProcessOrder) {
    const std::string program = products(16, 32);
    const std::vector<std::string> settings = with(kPorts, {"register_file.write_conflicts=true"});
    EXPECT_EQ(run(program, settings), run(program, settings, 128, true));
}

} // namespace
} // namespace smsim
