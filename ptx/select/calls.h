// Calls, entries and returns of device functions (docs/ptx-compiler.md Calls).
#pragma once

#include "ptx/ast.h"
#include "ptx/select/selector.h"

namespace smsim::ptx::select {

/// At the entry of a device function: moves return address and arguments out of the registers that pass them.
void enter_function(Selector &selector, const Signature &signature);

/// At each return: moves the results into their registers, and jumps back.
void return_words(Selector &selector, const Signature &signature);

/// A direct or indirect call.
void select_call(Selector &selector, const ptx::Instruction &instruction);

} // namespace smsim::ptx::select
