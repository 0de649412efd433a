// The context of the selection of one instruction: PTX operands as machine operands, and the emitter.
//
// Values in registers: 8- and 16-bit ones are in the low bits of one word, and the bits above are unspecified; 32-bit
// ones are in one word; 64-bit ones in an aligned pair, low word first; predicates in predicates. f16x2 and the like
// are 32-bit values.
//
// The rule of all selection functions: a destination is written only after the last read of any source, because both
// may be the same register. Results of several instructions are computed in temporaries and moved (the allocator
// removes most of these moves).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ptx/ast.h"
#include "ptx/select/address_space.h"
#include "ptx/select/emitter.h"
#include "ptx/select/names.h"

namespace smsim::ptx::select {

/// One PTX instruction during selection.
struct Selection {
    const ptx::Instruction &instruction;
    const std::vector<Type> &types; ///< of the type slots of its form (instruction_table.h)

    /// Type of slot `index`.
    Type type(std::size_t index = 0) const { return types.at(index); }
    /// True when `modifier` is written.
    bool has(std::string_view modifier) const;
    /// Written operand `index`.
    const ptx::Operand &operand(std::size_t index) const { return instruction.operands.at(index); }
    std::size_t operands() const { return instruction.operands.size(); }
};

/// A modifier as the model writes it: "add" gives "ADD".
std::string upper_case(std::string_view modifier);

class Selector : public Emitter {
  public:
    /// `matrix_steps`: the most that a product of matrices has in one instruction.
    Selector(machine::Function &function, Names &names, const std::string &file, unsigned matrix_steps)
        : Emitter(function), names_(names), file_(file), matrix_steps_(matrix_steps) {}

    /// The value of a register, special register or constant, as an instruction of `type` reads it: a register or a
    /// number of (type.bits + 31) / 32 words. A float constant becomes its bits in `type`. Of registers wider than the
    /// type, the low words are read.
    Operand read(const ptx::Operand &operand, Type type);

    /// Like `read`, but in a register: where an instruction of the model accepts no number.
    Operand read_register(const ptx::Operand &operand, Type type) { return in_register(read(operand, type)); }

    /// An 8- or 16-bit value with the bits above it set to zeros, or to copies of its sign for a signed type; a value
    /// of a 32-bit type unchanged. Number or register of one word.
    Operand read_extended(const ptx::Operand &operand, Type type);

    /// `value` (one word) extended from `type` to 32 bits, see `read_extended`.
    Operand extend(const Operand &value, Type type);

    /// A predicate that is read: a register, perhaps negated (!p), or a constant (0 is !PT, others PT).
    Operand read_predicate(const ptx::Operand &operand);

    /// The register that an instruction writes: `words` are those of the register itself. For `_` a temporary that is
    /// not read.
    Operand write(const ptx::Operand &operand, Type type);

    /// The predicate that an instruction writes; for `_` PT, which drops it.
    Operand write_predicate(const ptx::Operand &operand);

    /// Writes `value` (as many words as `type` has) to a destination, which may be wider: extended by zeros, or by the
    /// sign for a signed type.
    void write_value(const ptx::Operand &destination, const Operand &value, Type type);

    /// The register with number `number`, for what calls pass.
    Register fixed(int number);
    /// The pair that keeps the return address of a device function.
    Register return_address();

    /// The flag CC.CF of the carry chains, and its complement.
    Register carry();
    Register no_carry();

    /// True in kernels, whose frame begins at the address 0 of local memory; functions have it in register kFrame.
    bool frame_is_zero() { return function().kernel; }

    /// What is known of the addresses in 64-bit registers (address_space.h).
    AddressSpaces &spaces() { return spaces_; }

    /// Throws InputError at the instruction's place.
    [[noreturn]] void refuse(const ptx::Instruction &instruction, const std::string &cause) const;

    Names &names() { return names_; }
    const std::string &file() const { return file_; }
    unsigned matrix_steps() const { return matrix_steps_; }

  private:
    Operand read_special(const ptx::Operand &operand, Type type);

    Names &names_;
    const std::string &file_;
    unsigned matrix_steps_;
    AddressSpaces spaces_;
    std::map<int, Register> fixed_;
    Register return_address_ = machine::kNoRegister;
    Register carry_ = machine::kNoRegister;
    Register no_carry_ = machine::kNoRegister;
};

/// Selects one instruction of arithmetic, logic, comparison and conversion of rows 2 and 4 (docs/ptx.md Rows); false
/// for any other opcode.
bool select_integer(Selector &selector, const Selection &selection);
bool select_float(Selector &selector, const Selection &selection);
bool select_compare(Selector &selector, const Selection &selection);
bool select_convert(Selector &selector, const Selection &selection);
bool select_half(Selector &selector, const Selection &selection);
bool select_video(Selector &selector, const Selection &selection);

/// Selects one instruction of moves, memory, warp, barrier and synchronisation; false for any other opcode.
bool select_move(Selector &selector, const Selection &selection);
bool select_memory(Selector &selector, const Selection &selection);
bool select_atomic(Selector &selector, const Selection &selection);
bool select_warp(Selector &selector, const Selection &selection);
bool select_barrier(Selector &selector, const Selection &selection);

/// Selects one matrix instruction of row 6; false for any other opcode.
bool select_matrix(Selector &selector, const Selection &selection);

} // namespace smsim::ptx::select
