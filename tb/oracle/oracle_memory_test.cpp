// Memory in the oracle: windows, widths, alignment, atomics, and what is not defined at the start.
#include <gmock/gmock.h>

#include "tb/oracle/test_support.h"

namespace smsim::oracle::test {
namespace {

/// The address of the buffer in R[2:3].
const std::string kPointer = "MOV R2, c[0x0][0x0]; MOV R3, c[0x0][0x4]; ";

TEST(OracleMemory, LoadsExtendAndStoresTruncate) {
    const std::string stored = kPointer + "MOV R1, 0x8081fe9c; STG [R[2:3]], R1; ";
    EXPECT_EQ(compute(stored + "LDG.U8 R0, [R[2:3]+0x1];"), 0xfeU);
    EXPECT_EQ(compute(stored + "LDG.S8 R0, [R[2:3]+0x1];"), 0xfffffffeU);
    EXPECT_EQ(compute(stored + "LDG.U16 R0, [R[2:3]+0x2];"), 0x8081U);
    EXPECT_EQ(compute(stored + "LDG.S16 R0, [R[2:3]+0x2];"), 0xffff8081U);
    EXPECT_EQ(compute(stored + "STG.U8 [R[2:3]+0x3], RZ; LDG R0, [R[2:3]];"), 0x0081fe9cU);
}

TEST(OracleMemory, WideAccessesMoveGroupsOfRegisters) {
    const std::string values = "MOV R4, 0x1; MOV R5, 0x2; MOV R6, 0x3; MOV R7, 0x4; ";
    Bench bench(values + "STS.128 [0x10], R[4:7]; LDS.64 R[8:9], [0x18]; STL.64 [RZ], R[8:9]; LDL R10, [0x4]; EXIT;");
    bench.launch.shared_bytes = 64;
    bench.launch.local_bytes = 16;
    const std::vector<std::uint32_t> row = bench.finish().threads.at(7).registers;
    EXPECT_THAT(std::vector(row.begin() + 8, row.begin() + 11), testing::ElementsAre(3, 4, 4));
}

TEST(OracleMemory, AUniformRegisterHoldsTheAddressForAllThreads) {
    Bench bench("UMOV UR4, 0x14; UMOV UR6, c[0x0][0x0]; UMOV UR7, c[0x0][0x4]; MOV R1, 0x7; STS [UR4-0x4], R1; "
                "LDS R2, [0x10]; STL [UR4-0x10], R2; LDL R3, [URZ+0x4]; STG [UR[6:7]+0x8], R3; LDG R4, [UR[6:7]+0x8]; "
                "ATOMG.MAX R5, [UR[6:7]+0x8], RZ; EXIT;");
    bench.launch.shared_bytes = 64;
    bench.launch.local_bytes = 16;
    const std::vector<std::uint32_t> row = bench.finish().threads.at(7).registers;
    EXPECT_THAT(std::vector(row.begin() + 2, row.begin() + 6), testing::ElementsAre(7, 7, 7, 7));
}

TEST(OracleMemory, ConstantsAreIndexedModulo32Bits) {
    EXPECT_EQ(compute("MOV R1, -0x4; LDC R0, c[0x0][R1+0x4];"), static_cast<std::uint32_t>(kBuffer));
}

TEST(OracleMemory, AnAddressOutsideItsWindowIsIllegal) {
    for (const std::string text : {"LDS R0, [0x3e];", "LDS.64 R[0:1], [0x3c];", "LDS R0, [0x40];", "STL [0x10], RZ;",
                                   "LDC R0, c[0x0][RZ+0x10];", "MOV R0, c[0x4][0x0];"}) {
        Bench bench(text + " EXIT;");
        bench.launch.shared_bytes = 64;
        bench.launch.local_bytes = 16;
        const bool misaligned = text.starts_with("LDS R0, [0x3e]") || text.starts_with("LDS.64");
        EXPECT_EQ(bench.fault(), misaligned ? "MisalignedAddress" : "IllegalAddress") << text;
    }
    EXPECT_EQ(Bench(kPointer + "LDG R0, [R[2:3]+0x100]; EXIT;").fault(), "IllegalAddress");
    EXPECT_EQ(Bench(kPointer + "LDG R0, [R[2:3]+-0x4]; EXIT;").fault(), "IllegalAddress");
    EXPECT_EQ(Bench(kPointer + "ATOMG.ADD.U64 R[0:1], [R[2:3]+0x4], RZ; EXIT;").fault(), "MisalignedAddress");
}

TEST(OracleMemory, EveryRegionIsFound) {
    Bench bench("MOV R3, RZ; MOV R2, 0x5000; LDG.U8 R0, [R[2:3]]; MOV R2, 0x30000; LDG.U8 R1, [R[2:3]]; EXIT;");
    bench.launch.regions.push_back({0x30000, {7}});
    bench.launch.regions.push_back({0x5000, {8}});
    const std::vector<std::uint32_t> row = bench.finish().threads.at(0).registers;
    EXPECT_THAT(std::vector(row.begin(), row.begin() + 2), testing::ElementsAre(8, 7));
}

TEST(OracleMemory, ARegisterBeyondTheAllocationIsIllegal) {
    Bench bench("MOV R0, R15; @!PT MOV R0, R16; MOV R16, RZ; EXIT;");
    bench.launch.registers = 9; // rounded up to 16
    const Failure failure = bench.fail();
    EXPECT_EQ(failure.fault, Fault::kIllegalInstruction);
    EXPECT_THAT(failure.detail, testing::HasSubstr("0x0020"));
}

struct AtomicCase {
    const char *operation;
    std::uint64_t old;
    std::uint64_t operand;
    std::uint64_t expected;
};

class OracleAtomic : public testing::TestWithParam<AtomicCase> {};

TEST_P(OracleAtomic, GivesTheOldValueAndStoresTheNew) {
    const AtomicCase &c = GetParam();
    Bench bench(kPointer + "LDG.64 R[4:5], [R[2:3]+0x8]; " + c.operation + " R6, [R[2:3]], R4; EXIT;");
    bench.launch.block = {1, 1, 1};
    std::memcpy(bench.launch.regions[0].bytes.data(), &c.old, 8);
    std::memcpy(bench.launch.regions[0].bytes.data() + 8, &c.operand, 8);
    const Result result = bench.finish();
    std::uint64_t got = 0;
    std::memcpy(&got, result.regions[0].bytes.data(), 8);
    EXPECT_EQ(got, c.expected);
    EXPECT_EQ(result.threads[0].registers[6], static_cast<std::uint32_t>(c.old));
}

INSTANTIATE_TEST_SUITE_P(
    EveryOperation, OracleAtomic,
    testing::Values(AtomicCase{"ATOMG.ADD", 0xffffffff, 2, 1}, AtomicCase{"ATOMG.ADD.U64", 0xffffffff, 2, 0x100000001},
                    AtomicCase{"ATOMG.ADD.F32", 0x3fc00000, 0x40000000, 0x40600000},
                    AtomicCase{"ATOMG.MIN", 0xffffffff, 2, 2}, AtomicCase{"ATOMG.MIN.S32", 0xffffffff, 2, 0xffffffff},
                    AtomicCase{"ATOMG.MAX.S32", 0xffffffff, 2, 2},
                    AtomicCase{"ATOMG.MAX.U64", ~std::uint64_t{0}, 2, ~std::uint64_t{0}},
                    AtomicCase{"ATOMG.MAX.S64", ~std::uint64_t{0}, 2, 2}, AtomicCase{"ATOMG.INC", 5, 6, 6},
                    AtomicCase{"ATOMG.INC", 6, 6, 0}, AtomicCase{"ATOMG.DEC", 5, 6, 4},
                    AtomicCase{"ATOMG.DEC", 0, 6, 6}, AtomicCase{"ATOMG.DEC", 7, 6, 6},
                    AtomicCase{"ATOMG.AND", 12, 10, 8}, AtomicCase{"ATOMG.OR", 12, 10, 14},
                    AtomicCase{"ATOMG.XOR", 12, 10, 6}, AtomicCase{"ATOMG.EXCH", 12, 10, 10},
                    AtomicCase{"ATOMG.ADD.F64", 0x3ff8000000000000, 0x4000000000000000, 0x400c000000000000},
                    AtomicCase{"ATOMG.AND.U64", 0xc00000000, 0xa00000001, 0x800000000},
                    AtomicCase{"ATOMG.OR.U64", 0xc00000000, 0xa00000001, 0xe00000001},
                    AtomicCase{"ATOMG.XOR.U64", 0xc00000000, 0xa00000001, 0x600000001},
                    AtomicCase{"ATOMG.EXCH.U64", 0xc00000000, 0xa00000001, 0xa00000001}));

TEST(OracleMemory, CompareAndSwapReplacesItsSecondSourceWithItsThird) {
    const std::string values = kPointer + "MOV R4, 0x5; MOV R5, 0x6; STG [R[2:3]], R4; ";
    EXPECT_EQ(compute(values + "ATOMG.CAS R1, [R[2:3]], R4, R5; LDG R0, [R[2:3]];"), 6U);
    EXPECT_EQ(compute(values + "ATOMG.CAS R1, [R[2:3]], R5, R4; LDG R0, [R[2:3]];"), 5U);
}

TEST(OracleMemory, AllThreadsOfAllCtasShareGlobalMemoryAndEachCtaItsWindow) {
    Bench bench(kPointer + "MOV R1, 0x1; RED.ADD [R[2:3]], R1; S2R R4, SR_TID.X; ISETP.EQ.AND P0, PT, R4, RZ, PT;"
                           "@P0 STS [RZ], RZ; BAR.SYNC 0x0; ATOMS.ADD R4, [RZ], R1; BAR.SYNC 0x0; LDS R0, [RZ]; EXIT;");
    bench.launch.grid = {5, 1, 1};
    bench.launch.block = {48, 1, 1};
    bench.launch.shared_bytes = 4;
    const Result result = bench.finish();
    EXPECT_EQ(result.regions[0].bytes[0], 240);
    EXPECT_THAT(registers(result, 0), testing::Each(48U));
}

TEST(OracleMemory, SharedAndLocalMemoryAreNotDefinedAtTheStart) {
    for (const char *text : {"LDS R0, [RZ]; EXIT;", "LDL R0, [RZ]; EXIT;"}) {
        Bench bench(text);
        bench.launch.shared_bytes = 16;
        bench.launch.local_bytes = 16;
        EXPECT_NE(registers(bench.finish(1), 0), registers(bench.finish(2), 0)) << text;
    }
}

} // namespace
} // namespace smsim::oracle::test
