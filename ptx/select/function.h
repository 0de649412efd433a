// Selection of whole functions: statements, labels, branches, calls and returns.
#pragma once

#include <string>

#include "ptx/ast.h"
#include "ptx/machine/abi.h"
#include "ptx/machine/module.h"
#include "ptx/scope.h"

namespace smsim::ptx::select {

/// Bytes of a kernel's argument block: each parameter at the next multiple of its alignment. Throws InputError, with
/// the place in `file`, at the first parameter that ends beyond constant_bank0::kMaxArgumentBytes.
std::uint32_t parameter_bytes(const Signature &signature, const std::string &file);

/// The words that a signature's arguments and results take.
machine::CallWords call_words(const Signature &signature);

/// Selects the body of `function` into `code`, whose name, label and kind are set. The scopes hold the module's names.
/// Throws InputError for what is not covered: calls of functions without body, results or arguments beyond
/// kMostArgumentWords (abi.h).
void select_function(const ptx::Function &function, Scopes &scopes, machine::Module &module, machine::Function &code);

} // namespace smsim::ptx::select
