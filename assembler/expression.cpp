#include "assembler/expression.h"

#include <utility>

namespace smsim::assembler {
namespace {

constexpr unsigned kMaxDepth = 64;         // nesting that the recursive parser accepts
constexpr unsigned kMaxEquDepth = 32;      // .equ names inside .equ names
constexpr std::size_t kMaxEquTerms = 1000; // total terms in the expansions of the names of one statement

class ExpressionParser {
  public:
    explicit ExpressionParser(Cursor &cursor) : cursor_(cursor) {}

    Expression run() {
        Expression expression;
        expression.place = cursor_.peek().place;
        sum(false, 0, expression);
        return expression;
    }

  private:
    void sum(bool negative, unsigned depth, Expression &out) {
        bool sign = negative;
        while (cursor_.peek().is('-') || cursor_.peek().is('+')) { // "+-0x10" as in addresses
            sign = cursor_.next().is('-') ? !sign : sign;
        }
        term(sign, depth, out);
        while (true) {
            if (cursor_.accept('+')) {
                sign = negative;
            } else if (cursor_.accept('-')) {
                sign = !negative;
            } else {
                return;
            }
            while (cursor_.accept('-')) {
                sign = !sign;
            }
            term(sign, depth, out);
        }
    }

    void term(bool negative, unsigned depth, Expression &out) {
        if (depth > kMaxDepth) {
            throw SyntaxError{cursor_.peek().place, "expression is nested too deeply; expected at most 64 levels"};
        }
        const Token token = cursor_.peek();
        if (token.is('`') && cursor_.peek(1).is('(')) {
            cursor_.next();
            cursor_.next();
        } else if (token.is('(')) {
            cursor_.next();
        } else if (token.kind == TokenKind::kInteger) {
            cursor_.next();
            out.terms.push_back({negative, {}, token.value, token.decimal, token.place});
            return;
        } else if (is_half(token) && cursor_.peek(1).is('(')) {
            half(negative, depth, out);
            return;
        } else if (token.kind == TokenKind::kName) {
            cursor_.next();
            out.terms.push_back({negative, token.text, 0, false, token.place});
            return;
        } else {
            throw SyntaxError{token.place, "unexpected " + describe(token) + "; expected number or label"};
        }
        sum(negative, depth + 1, out);
        cursor_.expect(')');
    }

    static bool is_half(const Token &token) { return token.is_name("lo") || token.is_name("hi"); }

    /// lo(...), hi(...)
    void half(bool negative, unsigned depth, Expression &out) {
        const Token name = cursor_.next();
        cursor_.expect('(');
        Expression inside;
        inside.place = cursor_.peek().place;
        sum(false, depth + 1, inside);
        cursor_.expect(')');
        out.terms.push_back({negative, name.text, 0, false, name.place, {std::move(inside)}});
    }

    Cursor &cursor_;
};

} // namespace

bool Expression::has_names() const {
    return std::ranges::any_of(terms, [](const Term &term) {
        return term.half_of.empty() ? !term.name.empty() : term.half_of.front().has_names();
    });
}

std::size_t Expression::size() const {
    std::size_t count = 0;
    for (const Term &term : terms) {
        count += term.half_of.empty() ? 1 : 1 + term.half_of.front().size();
    }
    return count;
}

void Cursor::expect(char symbol) {
    if (!accept(symbol)) {
        throw SyntaxError{peek().place, "unexpected " + describe(peek()) + "; expected '" + symbol + "'"};
    }
}

std::string describe(const Token &token) {
    if (token.kind == TokenKind::kEnd) {
        return "end of file";
    }
    constexpr std::size_t kShown = 40;
    std::string text = "'";
    text.append(token.text.substr(0, kShown)).append(token.text.size() > kShown ? "...'" : "'");
    return text;
}

Expansion Expansion::enter(std::string_view name, Place place, const Expression &definition) const {
    Expansion inner = *this;
    if (++inner.depth_ > kMaxEquDepth) {
        throw SyntaxError{place, "definition of '" + std::string(name) + "' refers to itself, or over more than " +
                                     std::to_string(kMaxEquDepth) + " other names"};
    }
    *terms_ += definition.size();
    if (*terms_ > kMaxEquTerms) {
        throw SyntaxError{place, "definition of '" + std::string(name) + "' expands to too much; expected at most " +
                                     std::to_string(kMaxEquTerms) + " numbers and labels"};
    }
    return inner;
}

Expression parse_expression(Cursor &cursor) {
    return ExpressionParser(cursor).run();
}

Value evaluate(const Expression &expression, const std::function<Value(std::string_view, Place)> &lookup) {
    Value sum;
    for (const Expression::Term &term : expression.terms) {
        Value value{static_cast<std::int64_t>(term.number), 0};
        if (!term.half_of.empty()) {
            const auto bits = static_cast<std::uint64_t>(evaluate(term.half_of.front(), lookup).number);
            value.number = static_cast<std::int64_t>(term.name == "hi" ? bits >> 32 : bits & 0xffff'ffffU);
        } else if (!term.name.empty()) {
            value = lookup(term.name, term.place);
        }
        // a single number may use all 64 bits unsigned; sums are signed
        const bool overflow = term.negative ? __builtin_sub_overflow(sum.number, value.number, &sum.number)
                                            : __builtin_add_overflow(sum.number, value.number, &sum.number);
        if (overflow) {
            throw SyntaxError{term.place, "expression overflows 64 bits"};
        }
        sum.labels += term.negative ? -value.labels : value.labels;
    }
    return sum;
}

} // namespace smsim::assembler
