// The tree of ast.h as PTX text.
#pragma once

#include <string>

#include "ptx/ast.h"

namespace smsim::ptx {

/// PTX that parses to an equal module. Constant expressions are folded, decimal floats written as their bits, and each
/// variable has its own declaration.
std::string print_module(const Module &module);

/// One operand as PTX.
std::string print_operand(const Operand &operand);

} // namespace smsim::ptx
