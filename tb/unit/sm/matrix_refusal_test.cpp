// Products of matrices that a configuration, the active threads or the registers of a warp do not allow.
#include <gmock/gmock.h>

#include "model/config/sections/tensor.h"
#include "tb/unit/sm/compute_support.h"

namespace smsim::sm::compute::test {
namespace {

using testing::HasSubstr;

constexpr std::uint8_t kF16Of8 = 2;  // HMMA.1688
constexpr std::uint8_t kF16Of16 = 3; // HMMA.16816

Instruction product(Op op, std::uint8_t shape) {
    Instruction insn = make(op, Form::kR);
    insn.mod[0] = shape;
    insn.rd = 8;
    insn.ra = 16;
    insn.rb = 24;
    insn.rc = 32;
    insn.re = isa::kRz;
    return insn;
}

/// The fault of `insn` in a warp with 64 registers; empty without one.
std::string fault_of(const Instruction &insn, const TensorConfig &tensor, LaneMask executed = LaneMask::all()) {
    const WarpIdentity identity = WarpIdentity::of({}, {32, 1, 1}, {}, 0, 0);
    const ConstantBanks banks{};
    ExecutionContext context{identity, banks};
    context.tensor = &tensor;
    WarpRegisters registers(64);
    const auto fault = execute(insn, registers, executed, context);
    return fault ? std::string(fault_name(fault->fault)) + ": " + fault->detail : "";
}

TEST(MatrixRefusal, AProductWithoutARate) {
    TensorConfig tensor;
    EXPECT_EQ(fault_of(product(Op::kHmma, kF16Of16), tensor), "");
    tensor.f16_to_f32 = 0;
    EXPECT_THAT(fault_of(product(Op::kHmma, kF16Of16), tensor),
                HasSubstr("IllegalInstruction: the configuration has no such products of matrices "
                          "(tensor.f16_to_f32 is 0)"));
}

TEST(MatrixRefusal, MoreStepsThanThePipeHas) {
    TensorConfig tensor;
    tensor.steps = 1;
    EXPECT_EQ(fault_of(product(Op::kHmma, kF16Of8), tensor), "");
    EXPECT_THAT(fault_of(product(Op::kHmma, kF16Of16), tensor),
                HasSubstr("IllegalInstruction: the configuration has no products of matrices of 2 steps "
                          "(tensor.steps is 1)"));
    EXPECT_EQ(fault_of(product(Op::kDmma, 3), tensor), "") << "F64 counts no steps";
}

TEST(MatrixRefusal, SparseProducts) {
    TensorConfig tensor;
    tensor.sparse = false;
    Instruction insn = product(Op::kHmma, kF16Of16);
    insn.mod[5] = 1;
    insn.re = 40;
    EXPECT_THAT(fault_of(insn, tensor), HasSubstr("(tensor.sparse is false)"));
}

TEST(MatrixRefusal, SomeThreadsOfTheWarp) {
    EXPECT_THAT(fault_of(product(Op::kHmma, kF16Of16), {}, LaneMask(0x7fffffff)),
                HasSubstr("MatrixDiverged: threads 0x7fffffff execute it"));
}

TEST(MatrixRefusal, AGroupBeyondTheRegistersOfTheWarp) {
    Instruction insn = product(Op::kHmma, kF16Of16);
    insn.rc = 62;
    EXPECT_THAT(fault_of(insn, {}), HasSubstr("IllegalInstruction: a group of registers is beyond the 64 of the warp"));
}

} // namespace
} // namespace smsim::sm::compute::test
