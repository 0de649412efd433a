// The roofline: what counts as work, what its limits are, and which of them holds at an intensity.
#include <gtest/gtest.h>

#include "model/config/config.h"
#include "report/roofline.h"

namespace smsim {
namespace {

struct RooflineTest : ::testing::Test {
    Program program;
    RunStats stats;
    Config config;

    /// `lanes` lanes in total execute `op`.
    void execute(isa::Op op, std::uint64_t lanes) {
        isa::Instruction insn;
        insn.op = op;
        insn.pc = program.size_bytes();
        program.code.push_back(insn);
        stats.pcs.push_back({});
        stats.pcs.back().executed_lanes = lanes;
    }
    /// `bytes` move on the path to global memory, in the first cycle.
    void move(std::uint64_t bytes) {
        UseSeries series;
        series.put(0, 1, bytes);
        add_use(stats.units, UsedUnit::kGlobalPath, config.global.bytes_per_cycle, series);
    }
    Roofline roofline() const { return roofline_of(stats, config, &program); }
};

TEST_F(RooflineTest, AFusedMultiplyAddIsTwoOperationsOfEachLaneAndAPairOfHalvesTwice) {
    execute(isa::Op::kFadd, 10);
    execute(isa::Op::kFfma, 100);
    execute(isa::Op::kDmul, 7);
    execute(isa::Op::kHfma2, 3);
    execute(isa::Op::kIadd3, 1000);
    const Roofline line = roofline();
    ASSERT_EQ(line.work.size(), 4U);
    EXPECT_EQ(line.work[0].operations, 210U);
    EXPECT_EQ(line.work[1].operations, 7U);
    EXPECT_EQ(line.work[2].operations, 12U);
    EXPECT_EQ(line.work[3].name, "lanes");
}

TEST_F(RooflineTest, ProductsOfMatricesAreWorkOfTheirRate) {
    execute(isa::Op::kHmma, 3 * kLanes);
    isa::Instruction &product = program.code.back();
    product.unit = isa::Unit::kTensor;
    product.mod = {3, 0, 0}; // .16816.F32.F32
    execute(isa::Op::kImma, kLanes);
    program.code.back().unit = isa::Unit::kTensor; // .8816.S8.S8
    execute(isa::Op::kDmma, 0);
    program.code.back().unit = isa::Unit::kTensor;
    config.tensor.f16_to_f32 = 1024;
    config.tensor.s8 = 2048;
    const Roofline line = roofline();
    ASSERT_EQ(line.work.size(), 3U);
    EXPECT_EQ(line.work[0].name, "tensor_f16_to_f32");
    EXPECT_EQ(line.work[0].operations, 3U * 2 * 16 * 8 * 16);
    EXPECT_DOUBLE_EQ(line.work[0].peak, 2 * 1024.0);
    EXPECT_EQ(line.work[1].name, "tensor_s8");
    EXPECT_EQ(line.work[1].operations, 2U * 8 * 8 * 16);
    EXPECT_DOUBLE_EQ(line.work[1].peak, 4 * 2.0 * 8 * 8 * 16 / config.pipes.tensor.interval) << "of its small shape";
    EXPECT_EQ(line.work[2].name, "lanes");
}

TEST_F(RooflineTest, ThePeakIsLimitedByPipesAndIssueSlots) {
    for (const isa::Op op : {isa::Op::kFfma, isa::Op::kDfma, isa::Op::kHfma2}) {
        execute(op, 1);
    }
    config.sm.sub_partitions = 4;
    config.pipes.fma.interval = 2;
    config.pipes.fp64.interval = 16;
    config.pipes.half.interval = 2;
    EXPECT_DOUBLE_EQ(roofline().work[0].peak, 128.0);
    EXPECT_DOUBLE_EQ(roofline().work[1].peak, 16.0);
    EXPECT_DOUBLE_EQ(roofline().work[2].peak, 256.0);
    EXPECT_DOUBLE_EQ(roofline().work[3].peak, 128.0);
    config.pipes.second_fp32 = SecondFp32::kOwn;
    EXPECT_DOUBLE_EQ(roofline().work[0].peak, 256.0);
    config.pipes.fma.interval = 1;
    EXPECT_DOUBLE_EQ(roofline().work[0].peak, 256.0) << "a sub-partition issues one instruction per cycle";
    config.pipes.fp64_per_sm = true;
    EXPECT_DOUBLE_EQ(roofline().work[1].peak, 4.0);
}

TEST_F(RooflineTest, MemoryIsTheLimitUntilThePipesAre) {
    config.sm.sub_partitions = 4;
    config.global.bytes_per_cycle = 64;
    execute(isa::Op::kFfma, 64);
    stats.cycles = 10;
    move(64);
    const Roofline low = roofline();
    ASSERT_EQ(low.points.size(), 2U);
    EXPECT_EQ(low.points[0].traffic, "global");
    EXPECT_DOUBLE_EQ(low.points[0].intensity, 2.0);
    EXPECT_DOUBLE_EQ(low.points[0].attainable, 128.0);
    EXPECT_DOUBLE_EQ(low.points[0].achieved, 12.8);
    execute(isa::Op::kFfma, 640);
    EXPECT_DOUBLE_EQ(roofline().points[0].attainable, 256.0);
}

TEST_F(RooflineTest, EachLevelCountsItsBytesAgainstWhatItCanMove) {
    stats.cycles = 10;
    UseSeries passes;
    passes.put(0, 3);
    add_use(stats.units, UsedUnit::kSharedArray, 1, passes);
    move(100);
    UseSeries dram;
    dram.put(0, 1, 40);
    add_use(stats.units, UsedUnit::kDramPath, 32, dram);
    stats.lsu.moved_global_bytes = 640;
    config.shared.banks = 16;
    config.shared.bank_bytes = 8;
    config.lsu.lines_per_cycle = 2;
    const auto expect = [](const RooflineTraffic &traffic, std::string_view name, std::uint64_t bytes, double peak) {
        EXPECT_EQ(traffic.name, name);
        EXPECT_EQ(traffic.bytes, bytes);
        EXPECT_DOUBLE_EQ(traffic.peak, peak) << name;
    };
    const std::vector<RooflineTraffic> traffic = roofline().traffic;
    ASSERT_EQ(traffic.size(), 4U);
    expect(traffic[0], "shared", 384, 128);
    expect(traffic[1], "l1", 640, 256);
    expect(traffic[2], "global", 100, 64);
    expect(traffic[3], "dram", 40, 32);
}

TEST_F(RooflineTest, TheDataArrayIsTheRoofOfTheL1WhereItHasALimit) {
    stats.lsu.moved_global_bytes = 640;
    config.l1.bytes_per_cycle = 128;
    UseSeries array;
    array.put(0, 9);
    add_use(stats.units, UsedUnit::kL1Data, 1, array);
    stats.cycles = 10;
    const RooflineTraffic traffic = roofline().traffic.at(0);
    EXPECT_EQ(traffic.name, "l1");
    EXPECT_EQ(traffic.bytes, 9U * 128) << "90 % of the cycles, as its use says";
    EXPECT_DOUBLE_EQ(traffic.peak, 128.0);
}

TEST_F(RooflineTest, ATransactionMovesARowAtMostALineOrASector) {
    stats.lsu.moved_global_bytes = 1;
    const auto peak = [this](bool l1, std::uint32_t line, std::uint32_t sector) {
        config.l1.enabled = l1;
        config.l1.line_bytes = line;
        config.lsu.sector_bytes = sector;
        return roofline().traffic.at(0).peak;
    };
    EXPECT_DOUBLE_EQ(peak(true, 64, 32), 64.0);
    EXPECT_DOUBLE_EQ(peak(true, 1024, 32), 128.0);
    EXPECT_DOUBLE_EQ(peak(false, 32, 32), 128.0);
    EXPECT_DOUBLE_EQ(peak(true, 32, 128), 128.0);
}

TEST_F(RooflineTest, WithoutAProgramOnlyLanesAreKnown) {
    execute(isa::Op::kFfma, 64);
    EXPECT_EQ(roofline_of(stats, config, nullptr).work.size(), 1U);
}

} // namespace
} // namespace smsim
