// The scheduler pass, checked by the independent verifier and by exact fields in small cases.
#include <gmock/gmock.h>

#include "assembler/assembler.h"
#include "assembler/schedule_block.h"
#include "assembler/scheduler.h"
#include "model/config/config.h"
#include "tb/unit/model/instruction_generator.h"

namespace smsim::assembler {
namespace {

using isa::Instruction;

const timing::SchedulingModel kModel;

Program assembled(const std::string &text) {
    return assemble(text, "k.sass", kModel);
}

std::string missing(const Program &program, const timing::SchedulingModel &model = kModel) {
    std::string text;
    for (const MissingProtection &gap : verify_schedule(program, model)) {
        text += std::to_string(gap.producer) + "->" + std::to_string(gap.consumer) + ": " + gap.reason + "\n";
    }
    return text;
}

const char *const kPrograms[] = {
    // straight line: loads, arithmetic, store, overwritten sources
    R"(.kernel k
S2R R0, SR_TID.X; MOV R9, 4; IMAD.WIDE R[2:3], R0, R9, c[0][0x160]; LDG R4, [R[2:3]]; LDG R5, [R[2:3]+4]; MUFU.RCP R6, R4;
FFMA R4, R4, R5, R6; STG [R[2:3]], R4; MOV R4, 0; IADD3 R2, R2, 4, RZ; EXIT;)",
    // loop with loads carried over iterations, predicate to branch
    R"(.kernel k
MOV R1, 10; MOV R2, 0;
loop: LDS R3, [R2]; IADD3 R2, R2, 4, RZ; IADD3 R1, R1, -1, RZ; ISETP.NE.AND P0, PT, R1, RZ, PT;
FADD R5, R5, R3; @P0 BRA loop; STS [0x100], R5; EXIT;)",
    // divergence, reconvergence, uniform registers over a switch
    R"(.kernel k
S2UR UR4, SR_CTAID.X; S2R R0, SR_LANEID; BSSY B0, join; ISETP.LT.AND P0, PT, R0, 16, PT; @P0 BRA then;
LDG R4, [R[8:9]]; BRA join; then: MUFU.SQRT R4, R1; UMOV UR5, 3; join: BSYNC B0; IADD3 R5, R4, UR4, RZ;
MOV R6, UR5; EXIT;)",
    // calls: nothing may be in flight at the entry or at the return
    R"(.kernel k
LDG R4, [R[2:3]]; MOV R7, 1; CALL.REL f; FADD R5, R4, R7; EXIT;
.endkernel
f: MUFU.EX2 R4, R4; RET.REL R[20:21], 0;)",
    // indirect branch, barrier results, convergence barrier moves
    R"(.kernel k
LEPC R[10:11]; LDC R6, c[3][R1]; BRX R6, 0; B2R.RESULT R4, P1; @P1 MOV R4, 1; BMOV R5, B0; BMOV B1, R5;
ATOMS.ADD R7, [R5], R4; MOV R4, R7; DSETP.LT.AND P0, PT, R[4:5], R[6:7], PT; @P0 EXIT; VOTE.ANY R4, P2, P0; @P2 YIELD; EXIT;)",
    // more loads in flight than there are scoreboards
    R"(.kernel k
LDS R10, [R0]; LDG R11, [R[2:3]]; MUFU.RCP R12, R1; LDS R13, [R0+4]; LDG R14, [R[2:3]+4]; POPC R15, R1; LDS R16, [R0+8];
LDG R17, [R[2:3]+8]; FADD R20, R17, R10; FADD R21, R16, R11; FADD R22, R15, R12; FADD R23, R13, R14; EXIT;)",
    // uniform addresses: changed in a loop, and over a switch
    R"(.kernel k
UMOV UR4, 16; MOV R1, 3; loop: LDS R2, [UR4]; STS [UR4+4], R2; R2UR UR4, R2; IADD3 R1, R1, -1, RZ;
ISETP.NE.AND P0, PT, R1, RZ, PT; @P0 BRA loop; LDG R3, [UR[6:7]]; WARPSYNC 0x3; STG [UR[6:7]], R3; UMOV UR7, 1; EXIT;)",
};

