// Integer expressions of the assembly text: sums and differences of numbers, labels, names of `.equ`, '.', and halves
// lo(...), hi(...) of expressions.
//
// They are kept as flat lists of signed terms until all labels have their addresses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "assembler/lexer.h"

namespace smsim::assembler {

/// The value of an expression. `labels` is the sum of the signs of code labels and '.': 1 makes it an address, 0 a
/// number or a distance.
struct Value {
    std::int64_t number = 0;
    int labels = 0;
};

struct Expression {
    struct Term {
        bool negative = false;
        std::string_view name; ///< empty: the number below
        std::uint64_t number = 0;
        bool decimal = false; ///< the number is written without prefix
        Place place;
        std::vector<Expression> half_of = {}; ///< one element when this is lo(...) or hi(...), as `name` says;
                                              ///< otherwise empty
    };
    std::vector<Term> terms;
    Place place;

    /// Whether it is a single number without a name.
    bool is_number() const { return terms.size() == 1 && terms.front().name.empty(); }
    /// Whether any name occurs, including '.'.
    bool has_names() const;
    /// Number of numbers and names, including those inside lo(...) and hi(...).
    std::size_t size() const;
};

/// A position in the token list that the parsers share.
class Cursor {
  public:
    explicit Cursor(const std::vector<Token> &tokens) : tokens_(&tokens) {}
    const Token &peek(std::size_t ahead = 0) const { return (*tokens_)[std::min(index_ + ahead, tokens_->size() - 1)]; }
    const Token &next() {
        const Token &token = peek();
        index_ = std::min(index_ + 1, tokens_->size() - 1);
        return token;
    }
    /// Consumes the token if it is that punctuation.
    bool accept(char symbol) {
        if (!peek().is(symbol)) {
            return false;
        }
        next();
        return true;
    }
    /// Consumes that punctuation or throws SyntaxError.
    void expect(char symbol);
    bool at_end() const { return peek().kind == TokenKind::kEnd; }

  private:
    const std::vector<Token> *tokens_;
    std::size_t index_ = 0;
};

/// The designation of a token in messages: its text in quotes, or "end of file".
std::string describe(const Token &token);

/// Tracks the expansion of .equ names in one statement. It keeps circular definitions, and definitions that double with
/// every line, from taking forever.
class Expansion {
  public:
    /// Call before evaluating the definition of `name`; throws SyntaxError at `place` when it is too deep or too long.
    /// Returns the state for the names inside, which count together with all others of the statement.
    Expansion enter(std::string_view name, Place place, const Expression &definition) const;

    explicit Expansion(std::size_t &terms) : terms_(&terms) {}

  private:
    std::size_t *terms_; ///< of all definitions so far; begins with 0
    unsigned depth_ = 0;
};

/// Parses an expression at the cursor; throws SyntaxError. A '`' before a parenthesis is accepted. `lo` and `hi` are
/// functions before a parenthesis and otherwise ordinary names.
Expression parse_expression(Cursor &cursor);

/// The value of an expression. `lookup` returns the value of a name, including '.', or throws SyntaxError itself.
/// Throws SyntaxError on overflow of 64 bits. The halves of a value are numbers from 0 to 0xffffffff.
Value evaluate(const Expression &expression, const std::function<Value(std::string_view, Place)> &lookup);

} // namespace smsim::assembler
