// Addresses of loads, stores and atomics: which memory, which register, which offset.
#pragma once

#include "ptx/select/selector.h"

namespace smsim::ptx::select {

/// What is known about an address before the run.
struct Address {
    std::uint8_t spaces = kAnySet; ///< spaces that it may point to; one bit unless it is a generic address
    Register base = machine::kNoRegister;
    std::uint8_t base_words = 2;
    std::int64_t offset = 0;
    bool maybe_constant = false; ///< a generic address that may be one of a .const variable
    bool constant = false;       ///< in .const: c[bank][base + offset]
    unsigned bank = 0;           ///< of the constant
};

/// The space that a memory instruction names ("global"); empty for generic addresses.
std::string_view named_space(const ptx::Instruction &instruction);

/// The bytes that an operand adds to its name: in name+8 and in name[2], whose index is a constant. Throws InputError
/// for other indices and for distances that exceed every memory.
std::int64_t offset_of(Selector &selector, const ptx::Instruction &instruction, const ptx::Operand &operand);

/// The address of operand `operand` of a memory instruction. Words of .param variables of calls have none.
Address address_of(Selector &selector, const ptx::Instruction &instruction, const ptx::Operand &operand);

/// The address for a store, or with `atomic` for an atomic, through a generic address that may be in memory that does
/// not accept it: parameters, .const variables, and local memory for atomics. Their windows are not among the spaces
/// of the result, so that the access goes to global memory, which has no such addresses. Where the address may be one
/// of a .const variable, whose generic addresses lie in global memory, a TRAP kConstantTrap is written before it.
Address written_address(Selector &selector, Address address, bool atomic);

/// `address` plus `bytes`.
Address moved(Address address, std::int64_t bytes);

/// The operand of an access of `bytes` bytes (an element) to an address in constant memory. Throws InputError for
/// places outside of the bank and for misaligned ones.
Operand constant_operand(Selector &selector, const ptx::Instruction &instruction, const Address &address,
                         unsigned bytes);

/// The address operand for memory of one space: [base + offset] with one word of the base for shared and local memory.
Operand address_operand(Selector &selector, const Address &address, std::uint8_t space);

/// One access that may go to several memories: the guard under which it goes to each.
struct Route {
    std::uint8_t space = kGlobalSet; ///< one bit
    Operand guard;
};

/// The ways that an access may take, with their guards (which include the current guard).
std::vector<Route> routes(Selector &selector, const Address &address);

/// Loads `bytes` bytes (1, 2, 4, 8 or 16) into `to`, a register of as many words as they fill; of 1 or 2 bytes its
/// upper bits become zeros.
void load_bytes(Selector &selector, const Selection &selection, unsigned bytes, const Address &address,
                const Operand &to);
/// Stores `bytes` bytes of `from`.
void store_bytes(Selector &selector, const Selection &selection, unsigned bytes, const Address &address,
                 const Operand &from);

/// The address of a variable in its space, or with `generic` as generic address: number or register of two words.
Operand variable_address(Selector &selector, const Place &place, std::int64_t offset, bool generic);

/// The address of a parameter of a function, whose words are put into the frame.
Operand words_address(Selector &selector, Words &words, std::int64_t offset, bool generic);

} // namespace smsim::ptx::select