// Both sides of a branch, its loop, and uniform results that the other side reads.
const char *const kStackProgram = R"(.engine simt_stack
.kernel k
S2R R0, SR_LANEID; MOV R1, 10; LDS R2, [R0];
loop: SETRPC join; VBLT R2, R1, small; UMOV UR4, 3; FADD R5, R2, R1; BRA join; small: LDS R5, [R1]; UMOV UR5, 2;
join: JOIN; MOV R6, UR4; IADD3 R1, R1, -1, RZ; SETRPC end; VBGE R1, R5, loop; end: JOIN; BARRIER; ENDPRG;)";

TEST(Scheduler, BranchesOfTheStackEngineAreFollowedBothWays) {
    const Program program = assembled(kStackProgram);
    EXPECT_EQ(missing(program), "");
    const auto find = [&](isa::Op op) {
        return static_cast<std::size_t>(std::ranges::find(program.code, op, &Instruction::op) - program.code.begin());
    };
    const std::size_t branch = find(isa::Op::kVblt);
    EXPECT_EQ(program.code[branch].req, 1U << program.code[2].wsb) << "the load that it compares";
    Program early = program;
    for (Instruction &insn : early.code) {
        insn.stall = insn.op == isa::Op::kUmov ? 1 : insn.stall;
    }
    EXPECT_NE(missing(early), "") << "uniform results are awaited at JOIN";
    EXPECT_EQ(describe_instruction(program, find(isa::Op::kEndprg), kModel, true).successors.size(), 0U);
    EXPECT_EQ(describe_instruction(program, branch, kModel, true).successors.size(), 2U);
}

TEST(Scheduler, SchedulesAreComplete) {
    for (const char *text : kPrograms) {
        EXPECT_EQ(missing(assembled(text)), "") << text;
    }
}

TEST(Scheduler, OneNopCoversAWaitThatIsLongerThanAStall) {
    const Program program =
        assembled(".kernel k\nHMMA.16816.F32.F32 R4, R8, R2, R4; HMMA.16816.F32.F32 R4, R8, R2, R4; EXIT;");
    ASSERT_EQ(program.code.size(), 4U);
    EXPECT_EQ(program.code[1].op, isa::Op::kNop);
    const Config config;
    EXPECT_EQ(program.code[0].stall_cycles() + program.code[1].stall_cycles(),
              config.pipes.tensor.latency + config.tensor.step_latency);
    EXPECT_EQ(missing(program), "");
}

TEST(Scheduler, IndependentProductsOfMatricesAreApartByTheIntervalOfTheirPipe) {
    const Program program =
        assembled(".kernel k\nHMMA.16816.F32.F32 R4, R8, R2, R4; HMMA.16816.F32.F32 R12, R8, R2, R12; EXIT;");
    EXPECT_EQ(program.code[0].stall_cycles(), 8U) << "2048 multiply-adds of 256 per cycle and sub-partition";
}

TEST(Scheduler, WhatTheBranchUnitTakesCountsAsTimeThatPasses) {
    Config config;
    config.pipes.fma.latency = 12;
    for (const auto &[takes, stall] : {std::pair{8U, 3U}, std::pair{1U, 10U}}) {
        config.bru.sync_latency = takes;
        const timing::SchedulingModel model(config);
        const Program program = assemble(
            ".kernel k\nFADD R5, R4, R4; WARPSYNC 0xf; FADD R7, R8, R8; FADD R6, R5, R5; EXIT;", "k.sasm", model);
        EXPECT_EQ(program.code[2].stall_cycles(), stall);
        EXPECT_EQ(missing(program, model), "");
    }
}

