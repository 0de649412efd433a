#include "ptx/expression.h"

#include <array>

namespace smsim::ptx {

namespace {

struct Operator {
    std::string_view symbol;
    int precedence;
};
constexpr std::array kOperators = {
    Operator{"||", 1}, Operator{"&&", 2}, Operator{"|", 3}, Operator{"^", 4},  Operator{"&", 5},  Operator{"==", 6},
    Operator{"!=", 6}, Operator{"<", 7},  Operator{">", 7}, Operator{"<=", 7}, Operator{">=", 7}, Operator{"<<", 8},
    Operator{">>", 8}, Operator{"+", 9},  Operator{"-", 9}, Operator{"*", 10}, Operator{"/", 10}, Operator{"%", 10}};

int precedence_of(const Token &token) {
    for (const Operator &op : kOperators) {
        if (token.is(op.symbol)) {
            return op.precedence;
        }
    }
    return 0;
}

std::int64_t divide(const Token &op, std::int64_t a, std::int64_t b) {
    if (b == 0) {
        throw assembler::SyntaxError{op.place, "division by zero; expected another divisor"};
    }
    if (b == -1) { // the one quotient that does not fit wraps
        return op.text == "/" ? static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(a)) : 0;
    }
    return op.text == "/" ? a / b : a % b;
}

std::int64_t apply(const Token &op, std::int64_t a, std::int64_t b) {
    const auto ua = static_cast<std::uint64_t>(a);
    const auto ub = static_cast<std::uint64_t>(b);
    const std::string_view s = op.text;
    if (s == "/" || s == "%") {
        return divide(op, a, b);
    }
    if (s == "<<" || s == ">>") {
        return ub > 63 ? 0 : static_cast<std::int64_t>(s == "<<" ? ua << ub : ua >> ub);
    }
    const std::uint64_t result = s == "+"    ? ua + ub
                                 : s == "-"  ? ua - ub
                                 : s == "*"  ? ua * ub
                                 : s == "|"  ? ua | ub
                                 : s == "^"  ? ua ^ ub
                                 : s == "&"  ? ua & ub
                                 : s == "==" ? a == b
                                 : s == "!=" ? a != b
                                 : s == "<"  ? a < b
                                 : s == ">"  ? a > b
                                 : s == "<=" ? a <= b
                                 : s == ">=" ? a >= b
                                 : s == "&&" ? a != 0 && b != 0
                                             : a != 0 || b != 0;
    return static_cast<std::int64_t>(result);
}

std::int64_t binary(TokenStream &stream, int lowest, unsigned depth) {
    stream.limit(depth);
    std::int64_t value = parse_unary(stream, depth);
    for (int precedence = precedence_of(stream.peek()); precedence >= lowest;
         precedence = precedence_of(stream.peek())) {
        const Token op = stream.next();
        value = apply(op, value, binary(stream, precedence + 1, depth + 1));
    }
    return value;
}

} // namespace

std::int64_t parse_unary(TokenStream &stream, unsigned depth) {
    stream.limit(depth);
    if (stream.accept("-")) {
        return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(parse_unary(stream, depth + 1)));
    }
    if (stream.accept("+")) {
        return parse_unary(stream, depth + 1);
    }
    if (stream.accept("~")) {
        return ~parse_unary(stream, depth + 1);
    }
    if (stream.accept("!")) {
        return parse_unary(stream, depth + 1) == 0 ? 1 : 0;
    }
    if (stream.accept("(")) {
        const std::int64_t value = parse_constant(stream, depth + 1);
        stream.expect(")");
        return value;
    }
    if (stream.peek().kind == TokenKind::kName && stream.peek().text == "WARP_SZ") {
        stream.next();
        return 32;
    }
    return static_cast<std::int64_t>(stream.expect(TokenKind::kInteger, "an integer").value);
}

std::int64_t parse_constant(TokenStream &stream, unsigned depth) {
    const std::int64_t condition = binary(stream, 1, depth);
    if (!stream.accept("?")) {
        return condition;
    }
    const std::int64_t yes = parse_constant(stream, depth + 1);
    stream.expect(":");
    const std::int64_t no = parse_constant(stream, depth + 1);
    return condition != 0 ? yes : no;
}

} // namespace smsim::ptx
