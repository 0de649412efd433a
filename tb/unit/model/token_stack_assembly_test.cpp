// The assembly language of programs for token_stack: operands, what is rejected, and schedules that follow its
// regions.
#include <algorithm>

#include <gmock/gmock.h>

#include "assembler/assembler.h"
#include "assembler/disassembler.h"
#include "assembler/scheduler.h"
#include "assembler/token_regions.h"
#include "model/config/config.h"

namespace smsim::assembler {
namespace {

using isa::Instruction;
using isa::Op;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const timing::SchedulingModel kModel;

Program assembled(const std::string &text) {
    return assemble(".engine token_stack\n" + text, "k.sasm", kModel);
}

std::string errors(const std::string &text) {
    try {
        assembled(text);
    } catch (const InputError &error) {
        return error.what();
    }
    return "accepted";
}

std::string room(unsigned instructions) {
    std::string text;
    for (unsigned i = 0; i < instructions; ++i) {
        text += "NOP;";
    }
    return text;
}

TEST(TokenStackAssembly, ReadsTheExamplesOfTheSourceDocument) {
    const Program program = assembled(R"(
BRA REL:0x30;
BRA CC.EQ,c[2][0x48];
BRX CC.GE,R5+0x128;
JMP CC.LT,0x60;
JMP CC.EQ,c[2][0x48];
JMP ABS:0x30;
JMX CC.GE,R5+0x128000;
)");
    std::vector<std::string> shown;
    for (const Instruction &insn : program.code) {
        shown.push_back(operation_text(insn));
    }
    EXPECT_THAT(shown, ElementsAre("BRA 0x40", "BRA CC.EQ, c[0x2][0x48]", "BRX CC.GE, R5+0x128", "JMP CC.LT, 0x60",
                                   "JMP CC.EQ, c[0x2][0x48]", "JMP 0x30", "JMX CC.GE, R5+0x128000"));
    const Program pseudo = assembled(R"(
.kernel k
  SSY    LABEL0;
  BRA    CC.GE,LAB_ELSE;
  MOV  R6,R0;
  SYNC;
LAB_ELSE:
  MOV  R6,R1;
  NOP.S;
LABEL0:
  IMAD R7,R6,R6,RZ;
  EXIT;
)");
    EXPECT_EQ(std::ranges::count(pseudo.code, Op::kSync, &Instruction::op), 2);
}

TEST(TokenStackAssembly, TextIsAsItIsWritten) {
    for (const std::string source : {"@!P1 BRA.U.LMT CC.GEU, 0x20",
                                     "BRX.LMT R5",
                                     "BRX R5-0x10",
                                     "JMX RZ+0x20",
                                     "JMX CC.NAN, R1-0x80000000",
                                     "SSY 0x10",
                                     "PBK 0x10",
                                     "PCNT 0x10",
                                     "PRET 0x10",
                                     "CAL 0x20",
                                     "@P0 CAL R7",
                                     "@P0 SYNC",
                                     "BRK",
                                     "@!P2 CONT",
                                     "RET",
                                     "IADD3.X.CC RZ, R1, -R2, RZ, P0",
                                     "ISETP.LT.AND.CC PT, PT, R1, R2, PT",
                                     "FADD.RM.CC RZ, R1, R2",
                                     "LOP3.CC RZ, R1, R2, RZ, 0xc0",
                                     "EXIT",
                                     "WARPSYNC 0xffff"}) {
        const Program program = assembled(".schedule manual\n" + source + ";" + room(4));
        EXPECT_EQ(disassemble(program.code[0]), source);
        EXPECT_EQ(assembled(".schedule manual\n" + disassemble(program.code[0]) + ";" + room(4)).code, program.code);
    }
}

TEST(TokenStackAssembly, ALabelIsItsAddress) {
    const Program program = assembled(R"(
.const 3
.word f, f - here
.text
.schedule manual
NOP;
here: BRA f; JMP f; JMX RZ+f; SSY f; CAL f; BRX R1+0x20;
f: RET;
)");
    const auto f = static_cast<std::int64_t>(7 * kInstructionBytes);
    for (const std::size_t i : {1, 2, 4, 5}) {
        EXPECT_EQ(isa::named_address(program.code[i]), f);
    }
    EXPECT_EQ(program.code[3].imm, f);
    EXPECT_EQ(program.constants.at(3)[0], f);
    EXPECT_EQ(program.constants.at(3)[4], f - 0x10);
}

TEST(TokenStackAssembly, RefusesWithPlaceAndReason) {
    const std::pair<const char *, const char *> cases[] = {
        {"YIELD;", "2:1: YIELD in a program for token_stack: paths run one after the other and have no turn to give"},
        {"BSSY B0, 0x0;", "2:1: BSSY in a program for token_stack: there are no convergence barriers; expected SSY"},
        {"BSYNC B0;", "expected SYNC"},
        {"BREAK B0;", "expected BRK"},
        {"CALL.REL 0x0;", "expected CAL, or PRET and a jump"},
        {"BMOV R1, B0;", "BMOV in a program for token_stack"},
        {"JOIN;", "2:1: JOIN in a program for token_stack: it belongs to the engine simt_stack"},
        {"BRA.DIV 0x0;", "BRA has no modifier '.DIV' here; expected .U, .LMT"},
        {"BRX.U R1;", "BRX has no modifier '.U' here; expected .LMT"},
        {"RET.REL R[2:3];", "RET has no modifier '.REL' here; expected none"},
        {"@P0 SSY 0x0;", "2:5: SSY takes no guard"},
        {"@!PT PRET 0x0;", "PRET takes no guard"},
        {"BRA CC.CSM_TA, 0x0;", "2:5: condition test CSM_TA is not possible: it asks a clip unit for graphics, which "
                                "the model does not have"},
        {"BRA CC.FCSM_MX, 0x0;", "condition test FCSM_MX is not possible: it asks a clip unit"},
        {"BRA CC.RLE, 0x0;", "2:5: condition test RLE is not possible: no description says when it holds"},
        {"BRA CC.RGT, 0x0;", "condition test RGT is not possible: no description says"},
        {"BRA CC.XY, 0x0;", "2:5: there is no condition test 'XY'; expected one of F, LT, EQ,"},
        {"SYNC CC.EQ;", "SYNC does not take (condition test); expected no operands"},
        {"BRA REL:0x6; NOP;", "2:1: BRA: the low two bits of its immediate are not 0"},
        {"JMP 0x2; NOP;", "2:1: JMP: the low two bits of its immediate are not 0"},
        {"JMP 0x4; NOP;", "2:1: JMP to 0x4, which is not a multiple of 16; expected one of its instructions"},
        {"BRA REL:-0x30; NOP;", "2:1: BRA to -0x20, outside of the program of 0x20 bytes"},
        {"SSY end; end:", "2:1: SSY to 0x10, outside of the program of 0x10 bytes"},
        {"CAL 0x100;", "2:1: CAL to 0x100, outside of the program"},
        {"JMP 0x100000000;", "2:5: address 4294967296 is out of range; expected 0 to 4294967295"},
        {"JMP -0x10;", "address -16 is out of range"},
        {"BRX R1+0x800000;", "2:7: offset 8388608 is out of range; expected -8388608 to 8388607"},
        {"JMX R1+0x80000000;", "offset 2147483648 is out of range"},
        {"BRA ABS:0x0;", "2:1: BRA does not take (number); expected {condition test}, label or address"},
        {"JMP REL:0x0;", "JMP does not take (number)"},
        {"a: BRA REL:a;", "2:8: distance is an address; expected a number of bytes"},
        {"IADD3 R1, R2+0x4, R3, RZ;", "IADD3 does not take (register, register, register, register)"},
    };
    for (const auto &[text, message] : cases) {
        EXPECT_THAT(errors(text), HasSubstr(message)) << text;
    }
}

TEST(TokenStackAssembly, OtherProgramsKnowNothingOfItsOperands) {
    const auto error = [](const std::string &text) {
        try {
            assemble(text, "k.sasm", kModel);
        } catch (const InputError &caught) {
            return std::string(caught.what());
        }
        return std::string("accepted");
    };
    EXPECT_THAT(error("SYNC;"), HasSubstr("1:1: SYNC in a program for convergence_barrier: it belongs to the engine "
                                          "token_stack"));
    EXPECT_THAT(error("NOP.S;"), HasSubstr("NOP has no modifier '.S' here"));
    EXPECT_THAT(error("IADD3.CC R1, R2, R3, RZ;"), HasSubstr("condition flags (.CC) belong to the engine token_stack"));
    EXPECT_THAT(error("BRA CC.EQ, 0x0;"), HasSubstr("'CC.EQ' is not defined"));
    EXPECT_EQ(error("CC.EQ: BRA CC.EQ;"), "accepted");
}

TEST(TokenStackAssembly, NumbersAsTargetsAreRefusedWhereNopsMoveThem) {
    timing::SchedulingModel slow;
    Config config;
    config.pipes.predicate_to_branch = 40;
    slow = timing::SchedulingModel(config);
    for (const char *jump : {"BRA 0x10", "BRX R1+0x20", "JMX R1+0x20", "SSY 0x20"}) {
        const std::string text =
            std::string(".engine token_stack\n.kernel k\nISETP.EQ.AND P0, PT, R1, R2, PT; @P0 EXIT; ") + jump +
            "; NOP; EXIT;\n";
        try {
            assemble(text, "k.sasm", slow);
            ADD_FAILURE() << jump;
        } catch (const InputError &error) {
            EXPECT_THAT(error.what(), HasSubstr("the scheduler has to insert NOPs")) << jump;
        }
    }
}

// --- regions

using Ends = std::vector<std::pair<std::size_t, std::optional<std::uint32_t>>>;

/// Index and end of each SYNC, BRK and CONT.
Ends ends_of(const std::string &text) {
    const Program program = assembled(".schedule manual\n.kernel k\n" + text);
    const auto found = region_ends(program);
    Ends ends;
    for (std::size_t i = 0; i < program.code.size(); ++i) {
        const Op op = program.code[i].op;
        if (op == Op::kSync || op == Op::kBrk || op == Op::kCont) {
            ends.emplace_back(i, found[i]);
        }
    }
    return ends;
}

TEST(TokenStackRegions, SyncGoesToTheEndOfItsOwnRegion) {
    const Ends expected = {{5, 6}, {7, 9}, {8, 9}};
    EXPECT_EQ(ends_of("SSY o; @P0 BRA e; SSY i; @P1 BRA x; NOP; x: SYNC; i: NOP; SYNC; e: SYNC; o: EXIT;"), expected);
}

TEST(TokenStackRegions, BrkAndContPassInnerRegions) {
    const Ends expected = {{3, 10}, {5, 8}, {6, 7}, {7, 8}, {8, 10}};
    EXPECT_EQ(ends_of("PBK x; h: PCNT n; SSY j; @P0 BRK; NOP; @P1 CONT; SYNC; j: CONT; n: @P2 BRK; BRA h; x: EXIT;"),
              expected);
}

TEST(TokenStackRegions, AFunctionKnowsOfNoneAroundItsCalls) {
    const Ends expected = {{2, 3}, {5, 8}, {6, std::nullopt}, {7, 8}};
    EXPECT_EQ(ends_of("SSY a; CAL f; SYNC; a: EXIT; f: SSY b; @P0 SYNC; @P0 BRK; SYNC; b: RET;"), expected);
}

TEST(TokenStackRegions, ACallThatFindsNoRoomGoesOnWhereItStarted) {
    const Ends expected = {{3, 4}};
    EXPECT_EQ(ends_of("SSY a; PRET n; BRA.LMT f; n: SYNC; a: EXIT; f: RET;"), expected);
}

TEST(TokenStackRegions, AreUnknownWherePathsDisagreeOrAreUnknown) {
    const Ends disagree = {{4, std::nullopt}};
    EXPECT_EQ(ends_of("@P0 BRA i; SSY a; BRA i; NOP; i: SYNC; a: EXIT;"), disagree);
    const Ends none = {{0, std::nullopt}, {1, std::nullopt}, {2, std::nullopt}};
    EXPECT_EQ(ends_of("@P0 SYNC; @P0 BRK; @P0 CONT; EXIT;"), none);
    const Ends unknown = {{2, std::nullopt}};
    EXPECT_EQ(ends_of("SSY a; BRX R1; SYNC; a: EXIT;"), unknown);
}

// --- schedules

std::string missing(const Program &program) {
    std::string text;
    for (const MissingProtection &gap : verify_schedule(program, kModel)) {
        text += std::to_string(gap.producer) + "->" + std::to_string(gap.consumer) + ": " + gap.reason + "\n";
    }
    return text;
}

const char *const kPrograms[] = {
    // flags to a branch, both sides with loads that are used after the region
    R"(.kernel k
S2R R0, SR_LANEID; ISETP.LT.AND.CC PT, PT, R0, 16, PT; SSY j; BRA CC.GE, e; LDS R4, [R0]; SYNC;
e: MUFU.RCP R4, R1; UMOV UR4, 3; SYNC; j: FADD R5, R4, R4; MOV R6, UR4; EXIT;)",
    // a loop with break and continue, values carried over iterations
    R"(.kernel k
S2R R0, SR_LANEID; MOV R1, RZ; PBK x; h: PCNT n; LDS R2, [R1]; IADD3 R1, R1, 4, RZ; ISETP.GT.AND P0, PT, R2, R0, PT;
@P0 BRK; LDS R3, [R1]; ISETP.EQ.AND P1, PT, R3, R2, PT; @P1 CONT; FADD R5, R5, R3; CONT; n: BRA h; x: FADD R6, R5, R3; EXIT;)",
    // flags of floats, words and sums: tested on the other side of a branch, after a call, and in the next round of a
    // loop
    R"(.kernel k
S2R R0, SR_LANEID; LOP3.CC RZ, R0, 1, RZ, 0xc0; PBK x; h: SSY j; BRA CC.NE, o; LDS R4, [R0]; FADD.CC R4, R4, R4; SYNC;
o: IADD3.CC R5, R0, -R5, RZ; JMP CC.HS, ABS:p; BRX CC.SFT, R0; p: SYNC; j: MOV R6, R5; CAL f; FSETP.LT.AND.CC PT, PT, R4, R6, PT;
BRA.U CC.GEU, h; BRK; x: EXIT;
.endkernel
f: FFMA.CC R4, R4, R6, R4; RET;)",
    // calls with and without their own token, an indirect one, and a switch
    R"(.kernel k
