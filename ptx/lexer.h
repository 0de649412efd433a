// Splits PTX text into tokens. A dot and the word after it are one token, so that directives, modifiers and the
// components of a vector look alike wherever there is white space.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/text/diagnostics.h"

namespace smsim::ptx {

enum class TokenKind : std::uint8_t {
    kName,    ///< identifier, also with % or $
    kDot,     ///< .word; text without the dot; may hold "::"
    kInteger, ///< decimal, 0x, 0b, octal, with or without U
    kSingle,  ///< 0f3F800000
    kDouble,  ///< 0d3FF0000000000000, 1.5, 2e-3
    kString,  ///< text without the quotes
    kSymbol,  ///< one character of punctuation, or << >> == != <= >= && ||
    kEnd,
};

struct Token {
    TokenKind kind = TokenKind::kEnd;
    std::string_view text; ///< part of the source text
    assembler::Place place;
    std::uint64_t value = 0; ///< kInteger; the bits of kSingle and kDouble

    bool is(std::string_view symbol) const { return kind == TokenKind::kSymbol && text == symbol; }
    bool is_dot(std::string_view word) const { return kind == TokenKind::kDot && text == word; }
};

/// All tokens of `text`, kEnd last. Comments and lines that begin with # are left out. Anything that is not a token is
/// reported to `diagnostics` and skipped.
std::vector<Token> tokenize(std::string_view text, assembler::Diagnostics &diagnostics);

} // namespace smsim::ptx
