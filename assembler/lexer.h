// Splits assembly text into tokens. Names may contain dots, as in mnemonics, labels and special registers.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/text/diagnostics.h"

namespace smsim::assembler {

enum class TokenKind : std::uint8_t {
    kName,    ///< [A-Za-z_.$][A-Za-z0-9_.$]*; "." alone is the address of the instruction
    kInteger, ///< decimal, 0x, 0b
    kFloat,   ///< 1.5, 2e-3
    kBits32,  ///< 0f3f800000
    kBits64,  ///< 0d3ff0000000000000
    kSymbol,  ///< one punctuation character
    kEnd,
};

struct Token {
    TokenKind kind = TokenKind::kEnd;
    bool decimal = false; ///< kInteger written without prefix
    bool first = false;   ///< first token of its line
    bool spaced = false;  ///< white space or a comment precedes it
    Place place;
    std::string_view text;   ///< part of the source text
    std::uint64_t value = 0; ///< kInteger, kBits32, kBits64

    bool is(char symbol) const { return kind == TokenKind::kSymbol && text.front() == symbol; }
    bool is_name(std::string_view name) const { return kind == TokenKind::kName && text == name; }
};

/// All tokens of `text`, kEnd last. Comments (`//`, `/* */`, annotations `(* *)`) are left out. Characters that belong
/// to no token, malformed numbers (including those with leading zeros) and unclosed comments are reported and skipped.
std::vector<Token> tokenize(std::string_view text, Diagnostics &diagnostics);

} // namespace smsim::assembler
