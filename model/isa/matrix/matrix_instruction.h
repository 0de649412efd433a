// HMMA, IMMA, BMMA and DMMA as operations on matrices: which operation an instruction is, how many registers its
// operands take, and what its time depends on (tensor.md 1, 3).
#pragma once

#include <cstdint>
#include <string>

#include "model/isa/instruction.h"
#include "model/isa/matrix/operation.h"

namespace smsim::isa::matrix {

/// The operation of an instruction of Unit::kTensor, whose modifiers have defined values. Not every such instruction
/// is valid (`refusal`).
MatrixOperation operation_of(const Instruction &insn);

/// Why an instruction of Unit::kTensor, whose modifiers have defined values, is none that exists; empty if it is.
std::string refusal(const Instruction &insn);

/// 32-bit registers of the operand at `place` (Rd, Ra, Rb, Rc); 1 for every other place, and for an instruction that
/// does not exist.
unsigned registers_of(const Instruction &insn, Place place);

/// Products that run at one rate.
enum class Rate : std::uint8_t { kF16, kF16ToF32, kBf16, kTf32, kFp8, kFp8ToF32, kS8, kS4, kB1, kF64 };
inline constexpr unsigned kRates = 10;
Rate rate_of(const MatrixOperation &op);

/// Multiply-adds of an operation; of a sparse one those with stored elements of A.
constexpr unsigned multiply_adds(const MatrixOperation &op) {
    return products(op) * op.m * op.n * stored_k(op);
}
/// Steps that an operation takes one after the other: 16 bytes of each row of A are one step.
constexpr unsigned steps_of(const MatrixOperation &op) {
    const unsigned bits = stored_k(op) * width(op.a);
    return bits <= 128 ? 1 : bits / 128;
}
/// Registers of the widest source of an operation: so many cycles it takes to read its sources (tensor.md 3).
constexpr unsigned widest_source(const MatrixOperation &op) {
    const unsigned ab = registers_of_a(op) > registers_of_b(op) ? registers_of_a(op) : registers_of_b(op);
    return ab > registers_of_c(op) ? ab : registers_of_c(op);
}

} // namespace smsim::isa::matrix
