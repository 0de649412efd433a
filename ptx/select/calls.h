// Calls, entries and returns of device functions (docs/ptx-compiler.md Calls).
#pragma once

#include "ptx/ast.h"
#include "ptx/select/selector.h"

namespace smsim::ptx::select {

/// At the entry of a device function: return address and arguments leave the registers that they came in.
void enter_function(Selector &selector, const Signature &signature);

/// At each return: the results into their registers, and the jump back.
void return_words(Selector &selector, const Signature &signature);

/// A direct or indirect call.
void select_call(Selector &selector, const ptx::Instruction &instruction);

} // namespace smsim::ptx::select