TEST(Scheduler, NoFieldIsSuperfluous) {
    for (const char *text : kPrograms) {
        const Program program = assembled(text);
        for (std::size_t i = 0; i < program.code.size(); ++i) {
            const auto expect_found = [&](const char *what, auto &&change) {
                Program mutant = program;
                change(mutant.code[i]);
                if (mutant.code[i] != program.code[i]) {
                    EXPECT_NE(missing(mutant), "") << what << " of instruction " << i << " of " << text;
                }
            };
            expect_found("stall", [](Instruction &insn) { insn.stall = 1; });
            expect_found("stall less one", [](Instruction &insn) { insn.stall = insn.stall > 1 ? insn.stall - 1 : 1; });
            expect_found("wsb", [](Instruction &insn) { insn.wsb = isa::kNoScoreboard; });
            expect_found("rsb", [](Instruction &insn) { insn.rsb = isa::kNoScoreboard; });
            for (unsigned s = 0; s < isa::kScoreboards; ++s) {
                expect_found("req", [&](Instruction &insn) { insn.req &= static_cast<std::uint8_t>(~(1U << s)); });
            }
        }
    }
}

TEST(Scheduler, FixedLatenciesAreCoveredByStall) {
    const auto stall = [](const std::string &text) { return assembled(text).code[0].stall; };
    EXPECT_EQ(stall("MOV R1, 1; MOV R2, R1;"), 4);
    EXPECT_EQ(stall("MOV R1, 1; FADD R2, R1, R1;"), 5);
    EXPECT_EQ(stall("FADD R1, R2, R3; FADD R2, R1, R1;"), 4);
    EXPECT_EQ(stall("MOV R1, 1; LDS R2, [R1];"), 6);
    EXPECT_EQ(stall("MOV R1, 1; BAR.SYNC R1;"), 6);
    EXPECT_EQ(stall("ISETP.LT.AND P0, PT, R1, R2, PT; @P0 BRA 0;"), 13);
    EXPECT_EQ(stall("ISETP.LT.AND P0, PT, R1, R2, PT; @P0 MOV R1, 1;"), 13);
    EXPECT_EQ(stall("ISETP.LT.AND P0, PT, R1, R2, PT; SEL R1, R2, R3, P0;"), 5);
    EXPECT_EQ(stall("UMOV UR4, 1; WARPSYNC UR4;"), 10);
    EXPECT_EQ(stall("UMOV UR4, 1; MOV R1, UR4;"), 6);
    EXPECT_EQ(stall("UMOV UR4, 1; LDS R1, [UR4];"), 9);
    EXPECT_EQ(stall("MOV R1, 1; MOV R2, R3;"), 1);
    EXPECT_EQ(stall("MOV R1, 1; MOV R1, 2;"), 1);
}

TEST(Scheduler, WaiterIssuesWhenTheScoreboardIsVisible) {
    const Program program = assembled("LDS R1, [R2]; MOV R3, R1;");
    EXPECT_EQ(program.code[0].stall, 2);
    EXPECT_EQ(program.code[1].req, 1U << program.code[0].wsb);
}

TEST(Scheduler, OverwrittenSourcesOfStoresAreAwaited) {
    const Program program = assembled("STS [R2], R3; NOP; MOV R3, 1;");
    EXPECT_LT(program.code[0].rsb, isa::kScoreboards);
    EXPECT_EQ(program.code[2].req, 1U << program.code[0].rsb);
}

TEST(Scheduler, AUniformAddressIsReadBeforeItsRegisterIsOverwrittenAndBeforeAnotherPathRuns) {
    for (const std::string behind : {"UMOV UR5, 1;", "YIELD;", "BSYNC B0;", "EXIT;"}) {
        const Program program = assembled("LDG R4, [UR[4:5]]; NOP; " + behind);
        EXPECT_LT(program.code[0].rsb, isa::kScoreboards) << behind;
        EXPECT_EQ(program.code[2].req, 1U << program.code[0].rsb) << behind;
        Program careless = program;
        careless.code[2].req = 0;
        EXPECT_EQ(verify_schedule(careless, kModel).size(), 1U) << behind;
    }
    EXPECT_EQ(assembled("LDG R4, [UR[4:5]]; UMOV UR6, 1;").code[0].rsb, isa::kNoScoreboard);
    EXPECT_EQ(assembled("MOV R4, UR4; UMOV UR4, 1;").code[0].rsb, isa::kNoScoreboard);
}

