// Utilisation compared with counts by hand: small launches in which every use of every unit follows from the program
// and the configuration.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assembler/assembler.h"
#include "model/config/config.h"
#include "model/config/loader.h"
#include "model/stats/utilisation.h"
#include "session/simulation.h"

namespace smsim {
namespace {

/// The use of every unit that was used at all, over all its instances, after a launch of one CTA whose argument is a
/// buffer.
std::map<std::string, std::uint64_t> use_of(const std::string &text, std::uint32_t threads,
                                            const std::vector<std::string> &settings) {
    const Config config = load_config(std::nullopt, settings);
    const Program program = assemble(text, "k.sasm", timing::SchedulingModel(config));
    launch::Argument buffer;
    buffer.name = "a";
    buffer.is_buffer = true;
    buffer.count = 1024;
    launch::Launch launch;
    launch.grid = {1, 1, 1};
    launch.block = {threads, 1, 1};
    launch.arguments = {buffer};
    const session::SimulationResult result = session::simulate(config, program, program.kernels.at(0), launch);
    EXPECT_FALSE(result.fault) << result.exception;
    std::map<std::string, std::uint64_t> use;
    for (const UnitUse &unit : result.stats.units) {
        if (unit.busy() != 0) {
            use[std::string(used_unit_spec(unit.unit).name)] = unit.busy();
        }
    }
    return use;
}

TEST(UtilisationByHand, OfEachUnitOnTheWayOfOneWarp) {
    const auto use = use_of(".kernel k\n.shared 128\n"
                            " S2R R0, SR_TID.X;\n"
                            " LDC.64 R[4:5], c[0x0][0x160];\n"
                            " SHL R1, R0, 0x2;\n"
                            " FADD R2, R1, R1;\n"
                            " FFMA R2, R2, R2, R2;\n"
                            " MUFU.RCP R3, R2;\n"
                            " STS [R1], R3;\n"
                            " LDG R6, [R[4:5]];\n"
                            " IADD3 R7, R6, R3, RZ;\n"
                            " LDS R8, [R1];\n"
                            " IADD3 R9, R8, R7, RZ;\n"
                            " BAR.SYNC 0x0;\n"
                            " EXIT;\n",
                            32, {});
    const std::map<std::string, std::uint64_t> expected = {
        {"fetch", 13 + 1}, // one after EXIT is requested
        {"issue", 13},
        {"alu", 3},
        {"fma", 2},
        {"xu", 2 * 4}, // S2R and MUFU
        {"branch_unit", 1},
        {"barrier_unit", 1},
        {"lsu_address", 4},   // LDC, STS, LDG, LDS
        {"lsu_queue", 4 + 1}, // LDG is issued after STS, which takes the unit for two cycles
        {"load_store", 3 * 2},
        {"l1_tags", 1},
        {"shared_array", 2},
        {"global_path", 128},
        {"mshrs", 1 + 253},            // the line moves in two cycles, and arrives the latency after the second one
        {"transactions", 1 + 253 + 1}, // and the L1 answers in the next cycle
    };
    EXPECT_EQ(use, expected);
}

TEST(UtilisationByHand, OfTwoWarpsThatDivergeAndShareTheLoadStoreUnit) {
    const auto use = use_of(".kernel k\n.shared 1024\n"
                            " S2R R0, SR_TID.X;\n"
                            " LDC.64 R[4:5], c[0x0][0x160];\n"
                            " SHL R1, R0, 0x3;\n"
                            " LOP3 R2, R0, 0x10, RZ, 0xc0;\n"
                            " ISETP.NE.AND P0, PT, R2, RZ, PT;\n"
                            " BSSY B0, joined;\n"
                            " @P0 BRA joined;\n"
                            " STS [R1], R0;\n"
                            "joined:\n"
                            " BSYNC B0;\n"
                            " MOV R8, 0x20;\n"
                            " IMAD.WIDE.U32 R[6:7], R0, R8, R[4:5];\n"
                            " STG [R[6:7]], R0;\n"
                            " EXIT;\n",
                            64, {"bru.branch_interval=3", "bru.barrier_interval=2", "bru.sync_interval=4"});
    // A store of 32 words that are 32 bytes apart is eight rows of 100 bytes; row k of the first warp has moved by
    // cycle (100 k + 99) / 64. The second warp is served eight cycles later, and its rows move after those.
    std::uint64_t moves = 0;
    for (std::uint64_t row = 0; row < 8; ++row) {
        moves += (100 * row + 99) / 64 + (800 + 100 * row + 99) / 64 - 8;
    }
    const std::map<std::string, std::uint64_t> expected = {
        {"fetch", 2 * (13 + 1)},
        {"issue", 2 * 13},
        {"alu", 2 * 4},
        {"fma", 2},
        {"xu", 2 * 4},
        {"branch_unit", 2 * (2 + 3 + 4 + 3)}, // BSSY, BRA, BSYNC, EXIT
        {"lsu_address", 2 * 3},
        {"lsu_queue", 3 + 3 + 2 + 8}, // the second warp waits for the first one, two cycles at STS and eight at STG
        {"load_store", 2 * (2 + 8)},
        {"l1_tags", 2 * 8},
        {"shared_array", 2}, // 16 threads, each in a different bank
        {"global_path", 2 * 8 * 100},
        {"transactions", 2 * 8 * 253 + moves},
    };
    EXPECT_EQ(use, expected);
}

} // namespace
} // namespace smsim
