// Integer constant expressions: the operators of C on 64 bits, folded while they are read.
#pragma once

#include "ptx/token_stream.h"

namespace smsim::ptx {

/// Reads one expression; WARP_SZ is 32. Arithmetic is modulo 2^64, division and comparison signed. Throws SyntaxError
/// for anything that is not an expression and for division by zero.
std::int64_t parse_constant(TokenStream &stream, unsigned depth = 0);

/// Reads one operand of an expression: number, WARP_SZ, parentheses, or a unary operator followed by one of these.
std::int64_t parse_unary(TokenStream &stream, unsigned depth);

} // namespace smsim::ptx
