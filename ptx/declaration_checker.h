// Declarations of variables: where each state space may be declared, types, arrays and initialisers.
#pragma once

#include "ptx/ast.h"
#include "ptx/scope.h"

namespace smsim::ptx {

/// Where a variable is declared.
enum class DeclaredIn : std::uint8_t { kModule, kSignature, kBody };

/// Reports errors of the declaration itself. Names in initialisers must be declared in `scopes`.
void check_declaration(const Variable &variable, DeclaredIn where, const Scopes &scopes,
                       assembler::Diagnostics &diagnostics);

} // namespace smsim::ptx
