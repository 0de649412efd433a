#include "ptx/declaration_parser.h"

#include <array>

#include "ptx/expression.h"

namespace smsim::ptx {

namespace {

using assembler::SyntaxError;

std::optional<Space> space_at(const TokenStream &stream) {
    for (const Space space :
         {Space::kReg, Space::kConst, Space::kGlobal, Space::kLocal, Space::kParam, Space::kShared}) {
        if (stream.peek().is_dot(space_name(space))) {
            return space;
        }
    }
    return std::nullopt;
}

std::uint64_t parse_alignment(TokenStream &stream) {
    const Token token = stream.expect(TokenKind::kInteger, "an alignment in bytes");
    if (token.value == 0 || (token.value & (token.value - 1)) != 0) {
        throw SyntaxError{token.place, "alignment " + std::to_string(token.value) + "; expected a power of two"};
    }
    return token.value;
}

/// .ptr .space .align n of a kernel parameter.
void parse_pointer(TokenStream &stream, Variable &variable) {
    variable.pointer = true;
    variable.pointed = space_at(stream);
    if (variable.pointed) {
        stream.next();
    }
    if (stream.accept_dot("align")) {
        variable.pointed_align = parse_alignment(stream);
    }
}

/// What precedes the name: space, alignment, vector, type, in the orders that compilers write.
Variable parse_head(TokenStream &stream) {
    Variable variable;
    const std::optional<Space> space = space_at(stream);
    if (!space) {
        stream.fail("a state space such as '.reg' or '.global'");
    }
    variable.space = *space;
    stream.next();
    bool typed = false;
    while (stream.peek().kind == TokenKind::kDot) {
        const Token token = stream.peek();
        std::optional<Type> type = find_type(token.text);
        if (!type && variable.space != Space::kReg) {
            type = find_opaque_type(token.text);
        }
        const bool holds = type && (type->bits >= 8 || type->kind == TypeClass::kPredicate);
        if (holds && !typed) {
            variable.type = *type;
            typed = true;
        } else if (token.text == "align") {
            stream.next();
            variable.align = parse_alignment(stream);
            continue;
        } else if (token.text == "v2" || token.text == "v4") {
            variable.vector = token.text == "v2" ? 2 : 4;
        } else if (token.text == "ptr" && variable.space == Space::kParam) {
            stream.next();
            parse_pointer(stream, variable);
            continue;
        } else if (token.text == "attribute") {
            variable.attributes = parse_attributes(stream);
            continue;
        } else {
            stream.fail(typed ? "a name" : "'.align', '.v2', '.v4' or a type such as '.b32'");
        }
        stream.next();
    }
    if (!typed) {
        stream.fail("a type such as '.b32'");
    }
    return variable;
}

Initialiser parse_address(TokenStream &stream, unsigned depth) {
    Initialiser value;
    value.kind = Initialiser::Kind::kAddress;
    value.place = stream.place();
    std::string name(stream.expect(TokenKind::kName, "a variable or function").text);
    if (name == "generic" && stream.accept("(")) {
        value.generic = true;
        name = stream.expect(TokenKind::kName, "a variable or function").text;
        stream.expect(")");
    }
    value.name = name;
    if (stream.peek().is("+") || stream.peek().is("-")) {
        value.value = parse_constant(stream, depth); // reads the sign with it
    }
    return value;
}

bool at_name(const TokenStream &stream) {
    return stream.peek().kind == TokenKind::kName && stream.peek().text != "WARP_SZ";
}

/// A float with its sign; nothing when there is none at the cursor.
std::optional<Initialiser> parse_float(TokenStream &stream) {
    const bool negative = stream.peek().is("-");
    const TokenKind kind = stream.peek(negative ? 1 : 0).kind;
    if (kind != TokenKind::kSingle && kind != TokenKind::kDouble) {
        return std::nullopt;
    }
    Initialiser value;
    value.place = stream.place();
    stream.accept("-");
    const bool single = kind == TokenKind::kSingle;
    value.kind = single ? Initialiser::Kind::kSingle : Initialiser::Kind::kDouble;
    const std::uint64_t sign = negative ? std::uint64_t{1} << (single ? 31 : 63) : 0;
    value.value = static_cast<std::int64_t>(stream.next().value ^ sign);
    return value;
}

Initialiser parse_initialiser(TokenStream &stream, unsigned depth) {
    stream.limit(depth);
    Initialiser value;
    value.place = stream.place();
    if (stream.accept("{")) {
        value.kind = Initialiser::Kind::kList;
        while (!stream.accept("}")) {
            value.elements.push_back(parse_initialiser(stream, depth + 1));
            if (!stream.peek().is("}")) {
                stream.expect(",");
            }
        }
        return value;
    }
    if (at_name(stream)) {
        return parse_address(stream, depth);
    }
    if (auto number = parse_float(stream)) {
        return *number;
    }
    if (stream.peek().kind == TokenKind::kInteger && stream.peek(1).is("(")) { // 0xFF00(name): one byte of an address
        const std::uint64_t mask = stream.next().value;
        stream.expect("(");
        value = parse_address(stream, depth);
        stream.expect(")");
        value.mask = mask;
        return value;
    }
    value.value = parse_constant(stream, depth);
    return value;
}

/// The name and what belongs only to it: range and dimensions.
void parse_name(TokenStream &stream, Variable &variable) {
    variable.place = stream.place();
    variable.name = stream.expect(TokenKind::kName, "a name").text;
    if (stream.accept("<")) {
        variable.range = stream.expect(TokenKind::kInteger, "a number of names").value;
        stream.expect(">");
    }
    while (stream.accept("[")) {
        const assembler::Place place = stream.place();
        const std::int64_t size = stream.peek().is("]") ? 0 : parse_constant(stream);
        if (size < 0) {
            throw SyntaxError{place, "array size " + std::to_string(size) + "; expected 0 or more"};
        }
        variable.dimensions.push_back(static_cast<std::uint64_t>(size));
        stream.expect("]");
    }
}

} // namespace

std::vector<std::string> parse_attributes(TokenStream &stream) {
    std::vector<std::string> attributes;
    stream.next();
    stream.expect("(");
    do {
        if (stream.accept_dot("managed")) {
            attributes.emplace_back("managed");
        } else if (stream.accept_dot("unified")) {
            stream.expect("(");
            const Token first = stream.expect(TokenKind::kInteger, "the upper half of an identifier");
            stream.expect(",");
            const Token second = stream.expect(TokenKind::kInteger, "the lower half of an identifier");
            stream.expect(")");
            attributes.push_back("unified(" + std::to_string(first.value) + ", " + std::to_string(second.value) + ")");
        } else {
            stream.fail("'.managed' or '.unified'");
        }
    } while (stream.accept(","));
    stream.expect(")");
    return attributes;
}

bool at_declaration(const TokenStream &stream) {
    return space_at(stream).has_value();
}

std::vector<Variable> parse_variables(TokenStream &stream, Linkage linkage) {
    const Variable head = parse_head(stream);
    std::vector<Variable> variables;
    do {
        Variable variable = head;
        variable.linkage = linkage;
        parse_name(stream, variable);
        if (stream.accept("=")) {
            variable.initialiser = parse_initialiser(stream, 0);
        }
        variables.push_back(std::move(variable));
    } while (stream.accept(","));
    stream.expect(";");
    return variables;
}

std::vector<Variable> parse_parameters(TokenStream &stream) {
    std::vector<Variable> parameters;
    stream.expect("(");
    if (stream.accept(")")) {
        return parameters;
    }
    do {
        Variable variable = parse_head(stream);
        if (variable.space != Space::kParam && variable.space != Space::kReg) {
            throw SyntaxError{stream.place(), "parameter in ." + std::string(space_name(variable.space)) +
                                                  "; expected '.param' or '.reg'"};
        }
        parse_name(stream, variable);
        parameters.push_back(std::move(variable));
    } while (stream.accept(","));
    stream.expect(")");
    return parameters;
}

} // namespace smsim::ptx
