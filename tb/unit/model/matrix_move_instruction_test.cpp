// LDSM, STSM and MOVM: their text and words, groups of registers, and which do not exist.
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assembler/assembler.h"
#include "assembler/disassembler.h"
#include "model/error.h"

namespace smsim::isa {
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

TEST(MatrixMove, IsReadBackFromTextAndWord) {
    const std::vector<std::string> texts = {
        "LDSM.16.M88 R1, [R4+0x20]",    "LDSM.16.M88.2 R[2:3], [R4]",        "LDSM.16.M88.4 R[8:11], [R4]",
        "LDSM.16.MT88 R1, [R4]",        "LDSM.16.MT88.4 R[8:11], [UR5]",     "STSM.16.M88 [R4], R1",
        "STSM.16.MT88.2 [UR5], R[2:3]", "STSM.16.M88.4 [R4+-0x10], R[8:11]", "MOVM.16.MT88 R3, R7"};
    std::set<std::string> words;
    for (const std::string &text : texts) {
        const Instruction insn = parsed(text);
        EXPECT_EQ(assembler::disassemble(insn), text);
        const auto word = std::get<Word>(encode(insn));
        EXPECT_EQ(std::get<Instruction>(decode(word, 0)), insn) << text;
        EXPECT_TRUE(words.insert(std::to_string(word.hi) + " " + std::to_string(word.lo)).second) << text;
    }
}

TEST(MatrixMove, HasItsModifiersInTheBitsOfAnAccess) {
    const auto field = [](const std::string &text) { return std::get<Word>(encode(parsed(text))).get(72, 6); };
    EXPECT_EQ(field("LDSM.16.M88 R1, [R4]"), 6U) << "128 bits for each row";
    EXPECT_EQ(field("LDSM.16.MT88.2 R2, [R4]"), 6U + (1U << 3U) + (1U << 4U));
    EXPECT_EQ(field("STSM.16.M88.4 [R4], R4"), 6U + (2U << 4U));
    EXPECT_EQ(field("MOVM.16.MT88 R3, R7"), 0U);
}

TEST(MatrixMove, TakesAsManyRegistersAsMatrices) {
    EXPECT_EQ(registers_written(parsed("LDSM.16.M88 R5, [R4]")), 1U);
    EXPECT_EQ(registers_written(parsed("LDSM.16.M88.2 R6, [R4]")), 2U);
    EXPECT_EQ(registers_written(parsed("LDSM.16.MT88.4 R8, [R4]")), 4U);
    const Dependences store = dependences_of(parsed("STSM.16.M88.4 [R4], R8"));
    ASSERT_EQ(store.read_count, 2);
    EXPECT_EQ(store.reads[0].first, 4);
    EXPECT_EQ(store.reads[0].count, 1);
    EXPECT_EQ(store.reads[1].first, 8);
    EXPECT_EQ(store.reads[1].count, 4);
    EXPECT_EQ(store.write.count, 0);
    EXPECT_THAT(error_of("LDSM.16.M88.2 R5, [R4]"), HasSubstr("register R5 of a group of 2 is not aligned"));
    EXPECT_THAT(error_of("STSM.16.M88.4 [R4], R6"), HasSubstr("register R6 of a group of 4 is not aligned"));
    EXPECT_THAT(error_of("LDSM.16.M88.4 R252, [R4]"), HasSubstr("runs past the register file"));
}

TEST(MatrixMove, NeedsTheModifiersThatSayWhatItMoves) {
    EXPECT_THAT(error_of("LDSM.M88 R1, [R4]"), HasSubstr("lacks a modifier"));
    EXPECT_THAT(error_of("LDSM.16 R1, [R4]"), HasSubstr("expected one of .M88, .MT88"));
    EXPECT_THAT(error_of("MOVM.16.M88 R1, R4"), HasSubstr("has no modifier '.M88' here"));
    Word word = std::get<Word>(encode(parsed("LDSM.16.M88 R1, [R4]")));
    word.set(72, 3, 4);
    EXPECT_THAT(std::get<DecodeError>(decode(word, 0)).reason, HasSubstr("bit 72 has no meaning here"));
    word.set(72, 3, 6);
    word.set(76, 2, 3);
    EXPECT_THAT(std::get<DecodeError>(decode(word, 0)).reason, HasSubstr("bit 76 is not defined"));
}

} // namespace
} // namespace smsim::isa
