// Bodies of functions: statements, labels, nested blocks, instructions and their operands.
#pragma once

#include "ptx/ast.h"
#include "ptx/token_stream.h"

namespace smsim::ptx {

/// Reads "{ ... }". Errors within a statement go to `diagnostics`, and the next statement is read.
Block parse_block(TokenStream &stream, assembler::Diagnostics &diagnostics, unsigned depth = 0);

/// Reads the words of a directive up to the semicolon, or, for `.loc` and `.file`, which have none, to the end of the
/// line. The cursor is at the directive's name. Throws SyntaxError.
Directive parse_directive(TokenStream &stream);

} // namespace smsim::ptx
