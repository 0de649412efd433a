#include "ptx/operand_parser.h"

#include "ptx/expression.h"

namespace smsim::ptx {

namespace {

std::vector<Operand> parse_sequence(TokenStream &stream, std::string_view close, unsigned depth) {
    std::vector<Operand> operands;
    if (stream.accept(close)) {
        return operands;
    }
    do {
        operands.push_back(parse_operand(stream, depth + 1));
    } while (stream.accept(","));
    stream.expect(close);
    return operands;
}

void parse_address(TokenStream &stream, Operand &operand, unsigned depth) {
    operand.kind = OperandKind::kAddress;
    if (stream.peek().kind == TokenKind::kName && stream.peek().text != "WARP_SZ") {
        operand.name = stream.next().text;
        if (stream.peek().is("+") || stream.peek().is("-")) {
            operand.value = parse_constant(stream, depth); // reads the sign with it
        }
    } else {
        operand.value = parse_constant(stream, depth);
    }
    if (stream.accept(",")) { // coordinates of a texture or tensor
        operand.elements = parse_sequence(stream, "]", depth);
    } else {
        stream.expect("]");
    }
}

/// A name with its component, offset or index.
void parse_name(TokenStream &stream, Operand &operand, unsigned depth) {
    operand.name = stream.expect(TokenKind::kName, "an operand").text;
    operand.kind = operand.name == "_" ? OperandKind::kSink : OperandKind::kName;
    if (operand.kind == OperandKind::kSink) {
        operand.name.clear();
        return;
    }
    if (stream.peek().kind == TokenKind::kDot) {
        operand.component = stream.next().text;
    } else if (stream.accept("[")) {
        operand.kind = OperandKind::kElement;
        operand.elements.push_back(parse_operand(stream, depth + 1));
        stream.expect("]");
    } else if (stream.peek().is("+") || stream.peek().is("-")) {
        operand.value = parse_constant(stream, depth);
    }
}

/// Reads a float, with or without sign; false when there is none at the cursor.
bool parse_float(TokenStream &stream, Operand &operand) {
    const bool negative = stream.peek().is("-");
    const TokenKind kind = stream.peek(negative ? 1 : 0).kind;
    if (kind != TokenKind::kSingle && kind != TokenKind::kDouble) {
        return false;
    }
    stream.accept("-");
    const bool single = kind == TokenKind::kSingle;
    operand.kind = single ? OperandKind::kSingle : OperandKind::kDouble;
    const std::uint64_t sign = negative ? std::uint64_t{1} << (single ? 31 : 63) : 0;
    operand.value = static_cast<std::int64_t>(stream.next().value ^ sign);
    return true;
}

Operand parse_single(TokenStream &stream, unsigned depth) {
    Operand operand;
    operand.place = stream.place();
    if (stream.accept("[")) {
        parse_address(stream, operand, depth);
    } else if (stream.accept("{")) {
        operand.kind = OperandKind::kVector;
        operand.elements = parse_sequence(stream, "}", depth);
    } else if (stream.peek().is("!") && stream.peek(1).kind == TokenKind::kName) {
        stream.next();
        parse_name(stream, operand, depth);
        operand.negated = true;
    } else if (stream.peek().kind == TokenKind::kName && stream.peek().text != "WARP_SZ") {
        parse_name(stream, operand, depth);
    } else if (!parse_float(stream, operand)) {
        operand.kind = OperandKind::kInteger;
        operand.value = parse_constant(stream, depth);
    }
    return operand;
}

} // namespace

Operand parse_operand(TokenStream &stream, unsigned depth) {
    stream.limit(depth);
    Operand first = parse_single(stream, depth);
    if (!stream.accept("|")) {
        return first;
    }
    Operand pair;
    pair.kind = OperandKind::kPair;
    pair.place = first.place;
    pair.elements.push_back(std::move(first));
    pair.elements.push_back(parse_single(stream, depth));
    return pair;
}

} // namespace smsim::ptx
