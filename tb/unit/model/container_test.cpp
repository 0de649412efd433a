// The binary program file: what is written is read back, and no damage goes unnoticed.
#include <cstdio>
#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

#include "assembler/assembler.h"
#include "assembler/container.h"
#include "assembler/load_program.h"
#include "tb/support/seal_program.h"

namespace smsim {
namespace {

using test::seal_program;
using ::testing::HasSubstr;

const timing::SchedulingModel kModel;

Program sample() {
    return assemble(".const 3\n.word 1, 2, 3\n.global\n.word 4, 5\n.zero 0x10000000\n.kernel k\n.parameters 8\nstart: "
                    "S2R R0, SR_TID.X; IADD3 R0, R0, 1, RZ; @P0 BRA start; EXIT;",
                    "sample.sass", kModel);
}

std::string refusal(std::span<const std::uint8_t> bytes) {
    try {
        deserialize_program(bytes, "x.smbin");
    } catch (const InputError &error) {
        return error.what();
    }
    return "accepted";
}

TEST(Container, ProgramComesBackUnchanged) {
    const Program program = sample();
    const Program again = deserialize_program(serialize_program(program), "x.smbin");
    EXPECT_EQ(again.engine, program.engine);
    EXPECT_EQ(again.code, program.code);
    EXPECT_EQ(again.kernels, program.kernels);
    EXPECT_EQ(again.constants, program.constants);
    EXPECT_EQ(again.global_data, program.global_data);
    EXPECT_EQ(again.global_data_bytes, program.global_data_bytes);
    EXPECT_EQ(again.symbols, program.symbols);
    EXPECT_EQ(again.files, program.files);
    EXPECT_EQ(again.lines, program.lines);
    EXPECT_EQ(again.source, program.source);
}

TEST(Container, TheCtasOfAKernelComeBack) {
    Program program = sample();
    EXPECT_EQ(serialize_program(program)[8], kContainerVersion) << "files without them stay as they are";
    program.kernels[0].most_threads = 96;
    program.kernels[0].block = {32, 2, 1};
    EXPECT_EQ(serialize_program(program)[8], kBoundsVersion);
    const Program again = deserialize_program(serialize_program(program), "x.smbin");
    EXPECT_EQ(again.kernels, program.kernels);
    EXPECT_EQ(again.engine, program.engine);
    program.kernels[0].block = {32, 0, 1};
    EXPECT_THAT(refusal(serialize_program(program)), HasSubstr("impossible name, range or resource"));
    program.kernels[0].block = {};
    program.kernels[0].most_threads = 1025;
    EXPECT_THAT(refusal(serialize_program(program)), HasSubstr("impossible name, range or resource"));
}

TEST(Container, AKernelMayHaveAnyNameThatTheAssemblerTakes) {
    for (const std::string name : {"c", "R1", "RZ", "SR_CLOCKHI", "INF", ".", "a.b$_", "kernel"}) {
        const Program program = assemble(".kernel " + name + "\nEXIT;\n", "k.sass", kModel);
        EXPECT_EQ(deserialize_program(serialize_program(program), "k").kernels.at(0).name, name);
    }
}

TEST(Container, FilesOfTheFirstVersionAreRead) {
    // The same program in the format of the first version: kernels end with the flag of the scheduler, no global data.
    Program program = sample();
    program.global_data.clear();
    program.global_data_bytes = 0;
    program.kernels[0].parameter_bytes.reset();
    std::vector<std::uint8_t> bytes = serialize_program(program);
    const auto erase = [&](std::string_view tag, std::size_t offset, std::size_t count) {
        const auto at = std::search(bytes.begin(), bytes.end(), tag.begin(), tag.end());
        ASSERT_NE(at, bytes.end());
        bytes.erase(at + static_cast<std::ptrdiff_t>(offset), at + static_cast<std::ptrdiff_t>(offset + count));
    };
    erase("glob", 0, 24);
    const auto kernels = std::search(bytes.begin(), bytes.end(), std::begin("kern"), std::end("kern") - 1);
    const std::size_t length = kernels[4];
    erase("kern", 12 + length - 4, 4);
    kernels[4] = static_cast<std::uint8_t>(length - 4);
    bytes[8] = 1;
    seal_program(bytes);
    const Program again = deserialize_program(bytes, "x.smbin");
    EXPECT_EQ(again.code, program.code);
    EXPECT_EQ(again.kernels, program.kernels);
    EXPECT_EQ(again.constants, program.constants);
    EXPECT_EQ(again.source, program.source);
}

TEST(Container, AProgramOfTheDefaultEngineIsWrittenInVersionTwoWithoutIt) {
    const std::vector<std::uint8_t> bytes = serialize_program(sample());
    EXPECT_EQ(bytes[8], 2U);
    EXPECT_EQ(std::string(bytes.begin() + 16, bytes.begin() + 20), "code");
}

TEST(Container, AProgramOfAnEngineThatDoesNotExistIsRefusedByName) {
    Program program = sample();
    program.engine = "no_such_engine";
    const std::vector<std::uint8_t> bytes = serialize_program(program);
    EXPECT_EQ(bytes[8], 3U);
    EXPECT_THAT(refusal(bytes), HasSubstr("x.smbin: program for the reconvergence engine 'no_such_engine', which does "
                                          "not exist; expected one of: convergence_barrier"));
    program.engine = "no such engine";
    EXPECT_THAT(refusal(serialize_program(program)), HasSubstr("engine has an impossible name"));
}

TEST(Container, AnInstructionThatTheEngineLacksIsRefusedWithItsAddress) {
    Program program =
        assemble(".engine simt_stack\n.kernel k\nNOP; JOIN; ENDPRG;\n", "k.sasm", timing::SchedulingModel());
    EXPECT_EQ(deserialize_program(serialize_program(program), "x.smbin").code, program.code);
    program.engine = kDefaultEngine;
    EXPECT_EQ(
        refusal(serialize_program(program)),
        "x.smbin: address 0x0010: JOIN in a program for convergence_barrier: it belongs to the engine simt_stack");
}

TEST(Container, AFileThatNamesItsEngineIsRead) {
    Program program = sample();
    program.engine = "convergence_barrieR";
    std::vector<std::uint8_t> bytes = serialize_program(program);
    *std::ranges::find(bytes, std::uint8_t{'R'}) = 'r';
    seal_program(bytes);
    const Program again = deserialize_program(bytes, "x.smbin");
    EXPECT_EQ(again.engine, "convergence_barrier");
    EXPECT_EQ(again.code, program.code);
}

TEST(Container, ZerosAtTheEndOfGlobalDataTakeNoRoom) {
    EXPECT_LT(serialize_program(sample()).size(), 1000U);
}

TEST(Container, TruncationAtEveryLengthIsRefused) {
    const std::vector<std::uint8_t> bytes = serialize_program(sample());
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        std::vector<std::uint8_t> part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
        ASSERT_THAT(refusal(part), HasSubstr("x.smbin: ")) << length;
        if (length >= 16) {
            seal_program(part);
            ASSERT_THAT(refusal(part), HasSubstr("x.smbin: ")) << length << " with a valid checksum";
        }
    }
}

TEST(Container, CorruptionOfEveryByteIsRefused) {
    const std::vector<std::uint8_t> bytes = serialize_program(sample());
    for (std::size_t position = 0; position < bytes.size(); ++position) {
        for (const std::uint8_t flip : {0x01, 0x80, 0xff}) {
            std::vector<std::uint8_t> damaged = bytes;
            damaged[position] ^= flip;
            ASSERT_NE(refusal(damaged), "accepted") << position;
        }
    }
}

TEST(Container, CorruptionWithValidChecksumIsRefusedOrHarmless) {
    const std::vector<std::uint8_t> bytes = serialize_program(sample());
    unsigned refused = 0;
    for (std::size_t position = 16; position < bytes.size(); ++position) {
        for (const std::uint8_t flip : {0x01, 0x40, 0x80, 0xff}) {
            std::vector<std::uint8_t> damaged = bytes;
            damaged[position] ^= flip;
            seal_program(damaged);
            try {
                // an accepted program is well-formed: it is written as exactly the same bytes
                ASSERT_EQ(serialize_program(deserialize_program(damaged, "x.smbin")), damaged) << position;
            } catch (const InputError &) {
                ++refused;
            }
        }
    }
    EXPECT_GT(refused, 100U);
}

TEST(Container, RefusalsNameTheReason) {
    std::vector<std::uint8_t> bytes = serialize_program(sample());
    std::vector<std::uint8_t> version = bytes;
    version[8] = 9;
    EXPECT_THAT(refusal(version), HasSubstr("version 9 of the program file is not known; expected 1"));
    std::vector<std::uint8_t> magic = bytes;
    magic[0] = 'X';
    EXPECT_THAT(refusal(magic), HasSubstr("not a program file"));
    std::vector<std::uint8_t> content = bytes;
    content.back() ^= 1;
    EXPECT_THAT(refusal(content), HasSubstr("CRC-32"));
    bytes[16 + 12 + 4 + 16] = 0; // operation number of the second instruction
    seal_program(bytes);
    EXPECT_THAT(refusal(bytes), HasSubstr("x.smbin: address 0x0010: word 0x"));
    std::vector<std::uint8_t> longer = serialize_program(sample());
    longer.push_back(0);
    seal_program(longer);
    EXPECT_THAT(refusal(longer), HasSubstr("1 bytes follow the last section"));
}

TEST(Container, KernelWithFewerRegistersThanItsCodeUsesIsRefused) {
    Program program = sample();
    program.kernels.at(0).registers = 1;
    EXPECT_EQ(deserialize_program(serialize_program(program), "x.smbin").kernels, program.kernels);
    program.code.at(1).ra = 9;
    EXPECT_THAT(refusal(serialize_program(program)), HasSubstr("kernel 'k' uses register R9 and has 1 registers"));
}

TEST(Container, LineTableOfAnotherLengthIsRefused) {
    Program program = sample();
    program.lines.pop_back();
    EXPECT_THAT(refusal(serialize_program(program)), HasSubstr("line table does not match the code"));
}

TEST(Container, BranchOutsideTheProgramIsRefused) {
    Program program = sample();
    program.code[2].imm = 1;
    EXPECT_EQ(refusal(serialize_program(program)),
              "x.smbin: address 0x0020: BRA to 0x40, outside of the program of 0x40 bytes; expected one of its "
              "instructions");
    program.code[2].imm = -4;
    EXPECT_THAT(refusal(serialize_program(program)), HasSubstr("BRA to -0x10, outside"));
    program.code[2].imm = 0;
    EXPECT_EQ(refusal(serialize_program(program)), "accepted");
}

TEST(Container, InstructionWithoutEncodingIsNotWritten) {
    Program program = sample();
    program.code.at(1).imm = std::int64_t{1} << 40;
    EXPECT_THROW(serialize_program(program), InputError);
}

class Files : public ::testing::Test {
  protected:
    std::string path_ = ::testing::TempDir() + "smsim_container_" + std::to_string(::getpid());
    void TearDown() override { std::remove(path_.c_str()); }
    void write(const std::string &text) const { std::ofstream(path_, std::ios::binary) << text; }
};

TEST_F(Files, LoadDistinguishesTextFromBinaryByContent) {
    const Program program = sample();
    const std::vector<std::uint8_t> bytes = serialize_program(program);
    write(std::string(bytes.begin(), bytes.end()));
    EXPECT_EQ(load_program(path_, kModel).code, program.code);
    write(".kernel k\nEXIT;\n");
    EXPECT_EQ(load_program(path_, kModel).kernels.at(0).name, "k");
    write(std::string("SMBIX") + '\0');
    EXPECT_THROW(load_program(path_, kModel), InputError);
}

TEST_F(Files, EndingOrFirstLettersMakeABinary) {
    const auto refused = [&](const std::string &path) {
        try {
            load_program(path, kModel);
        } catch (const InputError &error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    for (const std::string cut : {"S", "SMBI", "SMBIN\r\n"}) {
        write(cut);
        EXPECT_THAT(refused(path_), HasSubstr("bytes are not a program file")) << cut;
    }
    path_ += ".smbin";
    for (const std::string text : {"", ".kernel k\nEXIT;\n", ".kernel k\nEXIT;  // long enough for a header\n"}) {
        write(text);
        EXPECT_THAT(refused(path_), HasSubstr("program file")) << text;
    }
}

TEST_F(Files, MissingFileIsAnInputError) {
    EXPECT_THROW(load_program(path_ + "/none", kModel), InputError);
}

} // namespace
} // namespace smsim
