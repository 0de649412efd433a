// Checks what the grammar cannot express: names, scopes, types, state spaces, labels, calls, and which instructions
// are covered.
#pragma once

#include <string>
#include <vector>

#include "ptx/ast.h"
#include "ptx/refusal.h"

namespace smsim::ptx {

/// Checks a parsed module against the rules of docs/ptx.md. Throws InputError with all errors, one per line, each
/// "file:line:column: what is wrong; expected ...", in text order, at most a hundred of them.
void check_module(const Module &module, const std::string &file);

/// The same, but uncovered constructs are not errors unless there are others: they are returned, in text order.
std::vector<Refusal> check_what_is_covered(const Module &module, const std::string &file);

} // namespace smsim::ptx
