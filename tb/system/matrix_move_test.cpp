// LDSM, STSM and MOVM in a whole SM: a product of matrices from shared memory and back, and what a move costs beside
// the loads and stores of as many registers (tensor.md 1, 3).
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "session/simulation.h"
#include "tb/support/child_process.h"
#include "tb/support/kernel_launch.h"

namespace smsim {
namespace {

/// What a run leaves: the buffer, and counters of each instruction by its number.
struct Ran {
    std::string buffer;
    std::vector<AccessStats> accesses;
};

/// Runs `code` with one warp and a buffer of 1024 bytes that begins with `input`, whose address is in R[2:3]; R0 is the
/// lane.
Ran run(const std::string &code, const std::string &config, const std::string &input = {}) {
    const test::TemporaryFolder folder;
    std::string bytes = input;
    bytes.resize(1024);
    test::write_file(folder / "input.bin", bytes);
    test::write_file(folder / "kernel.sasm", ".kernel k\n.shared 16384\n LDC.64 R[2:3], c[0x0][0x160];\n"
                                             " S2R R0, SR_LANEID;\n" +
                                                 code + " EXIT;\n");
    test::write_file(folder / "launch.yaml", "program: kernel.sasm\ngrid: 1\nblock: 32\narguments:\n"
                                             "  - {name: a, type: u8, count: 1024, init: {file: input.bin}}\n");
    const bool ended = test::run_in_child([&] {
        test::KernelLaunch loaded;
        test::load(loaded, folder / "launch.yaml", {"sm.hazard_check=true"}, std::nullopt,
                   SMSIM_SOURCE_DIR "/configs/" + config + ".yaml");
        const session::SimulationResult result =
            session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch, {});
        EXPECT_TRUE(result.stats.hazards.empty());
        EXPECT_FALSE(result.fault) << result.exception;
        const auto &counted = result.stats.lsu.by_pc;
        test::write_file(folder / "accesses", std::string(reinterpret_cast<const char *>(counted.data()),
                                                          counted.size() * sizeof(AccessStats)));
        test::write_file(folder / "buffer", std::string(result.buffers.at(0).begin(), result.buffers.at(0).end()));
    });
    EXPECT_TRUE(ended);
    Ran done{test::read_file(folder / "buffer"), {}};
    const std::string accesses = test::read_file(folder / "accesses");
    done.accesses.resize(accesses.size() / sizeof(AccessStats));
    std::memcpy(done.accesses.data(), accesses.data(), accesses.size());
    return done;
}

// --- a product -----------------------------------------------------------------------------------------------------

/// The f16 of a whole number from -2048 to 2048.
std::uint16_t half(int value) {
    const unsigned sign = value < 0 ? 0x8000U : 0U;
    const unsigned size = static_cast<unsigned>(value < 0 ? -value : value);
    if (size == 0) {
        return 0;
    }
    const unsigned exponent = static_cast<unsigned>(std::bit_width(size)) - 1;
    return static_cast<std::uint16_t>(sign | (exponent + 15) << 10 | (size << 10 >> exponent & 0x3ffU));
}

void put(std::string &bytes, std::size_t index, int value) {
    const std::uint16_t bits = half(value);
    std::memcpy(&bytes[2 * index], &bits, 2);
}

int of_a(int row, int k) {
    return (3 * row + 5 * k) % 7 - 3;
}
int of_b(int k, int column) {
    return (2 * k + 3 * column) % 5 - 2;
}

/// A, 16 rows of 16, then B, 16 rows of 8.
std::string factors() {
    std::string bytes(768, 0);
    for (int row = 0; row < 16; ++row) {
        for (int k = 0; k < 16; ++k) {
            put(bytes, 16 * row + k, of_a(row, k));
        }
        for (int column = 0; column < 8; ++column) {
            put(bytes, 256 + 8 * row + column, of_b(row, column));
        }
    }
    return bytes;
}
/// Their product, 16 rows of 8.
std::string product() {
    std::string bytes(256, 0);
    for (int row = 0; row < 16; ++row) {
        for (int column = 0; column < 8; ++column) {
            int sum = 0;
            for (int k = 0; k < 16; ++k) {
                sum += of_a(row, k) * of_b(k, column);
            }
            put(bytes, 8 * row + column, sum);
        }
    }
    return bytes;
}

/// Copies the factors to shared memory, multiplies what `load_b` loads to R[16:17], and returns the product. R1 is 16
/// times the lane, R11 the row of A that the lane has the address of.
std::string multiply(const std::string &load_b) {
    return " SHL R1, R0, 0x4;\n IMAD.WIDE.U32 R[20:21], R0, 0x10, R[2:3];\n LDG.128 R[4:7], [R[20:21]];\n"
           " STS.128 [R1], R[4:7];\n IMAD.WIDE.U32 R[22:23], R0, 0x8, R[2:3];\n LDG.64 R[8:9], [R[22:23]+0x200];\n"
           " SHL R10, R0, 0x3;\n STS.64 [R10+0x200], R[8:9];\n LOP3 R11, R0, 0xf, RZ, 0xc0;\n SHL R11, R11, 0x5;\n"
           " SHR R12, R0, 0x4;\n LEA R11, R12, R11, 0x4;\n LDSM.16.M88.4 R12, [R11];\n" +
           load_b +
           " HMMA.16816.F16.F16 R18, R12, R16, RZ;\n STSM.16.M88.2 [R1+0x300], R18;\n LDS.64 R[24:25], [R10+0x300];\n"
           " STG.64 [R[22:23]+0x300], R[24:25];\n";
}

TEST(MatrixMove, LdsmHmmaAndStsmMultiplyMatricesOfSharedMemory) {
    const std::string expected = product();
    EXPECT_EQ(run(multiply(" LDSM.16.MT88.2 R16, [R1+0x200];\n"), "h100", factors()).buffer.substr(768), expected);
    EXPECT_EQ(run(multiply(" LDSM.16.M88.2 R24, [R1+0x200];\n MOVM.16.MT88 R16, R24;\n MOVM.16.MT88 R17, R25;\n"),
                  "h100", factors())
                  .buffer.substr(768),
              expected);
}

// --- time ----------------------------------------------------------------------------------------------------------

/// Counters of one access by `text` with R1 = lane << `shift`.
AccessStats access(const std::string &text, unsigned shift, const std::string &config) {
    constexpr std::size_t kNumber = 3; // of the instruction
    return run(" SHL R1, R0, " + std::to_string(shift) + ";\n " + text + ";\n", config).accesses.at(kNumber);
}

/// The modifiers for 1, 2 and 4 matrices.
const std::array<std::string, 3> kCounts = {"", ".2", ".4"};

TEST(MatrixMoveTime, TensorMd3_OneMatrixTakesTheTimeOfAWord) {
    for (const char *config : {"a100", "h100", "default"}) {
        EXPECT_EQ(access("LDSM.16.M88 R4, [R1]", 4, config).cycles, access("LDS R4, [R1]", 2, config).cycles) << config;
        EXPECT_EQ(access("STSM.16.MT88 [R1], R4", 4, config).cycles, access("STS [R1], R4", 2, config).cycles)
            << config;
    }
}

TEST(MatrixMoveTime, TensorMd3_AFurtherPassOfALoadTakesTwoCyclesMore) {
    for (const char *config : {"a100", "h100"}) {
        const Cycle one = access("LDSM.16.M88 R4, [R1]", 4, config).cycles;
        unsigned count = 1;
        for (const std::string &matrices : kCounts) {
            const std::string text = "LDSM.16.M88" + matrices + " R4, [R1]";
            for (const unsigned ways : {1U, 2U, 4U, 8U}) {
                const auto shift = static_cast<unsigned>(std::countr_zero(16 * ways));
                EXPECT_EQ(access(text, shift, config).cycles, one + 2 * std::uint64_t{count * ways - 1})
                    << config << matrices << ", rows " << 16 * ways << " bytes apart";
            }
            count *= 2;
        }
    }
}

TEST(MatrixMoveTime, TensorMd3_EachMatrixIsAPassAndConflictsOfItsRowsAddPasses) {
    for (const std::string operation : {"LDSM.16.M88", "STSM.16.M88"}) {
        unsigned count = 1;
        for (const std::string &matrices : kCounts) {
            const std::string text = operation + matrices + (operation[0] == 'L' ? " R4, [R1]" : " [R1], R4");
            const AccessStats together = access(text, 4, "h100");
            EXPECT_EQ(together.shared_passes, count) << text;
            EXPECT_EQ(together.bank_conflicts, 0U) << text;
            EXPECT_EQ(together.requested_bytes, 128U * count) << text;
            const AccessStats apart = access(text, 7, "h100"); // all rows in the same four banks
            EXPECT_EQ(apart.shared_passes, 8U * count) << text;
            EXPECT_EQ(apart.bank_conflicts, 7U * count) << text;
            count *= 2;
        }
    }
}

} // namespace
} // namespace smsim
