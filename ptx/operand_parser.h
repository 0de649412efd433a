// Operands of instructions in all their forms.
#pragma once

#include "ptx/ast.h"
#include "ptx/token_stream.h"

namespace smsim::ptx {

/// Reads one operand; see OperandKind for the forms. Throws SyntaxError.
Operand parse_operand(TokenStream &stream, unsigned depth = 0);

} // namespace smsim::ptx
