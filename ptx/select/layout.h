// Places and initial contents of the variables of a module, including those in bodies of functions.
#pragma once

#include "ptx/ast.h"
#include "ptx/machine/module.h"
#include "ptx/scope.h"

namespace smsim::ptx::select {

/// Gives every variable of .global, .const and .shared its place, evaluates the initialisers, and finds out which
/// spaces have generic addresses. `scopes` holds the names of the module, `module.function_index` all functions with
/// bodies. Throws InputError for data that is too large and for addresses that cannot be represented.
void lay_out(const ptx::Module &source, const Scopes &scopes, machine::Module &module);

/// Places shared variables: those that only one kernel uses begin at the same address for every kernel, after those of
/// several. `used` says for each kernel which it uses, itself or through calls. Returns the bytes of each kernel.
std::vector<std::uint32_t> lay_out_shared(machine::Module &module, const std::vector<std::vector<bool>> &used);

} // namespace smsim::ptx::select
