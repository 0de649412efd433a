// Writes machine code: knows the block that is being written, the guard and the PTX line of what is written.
//
// Under a guard every instruction of a sequence is guarded. What it writes into registers of its own (`temporary`) is
// dead where the guard is false, so a first write ends the life of the old value; a register that is written in parts
// or under guards of its own is announced by `undefined`.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "ptx/machine/module.h"
#include "ptx/machine/operands.h"

namespace smsim::ptx::select {

// Of names that the tree has as well, those of machine code are meant here; the tree's are written ptx::Operand.
using machine::BlockIndex;
using machine::Instruction;
using machine::Module;
using machine::Operand;
using machine::OperandKind;
using machine::Register;

class Emitter {
  public:
    explicit Emitter(machine::Function &function) : function_(function) {}

    machine::Function &function() { return function_; }

    /// Appends an instruction with the present guard and line to the present block.
    machine::Instruction &emit(std::string mnemonic, std::vector<Operand> operands);

    /// As `emit`, with `guard` in the place of the present guard. Under a present guard `guard` must imply it: make it
    /// with `both`.
    machine::Instruction &emit_if(Operand guard, std::string mnemonic, std::vector<Operand> operands);

    /// A register for one sequence. Its writes under the present guard end its old value.
    Register temporary(unsigned words = 1);
    /// A predicate for one sequence.
    Register temporary_predicate();

    /// Says that `reg` holds nothing yet: for registers that are written in parts or under several guards.
    void undefined(Register reg);

    /// `operand` as a register: itself, or a temporary that it is moved to (numbers, constants; one or two words).
    Operand in_register(const Operand &operand);

    /// Moves one, two or four words.
    void move(const Operand &to, const Operand &from);

    /// The present guard; PT without.
    const Operand &guard() const { return guard_; }
    void set_guard(Operand guard) { guard_ = std::move(guard); }

    /// A predicate that holds where `a` and the present guard do; `a` itself without a guard.
    Operand with_guard(const Operand &a);

    /// Instructions that were written so far, in all blocks.
    std::size_t emitted() const { return emitted_; }

    std::uint32_t line() const { return line_; }
    void set_line(std::uint32_t line) { line_ = line; }

    /// The block that is being written, and another one in its place.
    BlockIndex block() const { return block_; }
    void set_block(BlockIndex block) { block_ = block; }
    BlockIndex new_block() { return function_.add_block(); }

    /// Ends the present block: falls to `next`, and goes on writing there.
    void fall_to(BlockIndex next);
    /// Ends the present block with a branch: to `taken` where `predicate` holds, else to `next`; goes on at `next`.
    void branch(const Operand &predicate, BlockIndex taken, BlockIndex next, bool uniform = false);

  private:
    machine::Function &function_;
    Operand guard_ = machine::always();
    std::uint32_t line_ = 0;
    BlockIndex block_ = 0;
    std::size_t emitted_ = 0;
};

} // namespace smsim::ptx::select
