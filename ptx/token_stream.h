// A cursor over the tokens of a module, shared by all parsing functions. Failures throw SyntaxError, which the loop
// over statements catches, so that the next statement is still examined.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "ptx/lexer.h"

namespace smsim::ptx {

/// Blocks, initialisers, operands and expressions nest no deeper than this; deeper ones are an error.
inline constexpr unsigned kMaxDepth = 64;

class TokenStream {
  public:
    /// Precondition: the last token is kEnd.
    explicit TokenStream(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

    const Token &peek(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
    assembler::Place place() const { return peek().place; }
    bool at_end() const { return peek().kind == TokenKind::kEnd; }

    /// The token at the cursor, which advances; kEnd stays.
    Token next() {
        const Token token = peek();
        at_ += at_end() ? 0 : 1;
        return token;
    }

    /// Skips `symbol` and returns whether it was there.
    bool accept(std::string_view symbol) {
        const bool there = peek().is(symbol);
        at_ += there ? 1 : 0;
        return there;
    }
    bool accept_dot(std::string_view word) {
        const bool there = peek().is_dot(word);
        at_ += there ? 1 : 0;
        return there;
    }

    /// Throws SyntaxError unless `symbol` is there.
    void expect(std::string_view symbol) {
        if (!accept(symbol)) {
            fail("'" + std::string(symbol) + "'");
        }
    }

    /// The token of `kind`, called `what` in the message. Throws SyntaxError.
    Token expect(TokenKind kind, const std::string &what) {
        if (peek().kind != kind) {
            fail(what);
        }
        return next();
    }

    /// Throws SyntaxError "unexpected ...; expected `expected`" at the cursor.
    [[noreturn]] void fail(const std::string &expected) const {
        const std::string found =
            at_end() ? "end of file"
                     : (peek().kind == TokenKind::kDot ? "'." : "'") + std::string(peek().text.substr(0, 60)) + "'";
        throw assembler::SyntaxError{place(), "unexpected " + found + "; expected " + expected};
    }

    /// Throws SyntaxError when `depth` is beyond kMaxDepth.
    void limit(unsigned depth) const {
        if (depth > kMaxDepth) {
            throw assembler::SyntaxError{place(), "nested too deeply; expected at most " + std::to_string(kMaxDepth) +
                                                      " levels"};
        }
    }

    /// Moves past the next ';', or before the '}' that closes a block: where the next statement can begin. A brace
    /// followed by ',' or ';' belongs to an operand.
    void skip_statement() {
        while (!at_end() && !(peek().is("}") && !peek(1).is(",") && !peek(1).is(";"))) {
            if (next().is(";")) {
                return;
            }
        }
    }

    /// Moves past the next ';' outside braces, or past the '}' of the first block: where the next item can begin.
    void skip_item() {
        for (unsigned depth = 0; !at_end();) {
            const Token token = next();
            depth += token.is("{") ? 1 : 0;
            depth -= token.is("}") && depth > 0 ? 1 : 0;
            if (depth == 0 && (token.is(";") || token.is("}"))) {
                return;
            }
        }
    }

  private:
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
};

} // namespace smsim::ptx
