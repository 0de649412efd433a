// Every instruction of PTX that the tables accept: forms with all combinations of their modifiers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ptx/instruction_table.h"

namespace smsim::ptx_differential {

/// One form with its modifiers written out.
struct Variant {
    const ptx::InstructionForm *form = nullptr;
    std::vector<std::string> modifiers;
    std::vector<ptx::Type> types;

    bool has(std::string_view modifier) const;
    std::string name() const; ///< "add.rn.f32"
};

/// True if the checker accepts the form, and the table says which modifiers it has: those of products of matrices are
/// compared by `compare_matrix`.
bool is_covered(const ptx::InstructionForm &form);

/// All combinations of the modifiers of a form. Cache hints, memory order and other modifiers that change no result of
/// a single thread are varied one at a time. Combinations that PTX excludes are left out (`excluded_by`).
std::vector<Variant> variants_of(const ptx::InstructionForm &form);

/// `variants_of` a form of the table, kept for the lifetime of the program so that others may refer to them.
const std::vector<Variant> &cached_variants(const ptx::InstructionForm &form);

/// Why PTX has no such instruction although the table accepts it; empty if it has.
std::string_view excluded_by(const Variant &variant);

/// The words that a slot of a form offers.
std::vector<std::string> choices_of(std::string_view slot);

/// The slots of a form as written.
std::vector<std::string_view> slots_of(const ptx::InstructionForm &form);

/// The words of an operand pattern.
std::vector<std::string_view> operand_words(const ptx::InstructionForm &form);

} // namespace smsim::ptx_differential