TEST(Scheduler, AnOperandIsKeptForTheNextReaderOfItsSlotAndBankThatReadsItAgain) {
    const Program program =
        assembled("FFMA R1, R2, R5, R3; FFMA R4, R2, R6, R1; FFMA R7, R4, R6, R1; FFMA R8, R5, R6, R1;");
    EXPECT_EQ(program.code[0].reuse, 1U) << "R2 as a; R5 as b is in the other bank than R6, and it is not read again";
    EXPECT_EQ(program.code[1].reuse, 6U) << "R6 and R1; as a R4 is next";
    EXPECT_EQ(program.code[2].reuse, 6U);
    EXPECT_EQ(program.code[3].reuse, 0U) << "no reader after it";
    EXPECT_EQ(missing(program), "");
}

TEST(Scheduler, AnOperandThatIsWrittenOrReadAfterABranchIsNotKept) {
    EXPECT_EQ(assembled("FADD R2, R2, R3; FADD R4, R2, R5;").code[0].reuse, 0U) << "the sum is another value";
    EXPECT_EQ(assembled("FADD R4, R2, R3; LDS R2, [R6]; FADD R5, R2, R7;").code[0].reuse, 0U);
    EXPECT_EQ(assembled("FADD R4, R2, R3; x: FADD R5, R2, R7; @P0 BRA x;").code[0].reuse, 0U);
    EXPECT_EQ(assembled("FADD R4, R2, R3; MUFU.RCP R5, R2; LDS R6, [R2];").code[0].reuse, 0U)
        << "variable latency: other ways to the registers";
    EXPECT_EQ(assembled("FADD R4, R2.reuse, R3; EXIT;").code[0].reuse, 1U) << "what is written stays";
}

TEST(Scheduler, TheCheckFindsAnOperandThatIsKeptTooLong) {
    Program program = assembled("FADD R4, R2, R3; FADD R2, R4, R3; FADD R5, R2, R7;");
    EXPECT_EQ(missing(program), "");
    program.code[0].reuse = 1;
    EXPECT_EQ(missing(program), "") << "R4 as a drives it out";
    program.code[1].ra = 5;
    program.code[0].rd = 5;
    EXPECT_EQ(missing(program), "0->32: R2 is kept for reuse, and written before\n");
}

TEST(Scheduler, LoadsConsumedTogetherShareAScoreboardAndUnrelatedOnesDoNot) {
    const Program program =
        assembled("LDG R4, [R[2:3]]; LDG R5, [R[2:3]+4]; LDS R6, [R1]; FADD R7, R4, R5; FADD R8, R6, R6;");
    EXPECT_EQ(program.code[0].wsb, program.code[1].wsb);
    EXPECT_NE(program.code[0].wsb, program.code[2].wsb);
    EXPECT_EQ(program.code[3].req, 1U << program.code[0].wsb);
    EXPECT_EQ(program.code[4].req, 1U << program.code[2].wsb);
}

TEST(Scheduler, UnusedResultsCostNothing) {
    const Program program = assembled("LDS R1, [R2]; MOV R3, 1; EXIT;");
    for (const Instruction &insn : program.code) {
        EXPECT_EQ(insn.wsb, isa::kNoScoreboard);
        EXPECT_EQ(insn.stall, 1);
    }
}

TEST(Scheduler, NopsAreInsertedWhereStallIsTooShort) {
    Config config;
    config.pipes.predicate_to_branch = 40;
    const timing::SchedulingModel slow(config);
    const Program program = assemble("a: ISETP.LT.AND P0, PT, R1, R2, PT; @P0 BRA b; NOP; b: BRA a;", "k", slow);
    EXPECT_GT(program.code.size(), 4U);
    EXPECT_EQ(missing(program, slow), "");
    const Instruction &back = program.code.back();
    EXPECT_EQ(back.imm, -static_cast<std::int64_t>(program.code.size()));
    EXPECT_THROW(assemble("ISETP.LT.AND P0, PT, R1, R2, PT; @P0 BRA 0x40;", "k", slow), InputError);
}

