// Writes machine code: tracks the current block, the guard and the PTX line.
//
// Under a guard every instruction of a sequence is guarded. What it writes into its own registers (`temporary`) is
// dead where the guard is false, so a first write ends the life of the old value; a register that is written in parts
// or under several guards is declared by `undefined`.
#pragma once

#include <cstdint>
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

    /// Appends an instruction with the current guard and line to the current block.
    machine::Instruction &emit(std::string mnemonic, std::vector<Operand> operands);

    /// Like `emit`, with `guard` instead of the current guard. Under a current guard `guard` must imply it: create it
    /// with `both`.
    machine::Instruction &emit_if(Operand guard, std::string mnemonic, std::vector<Operand> operands);

    /// A register for one sequence. Its writes under the current guard end its old value.
    Register temporary(unsigned words = 1);
    /// A predicate for one sequence.
    Register temporary_predicate();

    /// Declares `reg` undefined: for registers that are written in parts or under several guards.
    void undefined(Register reg);

    /// `operand` as a register: itself, or a temporary that it is moved to (numbers, constants; one or two words).
    Operand in_register(const Operand &operand);

    /// Moves one, two or four words.
    void move(const Operand &to, const Operand &from);

    /// The current guard; PT if there is none.
    const Operand &guard() const { return guard_; }
    void set_guard(Operand guard) { guard_ = std::move(guard); }

    /// A predicate that holds where `a` and the current guard do; `a` itself without a guard.
    Operand with_guard(const Operand &a);

    /// Instructions written so far, in all blocks.
    std::size_t emitted() const { return emitted_; }

    std::uint32_t line() const { return line_; }
    void set_line(std::uint32_t line) { line_ = line; }

    /// The current block, and replacing it by another one.
    BlockIndex block() const { return block_; }
    void set_block(BlockIndex block) { block_ = block; }
    BlockIndex new_block() { return function_.add_block(); }

    /// Ends the current block, which falls through to `next`, and continues there.
    void fall_to(BlockIndex next);
    /// What is known of the threads at a branch.
    enum class Ways : std::uint8_t {
        kDiffer,
        kUniform,   ///< all go the same way
        kNextIsRare ///< hardly any goes to `next`
    };
    /// Ends the current block with a branch: to `taken` where `predicate` holds, otherwise to `next`; continues at
    /// `next`.
    void branch(const Operand &predicate, BlockIndex taken, BlockIndex next, Ways ways = Ways::kDiffer);

  private:
    machine::Function &function_;
    Operand guard_ = machine::always();
    std::uint32_t line_ = 0;
    BlockIndex block_ = 0;
    std::size_t emitted_ = 0;
};

} // namespace smsim::ptx::select
