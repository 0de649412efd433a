// Every instruction example of the two instruction descriptions assembles, or is rejected for a stated reason.
#include <gmock/gmock.h>

#include "assembler/assembler.h"

namespace smsim::assembler {
namespace {

using ::testing::HasSubstr;

const timing::SchedulingModel kModel;

/// Labels that the examples refer to, at known places, in a program that contains the addresses in the examples.
std::string with_labels(const std::string &instruction) {
    static const std::string room = [] {
        std::string nops = ".schedule manual\n";
        for (unsigned address = 0; address <= 0x6290; address += kInstructionBytes) {
            nops += "NOP;\n";
        }
        return nops;
    }();
    return ".Base:\nlabel:\n.Target:\n.Label:\n.L_x_0:\n.L_x_1:\n.L_x_3:\n.L_x_4:\n.L_x_5:\n" + instruction +
           "\n.Next:\n NOP;\n" + room;
}

TEST(SourceDocumentExamples, BranchUnitExamplesAssemble) {
    for (const char *text : {
             "BRA `(label);",
             "BRA 0x110;",
             "@P0  BRA 0x800 ;",
             "@!P1 BRA.U 0x6290 ;",
             "BRA.DIV 0x3940 ;",
             "BRA.CONV 0x1730 ;",
             "@!P1 BRA !P2, 0x7e0 ;",
             "BRA.DIV ~URZ, 0x3910 ;",
             "@!P0 BRA.CONV UR4, 0xbe0 ;",
             "BRA `(.Target);",
             "BSSY B0, `(.L_x_0) ;",
             "BSSY B1, `(.L_x_1) ;",
             "IADD3 R0, R6, 0x8000, RZ ;",
             "IADD3 R4, R4, 0x1, RZ ;",
             "BRA `(.L_x_3) ;",
             "IADD3 R4, R4, -0x3, RZ ;",
             "BSYNC B1 ;",
             "BRA `(.L_x_4) ;",
             "EXIT ;",
             "BSYNC B0 ;",
             "BRA `(.L_x_5);",
             "BRX R6, `(.Base - .Next);   (*\"BRANCH_TARGETS .Next, .L1, .L2\"*);",
             "BRX R6, `(.Base - . - 0x10);",
             "BRX R6, -0x70;",
             "@P0 BRX R5, -0x110;",
             "@P0 BRX !P1, R5, -0x110;",
             "@P0 BRX UR4, -0x110;",
             "BRX c[0x3][0x180];",
             "LEPC R[8:9];",
             "CALL.ABS R[6:7], 0x0;",
             "RET.ABS R[8:9], 0x0;",
             "CALL.ABS `(.Target);",
             "CALL.ABS 0x0;",
             "CALL.REL `(.Label);",
             "@P1 CALL.ABS R[8:9], 0x110;",
             "@P1 CALL.ABS P0, R[8:9], 0x110;",
             "CALL.ABS UR[4:5];",
             "CALL.REL c[0x2][0x100];",
             "LEPC R[4:5];",
             "LEPC R[4:5], 0x80;",
             "EXIT;",
             "@P0  EXIT;",
             "@!P1 EXIT, P2;",
             "BMOV B0, R3;",
             "BMOV R5, B11;",
             "BMOV.CLEAR R6, B0;",
             "BSSY B0;",
             "@P0  BSSY B15;",
             "BSYNC B0;",
             "@!P2 BSYNC B0;",
             "YIELD;",
             "@P0  YIELD;",
             "@P0  YIELD !P3;",
             "WARPSYNC 0xffffffff;",
             "@P0  WARPSYNC R9;",
             "@P1  WARPSYNC P3, UR2;",
             "WARPSYNC c[0x2][0x100];",
             "NANOSLEEP 0x100;",
             "NANOSLEEP R3;",
             "@P0   NANOSLEEP UR4;",
             "@!P1  NANOSLEEP c[0x2][0x120];",
         }) {
        EXPECT_NO_THROW(assemble(with_labels(text), "seed", kModel)) << text;
    }
}

TEST(SourceDocumentExamples, BarrierUnitExamplesAssemble) {
    for (const char *text : {
             "BAR.SYNC 0x0 ;",
             "BAR.ARV 0x1, 0x80 ;",
             "BAR.ARV 0x1, R5 ;",
             "BAR.ARV R4, 0x80 ;",
             "BAR.ARV R5, R5 ;",
             "BAR.SYNC R7, R7 ;",
             "BAR.SYNC R4 ;",
             "BAR.RED.OR 0x0, P0 ;",
             "BAR.RED.AND 0x1, 0x80, P0 ;",
             "BAR.RED.AND 0x1, R5, P0 ;",
             "BAR.RED.AND R4, P0 ;",
             "BAR.RED.AND R4, 0x80, P0 ;",
             "B2R.RESULT RZ, P0 ;",
             "B2R.RESULT R4 ;",
             "B2R.BAR R4, 0x2;",
             "B2R.WARP R4;",
             "R2B.WARP R4;",
             "R2B.BAR 0x4, R4;",
             "BAR.SYNC 0x0, 0x40 ;",
             "BAR.SYNC  R0, R1   ;",
             "BAR.ARV  0x0, R1   ;",
             "BAR.RED.POPC 0x0, 0x40,  PT;",
             "BAR.RED.OR          R0, !P1;",
             "B2R R0, 0x0;",
             "B2R.WARP R0, 0x0;",
             "B2R.BAR R0, 0x0;",
             "BAR.RED.POPC 0x1, 0x40, PT;",
             "B2R.WARP R1, 0x4;",
             "BAR.RESULT R0, PT;",
             "R2B 0x0, R0;",
             "R2B.WARP R0;",
             "R2B.BAR 0x0, R0;",
             "R2B.WARP 0x4, R1;",
         }) {
        EXPECT_NO_THROW(assemble(with_labels(text), "seed", kModel)) << text;
    }
}

TEST(SourceDocumentExamples, OthersAreRefusedWithTheReason) {
    const std::pair<const char *, const char *> cases[] = {
        // bcu.md B-4: one register holds both, two registers are rejected
        {"BAR.RED.AND R5, R5, P0 ;", "BAR.RED does not take (register, register, predicate)"},
        // lines of another assembler's listing: operands without comma, modifiers that this set does not have
        {"BRX R6 -0x70;", "unexpected '-'; expected ',' or ';'"},
        {"BRX R6 `(((.Base - .) - 0x10));", "unexpected '`'; expected ',' or ';'"},
        {"RET.ABS.NODEC R20 0x0 ;", "RET has no modifier '.NODEC'"},
        {"IMAD.SHL.U32 R6, R6, 0x4, RZ ;", "IMAD has no modifier '.SHL'"},
        {"SHF.R.S32.HI R7, RZ, 0x1f, R6 ;", "SHF has no modifier '.S32'"},
        {"SHF.L.U32 R4, R4, 0x1, RZ ;", "SHF has no modifier '.U32'"},
        {"LDC R6, c[R0+`((brx_test.const_opt.0.16 + -0x8000))] ;", "unexpected ';'; expected '['"},
        // bru.md "Threads that jump" 5: BRA with a uniform register needs .DIV or .CONV
        {"BRA UR4, 0x110;", "BRA with a uniform register needs .DIV or .CONV"},
    };
    for (const auto &[text, reason] : cases) {
        try {
            assemble(with_labels(text), "seed", kModel);
            ADD_FAILURE() << text << " is accepted";
        } catch (const InputError &error) {
            EXPECT_THAT(error.what(), HasSubstr(reason)) << text;
        }
    }
}

} // namespace
} // namespace smsim::assembler