TEST(Scheduler, TheLabelOfAJoinStaysAtTheJoinAfterInsertedNops) {
    Config config;
    config.pipes.uniform.latency = 40;
    const timing::SchedulingModel slow(config);
    const Program program = assemble(".engine simt_stack\n.kernel k\nSETRPC out; VBEQ R1, RZ, out; R2UR UR1, R2;"
                                     "out: JOIN; MOV R3, UR1; ENDPRG;",
                                     "k", slow);
    const auto join = std::ranges::find(program.code, isa::Op::kJoin, &Instruction::op);
    ASSERT_NE(join, program.code.end());
    EXPECT_EQ(std::prev(join)->op, isa::Op::kNop);
    EXPECT_EQ(program.symbols.at(0).address, join->pc);
    EXPECT_EQ(missing(program, slow), "");
}

TEST(Scheduler, RandomProgramsAreCompleteForAllLatencies) {
    test::Random random(5);
    std::vector<Instruction> pool;
    test::for_each_instruction([&](const Instruction &insn) {
        const bool longer_than_stall = insn.unit == isa::Unit::kTensor; // it would need NOPs
        if (insn.op != isa::Op::kBra && insn.op != isa::Op::kBssy && !longer_than_stall) {
            pool.push_back(insn);
        }
    });
    for (unsigned round = 0; round < 60; ++round) {
        Config config;
        config.pipes.alu.latency = 1 + static_cast<std::uint32_t>(random(8));
        config.pipes.fma.latency = 1 + static_cast<std::uint32_t>(random(8));
        const timing::SchedulingModel model(config);
        Program program;
        const std::size_t length = 5 + random(60);
        for (std::size_t i = 0; i < length; ++i) {
            Instruction insn = pool[random(pool.size())];
            if (random(6) == 0) {
                insn = {};
                insn.op = isa::Op::kBra;
                insn.form = isa::Form::kX;
                insn.unit = isa::Unit::kBranch;
                insn.pg = static_cast<std::uint8_t>(random(8));
                insn.imm = static_cast<std::int64_t>(random(length)) - static_cast<std::int64_t>(i) - 1;
            }
            insn.reuse = 0; // explicit fields would stay
            // few registers, so that dependences are dense
            const auto shrink = [&](std::uint8_t reg) {
                return reg == isa::kRz ? reg : static_cast<std::uint8_t>(reg % 12 / 4 * 4);
            };
            if (insn.spec().unit != isa::Unit::kUniform && insn.op != isa::Op::kS2ur) {
                insn.rd = shrink(insn.rd);
            }
            insn.ra = shrink(insn.ra);
            insn.rb = shrink(insn.rb);
            insn.rc = shrink(insn.rc);
            insn.pc = i * kInstructionBytes;
            program.code.push_back(insn);
        }
        const CodeRange all{0, length};
        const std::vector<NopRequest> nops = schedule(program, {&all, 1}, model);
        ASSERT_TRUE(nops.empty());
        ASSERT_EQ(missing(program, model), "") << "round " << round;
    }
}

TEST(Scheduler, StatesAreKeptAtTheEndsOfBlocksOnly) {
    const Program program = assembled(".kernel k\nMOV R1, 1; MOV R2, 2; top: IADD3 R1, R1, R2, RZ; @P0 BRA top; "
                                      "MOV R3, 3; MOV R4, 4; EXIT;");
    std::vector<ScheduleNode> nodes;
    for (std::size_t i = 0; i < program.code.size(); ++i) {
        nodes.push_back(describe_instruction(program, i, kModel, true));
    }
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        for (const std::uint32_t next : nodes[i].successors) {
            nodes[next].predecessors.push_back(i);
        }
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
    for (const ScheduleBlock &block : find_blocks(nodes)) {
        found.emplace_back(block.first, block.last);
    }
    EXPECT_THAT(found, testing::ElementsAre(std::pair(0, 1), std::pair(2, 3), std::pair(4, 6)));
    EXPECT_EQ(nodes[5].block, 2U);
}

} // namespace
} // namespace smsim::assembler
