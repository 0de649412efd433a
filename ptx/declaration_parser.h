// Declarations of variables, registers and parameters, with arrays and initialisers.
#pragma once

#include "ptx/ast.h"
#include "ptx/token_stream.h"

namespace smsim::ptx {

/// True when the cursor is at a state space that can begin a declaration (.reg, .global, ...).
bool at_declaration(const TokenStream &stream);

/// Reads ".space .align n .vK .type name<range>[dims] = init, name...;" from the state space up to and including the
/// semicolon. Throws SyntaxError.
std::vector<Variable> parse_variables(TokenStream &stream, Linkage linkage);

/// Reads ".attribute(.managed, .unified(a, b))" and returns what is in the parentheses, without dots. Throws
/// SyntaxError.
std::vector<std::string> parse_attributes(TokenStream &stream);

/// Reads "(parameter, ...)" with the parentheses. Throws SyntaxError.
std::vector<Variable> parse_parameters(TokenStream &stream);

} // namespace smsim::ptx
