// Operands and results of an instruction at its unit, by the description of its form: without SystemC.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "sm/datapath/operands.h"

namespace smsim::sm {
namespace {

using compute::WarpRegisters;
using isa::Form;
using isa::Instruction;
using isa::Op;
using ::testing::ElementsAre;

Instruction make(Op op, Form form) {
    Instruction insn;
    insn.op = op;
    insn.form = form;
    insn.unit = isa::spec_of(op).unit;
    return insn;
}

/// Registers in which Rn holds 1000 n + lane and URn holds 0x100 n, and a constant bank of bytes 0, 1, 2, ...
class Operands : public ::testing::Test {
  protected:
    Operands() {
        for (std::uint8_t reg = 0; reg < 16; ++reg) {
            for (unsigned lane = 0; lane < kLanes; ++lane) {
                registers.set(reg, lane, 1000U * reg + lane);
            }
            registers.set_uniform(reg, 0x100U * reg);
        }
        std::iota(bank.begin(), bank.end(), std::uint8_t{0});
        banks[0] = bank;
    }
    std::optional<FaultReport> read(const Instruction &insn) {
        vectors = {};
        scalar = 0;
        return read_operands(insn, registers, banks, vectors, scalar);
    }

    WarpRegisters registers{16};
    std::vector<std::uint8_t> bank = std::vector<std::uint8_t>(64);
    ConstantBanks banks;
    isa::VectorOperands vectors{};
    std::uint64_t scalar = 0;
};

TEST_F(Operands, OfControlInstructionsInRegistersAreReadForAllLanes) {
    for (const Op op : {Op::kBrx, Op::kBmov}) {
        Instruction insn = make(op, Form::kR);
        insn.ra = 4;
        EXPECT_FALSE(read(insn));
        EXPECT_EQ(vectors[0][31], 4031U) << insn.spec().name;
    }
    for (const Op op : {Op::kWarpsync, Op::kNanosleep, Op::kTrap}) {
        Instruction insn = make(op, Form::kR);
        insn.rb = 5;
        EXPECT_FALSE(read(insn));
        EXPECT_EQ(vectors[0][31], 5031U) << insn.spec().name;
    }
}

TEST_F(Operands, OfCallAndRetArePairs) {
    for (const Op op : {Op::kCall, Op::kRet}) {
        Instruction insn = make(op, Form::kR);
        insn.ra = 4;
        EXPECT_FALSE(read(insn));
        EXPECT_EQ(vectors[0][31], 4031U | (5031ULL << 32)) << insn.spec().name;
        insn = make(op, Form::kU);
        insn.ur = 6;
        EXPECT_FALSE(read(insn));
        EXPECT_EQ(scalar, 0x70000000600ULL);
        insn = make(op, Form::kC);
        insn.const_offset = 8;
        EXPECT_FALSE(read(insn));
        EXPECT_EQ(scalar, 0x0f0e0d0c0b0a0908ULL);
    }
}

TEST_F(Operands, UniformAndConstantOperandsAreTheScalarOne) {
    Instruction insn = make(Op::kNanosleep, Form::kU);
    insn.ur = 6;
    EXPECT_FALSE(read(insn));
    EXPECT_EQ(scalar, 0x600U);
    insn = make(Op::kBrx, Form::kC);
    insn.const_offset = 8;
    EXPECT_FALSE(read(insn));
    EXPECT_EQ(scalar, 0x0b0a0908U);
    insn.const_offset = 62;
    const auto fault = read(insn);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->fault, Fault::kIllegalAddress);
}

TEST_F(Operands, OfBarrierInstructionsAreInTextOrder) {
    isa::NarrowVectorOperands narrow{};
    const auto read_narrow = [&](const Instruction &insn) {
        narrow = {};
        read_operands(insn, registers, narrow);
    };
    Instruction bar = make(Op::kBar, Form::kR);
    bar.ra = 4;
    bar.rb = 5;
    read_narrow(bar);
    EXPECT_EQ(narrow[0][31], 4031U);
    EXPECT_EQ(narrow[1][31], 5031U);
    bar = make(Op::kBar, Form::kRri);
    bar.rb = 4;
    read_narrow(bar);
    EXPECT_EQ(narrow[0][31], 4031U);
    bar = make(Op::kBar, Form::kRir);
    bar.rc = 5;
    read_narrow(bar);
    EXPECT_EQ(narrow[0][31], 5031U);
    Instruction red = make(Op::kBarRed, Form::kR);
    red.rb = 7;
    read_narrow(red);
    EXPECT_EQ(narrow[0][31], 7031U);
    Instruction r2b = make(Op::kR2b, Form::kRi);
    r2b.ra = 6;
    read_narrow(r2b);
    EXPECT_EQ(narrow[0][31], 6031U);
}

TEST_F(Operands, AResultIsAsWideAsItsDestination) {
    Instruction lepc = make(Op::kLepc, Form::kI);
    lepc.rd = 2;
    write_result(lepc, registers, LaneMask(0x6), 0x1122334455667788ULL);
    EXPECT_EQ(registers.value(2, 0), 2000U);
    EXPECT_EQ(registers.value(2, 1), 0x55667788U);
    EXPECT_EQ(registers.value(3, 2), 0x11223344U);
    Instruction bmov = make(Op::kBmov, Form::kX);
    bmov.rd = 4;
    write_result(bmov, registers, LaneMask(0x2), 0x1122334455667788ULL);
    EXPECT_EQ(registers.value(4, 1), 0x55667788U);
    EXPECT_EQ(registers.value(5, 1), 5001U);
}

TEST_F(Operands, AddressesHave64BitsInGlobalMemoryAnd32InOtherSpaces) {
    registers.set(4, 0, 0x10);
    registers.set(5, 0, 0x2);
    std::array<std::uint64_t, kLanes> address{};
    Instruction insn = make(Op::kLdg, Form::kR);
    insn.ra = 4;
    insn.imm = -0x20;
    read_addresses(insn, registers, address);
    EXPECT_EQ(address[0], 0x1fffffff0ULL);
    insn.ra = isa::kRz;
    insn.imm = 0x30;
    read_addresses(insn, registers, address);
    EXPECT_EQ(address[0], 0x30U);
    insn = make(Op::kLds, Form::kR);
    insn.ra = 4;
    insn.imm = -0x20;
    read_addresses(insn, registers, address);
    EXPECT_EQ(address[0], 0xfffffff0U);
}

TEST_F(Operands, AUniformAddressIsThatOfAllLanes) {
    registers.set_uniform(4, 0x10);
    registers.set_uniform(5, 0x2);
    std::array<std::uint64_t, kLanes> address{};
    const auto all = [&](Op op, std::uint8_t reg, std::int64_t offset) {
        Instruction insn = make(op, Form::kU);
        insn.ur = reg;
        insn.imm = offset;
        read_addresses(insn, registers, address);
        EXPECT_THAT(address, ::testing::Each(address[0]));
        return address[0];
    };
    EXPECT_EQ(all(Op::kStg, 4, -0x20), 0x1fffffff0ULL);
    EXPECT_EQ(all(Op::kLdg, isa::kUrz, 0x30), 0x30U);
    EXPECT_EQ(all(Op::kLds, 4, -0x20), 0xfffffff0U) << "wraps at 32 bits";
    EXPECT_EQ(all(Op::kStl, isa::kUrz, 0x8), 0x8U);
    Instruction store = make(Op::kStg, Form::kU);
    store.rb = 6;
    Words data{};
    std::array<std::array<std::uint32_t, kLanes>, 2> compare{};
    read_store_data(store, registers, data, compare);
    EXPECT_EQ(data[0][31], 6031U);
}

TEST_F(Operands, StoreDataByWidthAndCompareAndSwapCompareFirst) {
    Words data{};
    std::array<std::array<std::uint32_t, kLanes>, 2> compare{};
    const auto last = [](const auto &words) {
        std::vector<std::uint32_t> values;
        for (const auto &word : words) {
            values.push_back(word[31]);
        }
        return values;
    };
    Instruction store = make(Op::kStg, Form::kR);
    store.mod[0] = static_cast<std::uint8_t>(isa::Access::k128);
    store.rb = 4;
    read_store_data(store, registers, data, compare);
    EXPECT_THAT(last(data), ElementsAre(4031, 5031, 6031, 7031));
    store.rb = isa::kRz;
    read_store_data(store, registers, data, compare);
    EXPECT_THAT(last(data), ElementsAre(0, 0, 0, 0));
    Instruction cas = make(Op::kAtomgCas, Form::kR);
    cas.rb = 6;
    cas.rc = 8;
    cas.mod[0] = static_cast<std::uint8_t>(isa::AtomicType::kU64);
    read_store_data(cas, registers, data, compare);
    EXPECT_THAT(last(compare), ElementsAre(6031, 7031));
    EXPECT_THAT(last(data), ElementsAre(8031, 9031, 0, 0));
    Instruction red = make(Op::kRed, Form::kR);
    red.rb = 10;
    read_store_data(red, registers, data, compare);
    EXPECT_EQ(data[0][31], 10031U);
}

TEST_F(Operands, LoadedWordsAreWrittenForTheLanesThatAccess) {
    Words data{};
    data[0].fill(5);
    data[1].fill(6);
    Instruction load = make(Op::kLdg, Form::kR);
    load.mod[0] = static_cast<std::uint8_t>(isa::Access::k64);
    load.rd = 2;
    write_loaded(load, registers, LaneMask(0x3), data);
    EXPECT_EQ(registers.value(2, 1), 5U);
    EXPECT_EQ(registers.value(3, 1), 6U);
    EXPECT_EQ(registers.value(2, 2), 2002U);
    write_loaded(load, registers, LaneMask::all(), data);
    EXPECT_EQ(registers.value(3, 31), 6U);
}

} // namespace
} // namespace smsim::sm
