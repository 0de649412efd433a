// Where variables lie, and the initial bytes of those of the module.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/ast.h"
#include "ptx/interpreter/names.h"

namespace smsim::ptx::interpreter {

/// Reserves the variable at the end of `size` and returns its offset.
std::uint64_t place(const ptx::Variable &variable, std::uint64_t &size);

/// Writes the initial value of a variable at `offset` of `bytes`; names are looked up in `names`.
void initialise(const ptx::Variable &variable, std::uint64_t offset, std::vector<std::uint8_t> &bytes, Names &names);

/// The value that `mov` gives for a variable or function.
std::uint64_t address_of(const Entity &entity);

/// The generic address of a variable in `memory`; addresses of spaces without a window are already generic.
std::uint64_t generic_address(Memory memory, std::uint64_t address);

/// The bytes of a variable with its array size taken from its initialiser, if none is written.
std::uint64_t bytes_of(const ptx::Variable &variable);

} // namespace smsim::ptx::interpreter
