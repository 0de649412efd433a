// Creates operands of machine code and takes them apart.
#pragma once

#include <string>
#include <utility>

#include "ptx/machine/code.h"

namespace smsim::ptx::machine {

/// RZ.
inline Operand zero() {
    return {};
}

/// A 32-bit number.
inline Operand number(std::int64_t value) {
    return {.kind = OperandKind::kInteger, .value = value & 0xffffffff};
}

/// A 64-bit number: of two words, for `low` and `high` to take apart.
inline Operand wide_number(std::int64_t value) {
    return {.kind = OperandKind::kInteger, .words = 2, .value = value};
}

/// A register that is read.
inline Operand use(Register reg, unsigned words = 1, unsigned first = 0) {
    return {.kind = OperandKind::kRegister,
            .first = static_cast<std::uint8_t>(first),
            .words = static_cast<std::uint8_t>(words),
            .reg = reg};
}

/// A register that is written.
inline Operand define(Register reg, unsigned words = 1, unsigned first = 0) {
    Operand operand = use(reg, words, first);
    operand.defined = true;
    return operand;
}

/// PT.
inline Operand always() {
    return {.kind = OperandKind::kPredicate};
}

/// !PT.
inline Operand never() {
    return {.kind = OperandKind::kPredicate, .negated = true};
}

/// A predicate that is read.
inline Operand if_true(Register reg) {
    return {.kind = OperandKind::kPredicate, .reg = reg};
}

/// A predicate that is read as its complement.
inline Operand if_false(Register reg) {
    return {.kind = OperandKind::kPredicate, .negated = true, .reg = reg};
}

/// A predicate that is written.
inline Operand define_predicate(Register reg) {
    return {.kind = OperandKind::kPredicate, .defined = true, .reg = reg};
}

/// [base + offset]; `words` of the base: 2 for global memory.
inline Operand address(Register base, std::int64_t offset, unsigned words = 1) {
    return {.kind = OperandKind::kAddress, .words = static_cast<std::uint8_t>(words), .reg = base, .value = offset};
}

/// The largest offset of an address, in both directions; an address without register has none below 0.
inline constexpr std::int64_t kFarthestOffset = (1 << 23) - 1;

/// c[bank][offset], of `words` words.
inline Operand constant(unsigned bank, std::int64_t offset, Register index = kNoRegister) {
    return {.kind = OperandKind::kConstant, .bank = static_cast<std::uint8_t>(bank), .reg = index, .value = offset};
}

/// Convergence barrier `number`.
inline Operand barrier(unsigned number) {
    return {.kind = OperandKind::kBarrier, .value = number};
}

/// The beginning of a block.
inline Operand label(BlockIndex block) {
    return {.kind = OperandKind::kLabel, .value = block};
}

/// Text that goes into the assembly unchanged.
inline Operand text(std::string words) {
    return {.kind = OperandKind::kText, .text = std::move(words)};
}

/// Word `index` of an operand: of a register or number of several words. RZ stays RZ.
inline Operand word(Operand operand, unsigned index) {
    if (operand.kind == OperandKind::kInteger) {
        return number(index == 0 ? operand.value : operand.value >> 32);
    }
    if (operand.kind == OperandKind::kRegister) {
        operand.first = static_cast<std::uint8_t>(operand.first + index);
        operand.words = 1;
    }
    return operand;
}

/// The lower word of a 64-bit operand.
inline Operand low(const Operand &operand) {
    return word(operand, 0);
}

/// The upper word of a 64-bit operand.
inline Operand high(const Operand &operand) {
    return word(operand, 1);
}

/// -x, or !p: the sign inverted.
inline Operand negated(Operand operand) {
    operand.negated = !operand.negated;
    return operand;
}

/// |x|.
inline Operand absolute(Operand operand) {
    operand.absolute = true;
    operand.negated = false;
    return operand;
}

} // namespace smsim::ptx::machine