LDG R4, [R[2:3]]; MOV R7, 1; CAL f; FADD R5, R4, R7; PRET n; BRA.LMT f; n: LDS R8, [R7]; CAL R8; SSY s; BRX R8; LDS R9, [R8];
SYNC; MOV R9, R4; SYNC; s: MOV R10, R9; EXIT;
.endkernel
f: MUFU.EX2 R4, R4; ISETP.EQ.AND P0, PT, R4, RZ, PT; @P0 RET; LDS R7, [R4]; RET;)",
};

TEST(TokenStackSchedule, IsComplete) {
    for (const char *text : kPrograms) {
        EXPECT_EQ(missing(assembled(text)), "") << text;
    }
}

TEST(TokenStackSchedule, HasNoSuperfluousField) {
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
            expect_found("stall", [](Instruction &insn) { insn.stall = insn.stall > 1 ? insn.stall - 1 : 1; });
            expect_found("wsb", [](Instruction &insn) { insn.wsb = isa::kNoScoreboard; });
            for (unsigned s = 0; s < isa::kScoreboards; ++s) {
                expect_found("req", [&](Instruction &insn) { insn.req &= static_cast<std::uint8_t>(~(1U << s)); });
            }
        }
    }
}

TEST(TokenStackSchedule, AwaitsALoadOfASideAfterTheRegionNotAtItsSync) {
    const Program program = assembled(kPrograms[0]);
    const auto sync = std::ranges::find(program.code, Op::kSync, &Instruction::op);
    EXPECT_EQ(sync->req, 0U);
    const auto add = std::ranges::find(program.code, Op::kFadd, &Instruction::op);
    EXPECT_NE(add->req, 0U);
}

TEST(TokenStackSchedule, AwaitsEverythingAtASyncWithAnUnknownRegion) {
    const Program program = assembled(R"(.kernel k
SSY s; BRX R8; BRA o; LDS R9, [R8]; SYNC; o: SYNC; s: MOV R10, R9; EXIT;)");
    const auto sync = std::ranges::find(program.code, Op::kSync, &Instruction::op);
    EXPECT_NE(sync->req, 0U);
}

} // namespace
} // namespace smsim::assembler
