// What the grammar cannot say: names, scopes, types, state spaces, labels, calls, and which instructions are covered.
#pragma once

#include <string>

#include "ptx/ast.h"

namespace smsim::ptx {

/// Checks a parsed module against the rules of docs/ptx.md. Throws InputError with all errors, one per line, each
/// "file:line:column: what is wrong; expected ...", in the order of the text, at most a hundred of them.
void check_module(const Module &module, const std::string &file);

} // namespace smsim::ptx
