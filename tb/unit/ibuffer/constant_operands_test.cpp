// Constant operands: their cache alone, and what the issue stage does when an operand is not there.
#include <gtest/gtest.h>

#include "model/config/config.h"
#include "tb/unit/ibuffer/fake_ports.h"

namespace smsim::ibuffer::test {
namespace {

using isa::Op;

isa::Instruction with_constant(std::uint16_t offset, std::uint8_t bank = 0, Op op = Op::kFadd) {
    isa::Instruction insn = make(op);
    insn.form = isa::Form::kC;
    insn.const_bank = bank;
    insn.const_offset = offset;
    return insn;
}

/// Two sets of two lines of 64 bytes.
ConstantsConfig small() {
    ConstantsConfig config;
    config.operand_bytes = 256;
    return config;
}

TEST(ConstantOperands, AMissArrivesAfterItsLatencyAndThenHits) {
    ConstantOperands cache(small());
    EXPECT_EQ(cache.look_up(with_constant(0x10), 100), 179U);
    EXPECT_EQ(cache.look_up(with_constant(0x3c), 150), 179U) << "the line is on its way";
    EXPECT_EQ(cache.look_up(with_constant(0x10), 179), 179U);
    EXPECT_EQ(cache.look_up(with_constant(0x40), 200), 279U) << "the next line";
}

TEST(ConstantOperands, ALaunchBeginsWithNothing) {
    ConstantOperands cache(small());
    cache.look_up(with_constant(0), 0);
    cache.clear();
    EXPECT_EQ(cache.look_up(with_constant(0), 100), 179U);
}

TEST(ConstantOperands, ServesConstantsOfPipesOfFixedLatency) {
    const ConstantOperands cache(small());
    EXPECT_TRUE(cache.serves(with_constant(0)));
    EXPECT_FALSE(cache.serves(make(Op::kFadd)));
    EXPECT_FALSE(cache.serves(with_constant(0, 0, Op::kMufu))) << "variable latency";
    EXPECT_FALSE(cache.serves(with_constant(0, 0, Op::kBrx)));
    EXPECT_FALSE(ConstantOperands(ConstantsConfig{}).serves(with_constant(0))) << "no cache: every operand is there";
}

/// A stage with a cache of constant operands, whose program is the given instruction `count` times.
Bench bench_with(const isa::Instruction &insn, unsigned count, unsigned warps) {
    Bench bench(warps, [](Config &config) { config.constants = small(); });
    for (unsigned i = 0; i < count; ++i) {
        bench.ports.append(insn);
    }
    bench.ports.append(make(Op::kExit));
    return bench;
}

TEST(IssueStage, AConstantOperandThatIsNotThereKeepsItsWarpWaiting) {
    Bench bench = bench_with(with_constant(0x10), 2, 1);
    bench.build();
    bench.start(0, 0);
    bench.run(1000);
    EXPECT_EQ(cycles_of(bench.ports, 0), (std::vector<Cycle>{1 + 79, 1 + 80, 1 + 81}));
    EXPECT_EQ(bench.stall(bench.stage->ended().kept()[0], StallReason::kImcMiss), 79U);
    EXPECT_EQ(total(bench.stage->ended().kept()[0]), bench.stage->ended().kept()[0].end);
}

TEST(IssueStage, AConstantMissBlocksIssueOfAllWarpsForAWhile) {
    Bench bench = bench_with(make(Op::kMov), 9, 2);
    bench.ports.program[0] = with_constant(0x10);
    bench.build();
    bench.start(0, 0);
    bench.run(1); // it misses in cycle 1
    bench.stage->start(
        1,
        [&] {
            WarpStart start = bench.stage->start_of(0);
            start.warp = WarpSlot(bench.config.sm.sub_partitions);
            start.entry = kInstructionBytes; // after the constant
            start.age = 1;
            return start;
        }(),
        2);
    bench.run(1000);
    EXPECT_EQ(cycles_of(bench.ports, 1).front(), 1U + 4) << "cycles 1 to 4 are lost";
    EXPECT_EQ(cycles_of(bench.ports, 0).front(), 80U);
}

TEST(IssueStage, AnOperandThatHasArrivedIsUsedEvenIfItsLineWasReplaced) {
    // One line: the lines of two warps displace each other.
    Bench bench(2, [](Config &config) {
        config.constants = small();
        config.constants.operand_bytes = 64;
        config.constants.ways = 1;
    });
    bench.ports.append(with_constant(0x00));
    bench.ports.append(with_constant(0x40));
    bench.ports.append(with_constant(0x00));
    bench.ports.append(make(Op::kExit));
    bench.build();
    bench.start(0, 0);
    bench.start(1, 0);
    bench.run(2000);
    EXPECT_EQ(bench.stage->ended().kept().size(), 2U);
    EXPECT_LE(bench.stage->ended().kept()[1].end, 3U * 80 + 2 * 4 + 80);
}

} // namespace
} // namespace smsim::ibuffer::test
