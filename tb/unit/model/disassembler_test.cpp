// Round trip between words and text (encoding.md Assembly 3: every program disassembles to text that assembles to the
// same words).
#include <set>

#include <gmock/gmock.h>

#include "assembler/assembler.h"
#include "assembler/disassembler.h"
#include "model/isa/engine_operations.h"
#include "model/program/engine.h"
#include "tb/unit/model/instruction_generator.h"

namespace smsim::assembler {
namespace {

const timing::SchedulingModel kModel;

Program assembled(const std::string &text) {
    return assemble(text, "test.sass", kModel);
}

TEST(Disassembler, EveryFormAndModifierRoundTripsThroughTextOfItsEngine) {
    std::set<isa::Op> covered;
    for (const std::string_view engine : engine_names()) {
        std::string text = ".engine " + std::string(engine) + "\n.schedule manual\n";
        std::vector<isa::Instruction> expected;
        test::for_each_instruction([&](isa::Instruction insn) {
            if (isa::engine_refusal(insn, engine)) {
                return;
            }
            insn.pc = expected.size() * kInstructionBytes;
            if (insn.op == isa::Op::kBra || insn.op == isa::Op::kSetrpc || isa::is_vector_branch(insn.op)) {
                insn.imm %= static_cast<std::int64_t>(expected.size()) + 1; // back to an instruction of this program
                insn.imm = insn.imm > 0 ? -insn.imm : insn.imm - 1;
            }
            if (isa::named_address(insn)) { // that of an instruction of this program
                const auto at = static_cast<std::int64_t>(insn.pc);
                const std::int64_t to = std::abs(insn.imm) % (at + 1) / 16 * 16;
                insn.imm = insn.op == isa::Op::kJmp ? to : to - at - 16;
            }
            expected.push_back(insn);
            covered.insert(insn.op);
            text += disassemble(insn) + ";\n";
        });
        const Program program = assembled(text);
        ASSERT_EQ(program.code.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            ASSERT_EQ(program.code[i], expected[i]) << program.source[i + 2];
        }
    }
    EXPECT_EQ(covered.size(), isa::all_operations().size()) << "an operation that belongs to no engine";
}

TEST(Disassembler, TextIsAsInTheExamples) {
    std::string room; // for the targets of branches
    for (unsigned address = 0; address <= 0x3910; address += kInstructionBytes) {
        room += "NOP;";
    }
    const auto text = [&](const std::string &source) {
        return disassemble(assembled(".schedule manual\n" + source + room).code[0]);
    };
    for (const std::string source :
         {"@!P1 BRA !P2, 0x7e0", "BRA.DIV ~URZ, 0x3910", "@P0 BRX !P1, R5, -0x110", "CALL.REL c[0x2][0x100]",
          "BMOV.CLEAR R6, B0", "BAR.ARV 0x1, R5", "BAR.SYNC R4", "B2R.WARP R4", "LEPC R[4:5], 0x80",
          "LDG.128 R[4:7], [R[2:3]+-0x10]", "LDS R4, [0x10]", "LDS R4, [URZ+0x10]", "STG.64 [UR[4:5]+-0x8], R[8:9]",
          "FADD R1, -|R2|, 1.5", "IADD3 R4, R4, -0x3, RZ", "DADD R[2:3], R[4:5], -2.0", "S2R R0, SR_TID.X",
          "MUFU.RCP R1, R2 ?stall2 ?yield &req={0,3} &wsb=1 &rsb=2"}) {
        EXPECT_EQ(text(source + ";"), source);
    }
}

TEST(Disassembler, ProgramListingGivesTheSameProgram) {
    const Program program = assembled(R"(
.const 3
table: .quad .b - .a, 7
.zero 3
.const 5
.global
.zero 70
text: .quad text, leaf
.zero 0x20000000
.text
leaf: MOV R1, 5; RET.ABS R[20:21], 0x0;
.kernel first
.parameters 24
.shared 0x100
.local 16
.a: LDG R4, [R[2:3]]; IADD3 R4, R4, 1, RZ; @P0 BRA .a; CALL.REL `(leaf);
.b: BSSY B0, `(end); BSYNC B0; EXIT;
.endkernel
NOP;
.kernel second
.registers 40
.maxntid 96
.reqntid 32, 2, 1
BAR.SYNC 0x0 ?stall3; @P1 BRA `(end); EXIT;
end: EXIT;
)");
    const Program again = assembled(disassemble(program));
    EXPECT_EQ(again.engine, program.engine);
    EXPECT_EQ(again.code, program.code);
    EXPECT_EQ(again.kernels, program.kernels);
    EXPECT_EQ(again.constants, program.constants);
    EXPECT_EQ(again.global_data, program.global_data);
    EXPECT_EQ(again.global_data_bytes, program.global_data_bytes);
    EXPECT_EQ(again.symbols, program.symbols);
    EXPECT_TRUE(program.kernels[0].scheduled_by_pass);
    EXPECT_FALSE(program.kernels[1].scheduled_by_pass);
    EXPECT_EQ(disassemble(again), disassemble(program));
}

TEST(Disassembler, DefaultControlFieldsAreNotScheduledAgain) {
    const Program program = assembled(".kernel k\n.schedule manual\nMOV R1, 1; IADD3 R1, R1, R1, RZ; EXIT;");
    const Program again = assembled(disassemble(program));
    EXPECT_EQ(again.code, program.code);
    EXPECT_EQ(again.code[0].stall, 0);
}

TEST(Disassembler, TargetsAreLabelsWhereOneIsKnown) {
    const SymbolLookup lookup = [](Pc pc) { return pc == 0x20 ? std::string("there") : std::string(); };
    const Program program = assembled("BRA 0x20; CALL.ABS 0x20; CALL.REL -0x10; CALL.REL 0x0; RET.ABS 0x20;");
    EXPECT_EQ(disassemble(program.code[0], lookup).substr(0, 12), "BRA `(there)");
    EXPECT_EQ(disassemble(program.code[1], lookup).substr(0, 17), "CALL.ABS `(there)");
    EXPECT_EQ(disassemble(program.code[2], lookup).substr(0, 17), "CALL.REL `(there)");
    EXPECT_EQ(disassemble(program.code[3], lookup).substr(0, 12), "CALL.REL 0x0");
    EXPECT_EQ(disassemble(program.code[4], lookup).substr(0, 12), "RET.ABS 0x20");
}

TEST(Disassembler, TargetsPastTheLastAddressBeginAgain) {
    Program program = assembled("BRA 0x0;");
    program.code[0].imm = 3;
    program.code[0].pc = 0x7fff'ffff'ffff'ffd0;
    EXPECT_EQ(operation_text(program.code[0]), "BRA -0x7ffffffffffffff0");
    program.code[0].pc = ~Pc{0} - 0x0f;
    EXPECT_EQ(operation_text(program.code[0]), "BRA 0x30");
}

} // namespace
} // namespace smsim::assembler
