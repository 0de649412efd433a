// HMMA, IMMA, BMMA and DMMA: which product an instruction is, which do not exist, the groups of registers, and the
// time of each (tensor.md 1, 3).
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assembler/assembler.h"
#include "assembler/disassembler.h"
#include "model/config/loader.h"
#include "model/error.h"
#include "model/isa/matrix/matrix_instruction.h"
#include "model/timing/dependence.h"
#include "model/timing/pipes.h"

namespace smsim::isa::matrix {
namespace {

using ::testing::HasSubstr;

Instruction parsed(const std::string &text) {
    return assemble(".kernel k\n.schedule done\n" + text + ";\nEXIT;\n", "k.sasm", timing::SchedulingModel())
        .code.at(0);
}

std::string error_of(const std::string &text) {
    try {
        parsed(text);
    } catch (const InputError &error) {
        return error.what();
    }
    return "no error";
}

struct Groups {
    unsigned d;
    unsigned a;
    unsigned b;
    unsigned c;
    friend bool operator==(const Groups &, const Groups &) = default;
};
std::ostream &operator<<(std::ostream &out, const Groups &g) {
    return out << g.d << ' ' << g.a << ' ' << g.b << ' ' << g.c;
}
Groups groups_of(const Instruction &insn) {
    return {registers_of(insn, Place::kRd), registers_of(insn, Place::kRa), registers_of(insn, Place::kRb),
            registers_of(insn, Place::kRc)};
}

TEST(MatrixInstruction, ModifiersNameShapeTypesLayoutsAndSparsity) {
    MatrixOperation op = operation_of(parsed("HMMA.884.F32.F16.COL_ROW R8, R0, R2, R4"));
    EXPECT_TRUE(is_quad_pair(op));
    EXPECT_EQ(op.d, Element::kF32);
    EXPECT_EQ(op.c, Element::kF16);
    EXPECT_EQ(op.layout_a, Layout::kColumn);
    EXPECT_EQ(op.layout_b, Layout::kRow);
    op = operation_of(parsed("HMMA.16832.F32.F32.BF16.SP1 R8, R0, R4, R8, R12"));
    EXPECT_EQ(op.a, Element::kBf16);
    EXPECT_EQ(op.k, 32U);
    EXPECT_TRUE(op.sparse);
    EXPECT_EQ(op.selector, 1U);
    op = operation_of(parsed("HMMA.16832.F16.F16.E4M3_E5M2 R8, R0, R4, R8"));
    EXPECT_EQ(op.a, Element::kE4m3);
    EXPECT_EQ(op.b, Element::kE5m2);
    op = operation_of(parsed("IMMA.16832.U8.S8.SAT R8, R0, R4, R8"));
    EXPECT_EQ(op.a, Element::kU8);
    EXPECT_EQ(op.b, Element::kS8);
    EXPECT_TRUE(op.saturate);
    EXPECT_TRUE(operation_of(parsed("BMMA.168256.AND R8, R0, R4, R8")).and_not_xor);
    EXPECT_EQ(operation_of(parsed("DMMA.884.RZ R8, R0, R2, R4")).rounding, Rounding::kRz);
}

TEST(MatrixInstruction, EveryProductThatExistsIsReadBackFromTextAndWord) {
    std::set<std::string> texts;
    for (const OpSpec &spec : all_operations()) {
        if (spec.unit != Unit::kTensor) {
            continue;
        }
        std::size_t combinations = 1;
        for (const ModifierSpec &modifier : spec.modifiers) {
            combinations *= modifier.names.size();
        }
        for (std::size_t number = 0; number < combinations; ++number) {
            Instruction insn;
            insn.op = spec.op;
            insn.unit = spec.unit;
            insn.form = Form::kR;
            std::size_t rest = number;
            for (std::size_t i = 0; i < spec.modifiers.size(); ++i) {
                insn.mod[i] = static_cast<std::uint8_t>(rest % spec.modifiers[i].names.size());
                rest /= spec.modifiers[i].names.size();
            }
            insn.rd = 16;
            insn.ra = 32;
            insn.rb = 48;
            insn.rc = 64;
            const auto word = encode(insn);
            ASSERT_EQ(std::holds_alternative<Word>(word), is_valid(operation_of(insn)));
            if (!std::holds_alternative<Word>(word)) {
                continue;
            }
            if (operation_of(insn).sparse) {
                insn.re = 3;
            }
            const std::string text = assembler::disassemble(insn);
            EXPECT_TRUE(texts.insert(text).second) << text;
            Instruction read = parsed(text);
            read.stall = insn.stall;
            EXPECT_EQ(read, insn) << text;
        }
    }
    EXPECT_GT(texts.size(), 200U);
}

TEST(MatrixInstruction, ThoseThatDoNotExistAreRefused) {
    for (const char *text : {"HMMA.16816.F32.F32.TF32 R8, R0, R4, R8", "HMMA.884.F16.F32 R8, R0, R2, R4",
                             "HMMA.1688.F16.F16.BF16 R8, R0, R2, R4", "HMMA.16816.F32.F32.COL_COL R8, R0, R4, R8",
                             "HMMA.16832.F32.F32.SP2 R8, R0, R4, R8, R12", "IMMA.16832.S8.S4 R8, R0, R4, R8",
                             "IMMA.8832.U8.U8 R8, R0, R2, R4"}) {
        EXPECT_THAT(error_of(text), HasSubstr("no such product")) << text;
    }
    EXPECT_THAT(error_of("HMMA.16816.F32.F32 R8, R0, R4, R8, R12"), HasSubstr("has no metadata"));
}

TEST(MatrixInstruction, OperandsAreGroupsOfRegistersThatAreAlignedAndInsideTheFile) {
    EXPECT_EQ(groups_of(parsed("HMMA.884.F32.F32 R8, R0, R2, R16")), (Groups{8, 2, 2, 8}));
    EXPECT_EQ(groups_of(parsed("HMMA.1688.F16.F16 R8, R0, R2, R16")), (Groups{2, 2, 1, 2}));
    EXPECT_EQ(groups_of(parsed("HMMA.16816.F32.F16 R8, R0, R4, R16")), (Groups{4, 4, 2, 2}));
    EXPECT_EQ(groups_of(parsed("HMMA.16832.F32.F32.SP0 R8, R0, R4, R16, R1")), (Groups{4, 4, 4, 4}));
    EXPECT_EQ(groups_of(parsed("IMMA.8816.S8.S8 R8, R0, R1, R16")), (Groups{2, 1, 1, 2}));
    EXPECT_EQ(groups_of(parsed("DMMA.16816 R8, R16, R32, R40")), (Groups{8, 16, 8, 8}));
    EXPECT_THAT(error_of("HMMA.16816.F32.F32 R10, R0, R4, R8"),
                HasSubstr("register R10 of a group of 4 is not aligned"));
    EXPECT_THAT(error_of("HMMA.884.F32.F32 R12, R0, R2, R16"),
                HasSubstr("register R12 of a group of 8 is not aligned"));
    EXPECT_THAT(error_of("HMMA.16816.F32.F32 R252, R0, R4, R8"), HasSubstr("runs past the register file"));
}

TEST(MatrixInstruction, ReadsAndWritesWholeGroups) {
    const Instruction insn = parsed("HMMA.16832.F32.F32.SP0 R8, R16, R20, R24, R3");
    const Dependences deps = dependences_of(insn);
    EXPECT_EQ(deps.write.first, 8);
    EXPECT_EQ(deps.write.count, 4);
    ASSERT_EQ(deps.read_count, 4);
    EXPECT_EQ(deps.reads[2].first, 24);
    EXPECT_EQ(deps.reads[2].count, 4);
    EXPECT_EQ(deps.reads[3].first, 3);
    EXPECT_EQ(deps.reads[3].count, 1);
    EXPECT_EQ(registers_used(std::vector<Instruction>{insn}), 28U);
}

/// Interval and latency of an instruction with a configuration.
std::pair<unsigned, unsigned> time_of(const char *generation, const std::string &text) {
    const timing::Pipes pipes(load_config(std::string(SMSIM_SOURCE_DIR "/configs/") + generation + ".yaml"));
    const Instruction insn = parsed(text);
    return {pipes.interval(insn), pipes.latency(insn)};
}

TEST(MatrixTime, TensorMd3_IntervalsFollowFromTheRatesAndLatenciesFromTheSteps) {
    using Time = std::pair<unsigned, unsigned>;
    EXPECT_EQ(time_of("v100", "HMMA.884.F32.F32 R8, R0, R2, R16"), Time(8, 16));
    EXPECT_EQ(time_of("turing", "HMMA.1688.F16.F16 R8, R0, R2, R16"), Time(8, 14));
    EXPECT_EQ(time_of("turing", "HMMA.1688.F32.F32 R8, R0, R2, R16"), Time(16, 14));
    EXPECT_EQ(time_of("turing", "IMMA.8816.S8.S8 R8, R0, R1, R16"), Time(4, 14));
    EXPECT_EQ(time_of("a100", "HMMA.1688.F32.F32 R8, R0, R2, R16"), Time(4, 17));
    EXPECT_EQ(time_of("a100", "HMMA.16816.F32.F32 R8, R0, R4, R16"), Time(8, 24));
    EXPECT_EQ(time_of("a100", "HMMA.1688.F32.F32.TF32 R8, R0, R4, R16"), Time(8, 24));
    EXPECT_EQ(time_of("a100", "IMMA.16832.S8.S8 R8, R0, R4, R16"), Time(8, 24));
    EXPECT_EQ(time_of("a100", "HMMA.16816.F32.F32.SP0 R8, R0, R4, R16, R1"), Time(6, 17));
    EXPECT_EQ(time_of("a100", "HMMA.16832.F32.F32.SP0 R8, R0, R4, R16, R1"), Time(8, 24));
    EXPECT_EQ(time_of("a100", "DMMA.884 R8, R0, R2, R16"), Time(16, 26));
    EXPECT_EQ(time_of("ga10x", "HMMA.16816.F32.F32 R8, R0, R4, R16"), Time(32, 24));
    EXPECT_EQ(time_of("h100", "HMMA.16816.F32.F32 R8, R0, R4, R16"), Time(6, 24));
    EXPECT_EQ(time_of("h100", "HMMA.1688.F32.F32 R8, R0, R2, R16"), Time(4, 17));
    EXPECT_EQ(time_of("h100", "HMMA.16832.F32.F32.SP0 R8, R0, R4, R16, R1"), Time(8, 24));
    EXPECT_EQ(time_of("h100", "IMMA.8816.S8.S8 R8, R0, R1, R16"), Time(4, 14));
    EXPECT_EQ(time_of("h100", "DMMA.16816 R8, R16, R32, R40"), Time(64, 82));
}

TEST(MatrixTime, TensorMd3_ResultsAndSourcesAreAwaited) {
    const timing::SchedulingModel a100(load_config(SMSIM_SOURCE_DIR "/configs/a100.yaml"));
    const Instruction first = parsed("HMMA.16816.F32.F32 R8, R0, R4, R8");
    EXPECT_EQ(timing::required_distance(a100, first, parsed("HMMA.16816.F32.F32 R8, R0, R4, R8")), 24U);
    EXPECT_EQ(timing::required_distance(a100, first, parsed("FADD R20, R11, R12")), 24U);
    EXPECT_EQ(timing::required_distance(a100, parsed("FADD R3, R11, R12"), first), 7U);
    EXPECT_EQ(timing::required_distance(a100, first, parsed("FADD R20, R12, R12")), 0U);
}

} // namespace
} // namespace smsim::isa::matrix
