// Selection of whole functions: statements, labels, branches, calls and returns.
#pragma once

#include <string>

#include "ptx/ast.h"
#include "ptx/machine/module.h"
#include "ptx/scope.h"

namespace smsim::ptx::select {

/// The first register of arguments and results of a call; words follow one another, those of 64 bits aligned to two.
inline constexpr int kFirstArgument = 4;
/// The most words that are passed in one direction.
inline constexpr unsigned kMostArgumentWords = 64;
/// Registers with a meaning in modules with calls: top of the memory of alloca, frame, return address.
inline constexpr int kAllocaTop = 0;
inline constexpr int kFrame = 1;
inline constexpr int kReturnAddress = 2;

/// Bytes of a kernel's argument block: each parameter at the next multiple of its alignment.
std::uint32_t parameter_bytes(const Signature &signature);

/// The words that a signature's arguments and results take.
machine::CallWords call_words(const Signature &signature);

/// Selects the body of `function` into `code`, whose name, label and kind are set. The scopes hold the module's names.
/// Throws InputError for what is not covered: calls of functions without body, results or arguments beyond
/// kMostArgumentWords.
void select_function(const ptx::Function &function, Scopes &scopes, machine::Module &module, machine::Function &code);

} // namespace smsim::ptx::select
