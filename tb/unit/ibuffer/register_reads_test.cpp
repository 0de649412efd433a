// Read ports and reuse cache of the registers: the class alone, and its effect on an issue stage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "assembler/assembler.h"
#include "model/config/config.h"
#include "tb/unit/ibuffer/fake_ports.h"

namespace smsim::ibuffer::test {
namespace {

using isa::Op;
using ::testing::ElementsAre;

RegisterFileConfig with_ports(unsigned ports = 1) {
    RegisterFileConfig config;
    config.read_ports = ports;
    return config;
}

std::vector<isa::Instruction> code_of(const std::string &source) {
    std::vector<isa::Instruction> code = assembler::assemble(source, "test.sm", timing::SchedulingModel()).code;
    for (isa::Instruction &insn : code) {
        insn.stall = 1;
        insn.req = 0;
        insn.wsb = isa::kNoScoreboard;
    }
    return code;
}

/// Cycles from each instruction of one warp to the next, if only its registers hold it up.
std::vector<Cycle> distances(const std::string &source, const RegisterFileConfig &config = with_ports()) {
    RegisterReads reads(config, 1);
    std::vector<Cycle> result;
    Cycle now = 100;
    for (const isa::Instruction &insn : code_of(source)) {
        const Cycle next = reads.issued(0, insn, now);
        result.push_back(next - now);
        now = next;
    }
    return result;
}

/// Cycles between the two clock reads of timing.md 3, whose second FFMA reads these registers besides R16.
Cycle between_clocks(const std::string &b, const std::string &c) {
    Cycle cycles = 0;
    const std::vector<Cycle> all =
        distances("CS2R R0, SR_CLOCKLO; NOP; FFMA R11, R10, R12, R14 ?stall1; FFMA R13, R16, " + b + ", " + c +
                  " ?stall1; NOP; CS2R R2, SR_CLOCKLO;");
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        cycles += all[i];
    }
    return cycles;
}

TEST(RegisterReads, TwoInstructionsThatReadTheSameBankDelayTheNext) {
    EXPECT_EQ(between_clocks("R17", "R19"), 5U);
    EXPECT_EQ(between_clocks("R18", "R19"), 6U);
    EXPECT_EQ(between_clocks("R18", "R20"), 7U);
}

TEST(RegisterReads, AStreamIssuesAsFastAsTheBusiestBankIsRead) {
    const auto rate = [](const std::string &insn, unsigned ports = 1) {
        std::string source;
        for (int i = 0; i < 40; ++i) {
            source += insn;
        }
        return distances(source, with_ports(ports)).back();
    };
    EXPECT_EQ(rate("FMUL R1, R2, R4 ?stall1;"), 2U);
    EXPECT_EQ(rate("FMUL R1, R2, R5 ?stall1;"), 1U);
    EXPECT_EQ(rate("FFMA R1, R2, R4, R6 ?stall1;"), 3U);
    for (const char *operands : {"R2, R4, R4", "R2, R4, R2", "R2, R2, R4"}) {
        EXPECT_EQ(rate(std::string("FFMA R1, ") + operands + " ?stall1;"), 2U)
            << "a register that is read twice counts once";
    }
    EXPECT_EQ(rate("FFMA R1, R2, 2.0, R4 ?stall1;"), 2U) << "an immediate needs no port";
    EXPECT_EQ(rate("FFMA R1, R2, RZ, RZ ?stall1;"), 1U) << "nor does RZ";
    EXPECT_EQ(rate("IMAD.WIDE R[8:9], R2, R4, R[6:7] ?stall1;"), 3U) << "a pair is in both banks";
    EXPECT_EQ(rate("IMAD.WIDE R[8:9], R3, R5, R[6:7] ?stall1;"), 3U) << "its upper half too";
    EXPECT_EQ(rate("IMAD.WIDE R[8:9], R7, R5, R[6:7] ?stall1;"), 2U) << "which may be read already";
    EXPECT_EQ(rate("IMAD.WIDE R[8:9], R5, R7, R[6:7] ?stall1;"), 2U);
    EXPECT_EQ(rate("FMUL R1, R2, R4 ?stall1;", 2), 1U) << "two ports";
}

TEST(RegisterReads, WithMoreBanksFewerRegistersMeet) {
    RegisterFileConfig config = with_ports();
    config.banks = 4;
    const std::string source = "FMUL R1, R2, R4 ?stall1; FMUL R1, R2, R4 ?stall1; FMUL R1, R2, R4 ?stall1; NOP; NOP;";
    EXPECT_THAT(distances(source, config), ElementsAre(1, 1, 1, 1, 1));
    EXPECT_THAT(distances(source), ElementsAre(1, 1, 1, 2, 1));
}

TEST(RegisterReads, InstructionsOfVariableLatencyPassByTheStages) {
    EXPECT_THAT(distances("FFMA R1, R2, R4, R6 ?stall1; FFMA R1, R2, R4, R6 ?stall1; MUFU.RCP R9, R2 ?stall1; NOP;"),
                ElementsAre(1, 1, 1, 2))
        << "MUFU can be issued while an FFMA waits; the instruction after it cannot";
}

constexpr bool kKeep = true;

TEST(ReuseCache, AnOperandIsKeptForTheNextReaderOfItsSlotAndBank) {
    ReuseCache cache(2);
    EXPECT_FALSE(cache.read(0, 0, 2, kKeep));
    EXPECT_TRUE(cache.read(0, 0, 2, !kKeep));
    EXPECT_FALSE(cache.read(0, 0, 2, kKeep)) << "kept for one reader";
    EXPECT_TRUE(cache.read(0, 0, 2, kKeep));
    EXPECT_TRUE(cache.read(0, 0, 2, kKeep)) << "which keeps it on";
}

TEST(ReuseCache, AnotherSlotOrBankDoesNotDriveOut) {
    ReuseCache cache(2);
    cache.read(0, 0, 2, kKeep);
    EXPECT_FALSE(cache.read(0, 1, 2, !kKeep)) << "operand b";
    EXPECT_FALSE(cache.read(0, 0, 7, !kKeep)) << "an odd register";
    EXPECT_TRUE(cache.read(0, 0, 2, !kKeep));
}

TEST(ReuseCache, AnotherRegisterOfTheSlotAndBankReplacesItForAnyWarp) {
    ReuseCache cache(2);
    cache.read(0, 0, 2, kKeep);
    EXPECT_FALSE(cache.read(0, 0, 4, !kKeep));
    EXPECT_FALSE(cache.read(0, 0, 2, kKeep));
    EXPECT_FALSE(cache.read(1, 0, 2, !kKeep)) << "another warp's";
    EXPECT_FALSE(cache.read(0, 0, 2, !kKeep));
}

TEST(ReuseCache, AKeptOperandNeedsNoPort) {
    const std::string with = "FFMA R1, R2.reuse, R4, R6 ?stall1;";
    const std::string stream = with + with + with + with + with + with;
    EXPECT_EQ(distances(stream).back(), 2U);
    RegisterFileConfig config = with_ports();
    config.reuse_cache = false;
    EXPECT_EQ(distances(stream, config).back(), 3U);
}

TEST(ReuseCache, ALaunchBeginsWithNothing) {
    const isa::Instruction keeper = code_of("FFMA R1, R2.reuse, R4.reuse, R6.reuse ?stall1;").front();
    const isa::Instruction other = code_of("FFMA R1, R8, R10, R12 ?stall1;").front();
    for (const bool launches : {false, true}) {
        RegisterReads reads(with_ports(), 1);
        reads.issued(0, keeper, 100);
        if (launches) {
            reads.clear(0);
        }
        reads.issued(0, keeper, 200);
        reads.issued(0, other, 201);
        EXPECT_EQ(reads.issued(0, keeper, 202), launches ? 205U : 203U);
    }
}

TEST(RegisterReads, ALaunchBeginsWithAllPortsFree) {
    const isa::Instruction insn = code_of("FFMA R1, R2, R4, R6 ?stall1;").front();
    RegisterReads reads(with_ports(), 1);
    for (Cycle now = 100; now < 106; now = reads.issued(0, insn, now)) {
    }
    reads.clear(0);
    EXPECT_EQ(reads.issued(0, insn, 3), 4U) << "whatever the clock was before";
    EXPECT_EQ(reads.issued(0, insn, 4), 5U);
    EXPECT_EQ(reads.issued(0, insn, 5), 8U) << "the second waits for the ports of the first";
}

/// Warps whose every instruction reads three registers of one bank.
Bench conflicting(unsigned warps, unsigned ports) {
    Bench bench(warps, [&](Config &config) { config.register_file.read_ports = ports; });
    for (int i = 0; i < 10; ++i) {
        for (isa::Instruction &insn : code_of("FFMA R1, R2, R4, R6 ?stall1;")) {
            bench.ports.append(insn);
        }
    }
    bench.ports.append(make(Op::kExit));
    bench.build();
    return bench;
}

TEST(RegisterReads, IssueStallsForPortsAreChargedToDispatch) {
    Bench bench = conflicting(1, 1);
    bench.start(0, 0);
    bench.run(1000);
    EXPECT_THAT(cycles_of(bench.ports, 0), ElementsAre(1, 2, 3, 6, 9, 12, 15, 18, 21, 24, 27))
        << "the third is in Control while the second waits for the ports of the first";
    const WarpStats &warp = bench.stage->ended().kept()[0];
    EXPECT_EQ(bench.stall(warp, StallReason::kDispatch), 16U);
    EXPECT_EQ(total(warp), warp.end - warp.start);
}

TEST(RegisterReads, AllApplicantsWaitAndEachCycleIsChargedOnce) {
    Bench bench = conflicting(4, 1);
    for (unsigned warp = 0; warp < 4; ++warp) {
        bench.start(warp, 0);
    }
    bench.run(1000);
    ASSERT_EQ(bench.stage->ended().kept().size(), 4U);
    Cycle dispatch = 0;
    for (const WarpStats &warp : bench.stage->ended().kept()) {
        EXPECT_EQ(total(warp), warp.end - warp.start);
        dispatch += bench.stall(warp, StallReason::kDispatch);
    }
    EXPECT_GT(dispatch, 4U * 20) << "not only of the next warp";
}

TEST(RegisterReads, WithoutLimitsEveryCycleIssues) {
    Bench bench = conflicting(1, 0);
    bench.start(0, 0);
    bench.run(1000);
    EXPECT_EQ(cycles_of(bench.ports, 0).back(), 11U);
}

} // namespace
} // namespace smsim::ibuffer::test
