#include "ptx/body_parser.h"

#include "ptx/declaration_parser.h"
#include "ptx/operand_parser.h"

namespace smsim::ptx {

namespace {

using assembler::Diagnostics;
using assembler::SyntaxError;

/// One operand of a call: a list in parentheses, or an ordinary one.
Operand parse_call_operand(TokenStream &stream) {
    if (!stream.peek().is("(")) {
        return parse_operand(stream);
    }
    Operand list;
    list.kind = OperandKind::kList;
    list.place = stream.place();
    stream.expect("(");
    if (stream.accept(")")) {
        return list;
    }
    do {
        list.elements.push_back(parse_operand(stream, 1));
    } while (stream.accept(","));
    stream.expect(")");
    return list;
}

Instruction parse_instruction(TokenStream &stream) {
    Instruction instruction;
    if (stream.accept("@")) {
        Guard guard;
        guard.negated = stream.accept("!");
        guard.name = stream.expect(TokenKind::kName, "a predicate").text;
        instruction.guard = guard;
    }
    instruction.place = stream.place();
    instruction.opcode = stream.expect(TokenKind::kName, "an instruction").text;
    while (stream.peek().kind == TokenKind::kDot) {
        instruction.modifiers.emplace_back(stream.next().text);
    }
    if (stream.accept(";")) {
        return instruction;
    }
    const bool call = instruction.opcode == "call";
    do {
        instruction.operands.push_back(call ? parse_call_operand(stream) : parse_operand(stream));
    } while (stream.accept(","));
    stream.expect(";");
    return instruction;
}

std::vector<Label> parse_names(TokenStream &stream) {
    std::vector<Label> names;
    do {
        const Token token = stream.expect(TokenKind::kName, "a name");
        names.push_back({token.place, std::string(token.text)});
    } while (stream.accept(","));
    stream.expect(";");
    return names;
}

Prototype parse_prototype(TokenStream &stream, const Token &label) {
    Prototype prototype{label.place, std::string(label.text), {}};
    if (stream.peek().is("(")) {
        prototype.signature.returns = parse_parameters(stream);
    }
    if (stream.expect(TokenKind::kName, "'_'").text != "_") {
        throw SyntaxError{stream.place(), "a prototype has no name; expected '_'"};
    }
    if (stream.peek().is("(")) {
        prototype.signature.parameters = parse_parameters(stream);
    }
    prototype.signature.noreturn = stream.accept_dot("noreturn");
    stream.expect(";");
    return prototype;
}

/// "name:" and the directive that may belong to it.
Statement parse_labelled(TokenStream &stream) {
    const Token label = stream.next();
    stream.expect(":");
    const bool calls = stream.peek().is_dot("calltargets");
    if (calls || stream.peek().is_dot("branchtargets")) {
        stream.next();
        return {TargetList{label.place, std::string(label.text), calls, parse_names(stream)}};
    }
    if (stream.accept_dot("callprototype")) {
        return {parse_prototype(stream, label)};
    }
    return {Label{label.place, std::string(label.text)}};
}

void parse_statement(TokenStream &stream, Diagnostics &diagnostics, unsigned depth, std::vector<Statement> &out) {
    const Token &token = stream.peek();
    if (token.is("{")) {
        out.push_back({parse_block(stream, diagnostics, depth + 1)});
    } else if (token.kind == TokenKind::kName && stream.peek(1).is(":")) {
        out.push_back(parse_labelled(stream));
    } else if (at_declaration(stream)) {
        for (Variable &variable : parse_variables(stream, Linkage::kNone)) {
            out.push_back({std::move(variable)});
        }
    } else if (token.is_dot("loc") || token.is_dot("pragma")) {
        out.push_back({parse_directive(stream)});
    } else if (token.is("@") || token.kind == TokenKind::kName) {
        out.push_back({parse_instruction(stream)});
    } else if (!stream.accept(";")) {
        stream.fail("an instruction, a declaration or '}'");
    }
}

} // namespace

Block parse_block(TokenStream &stream, Diagnostics &diagnostics, unsigned depth) {
    stream.limit(depth);
    Block block;
    block.place = stream.place();
    stream.expect("{");
    while (!stream.peek().is("}")) {
        if (stream.at_end()) {
            stream.fail("'}'");
        }
        try {
            parse_statement(stream, diagnostics, depth, block.statements);
        } catch (const SyntaxError &error) {
            if (stream.at_end() || depth >= kMaxDepth) { // nothing after it can be understood
                throw;
            }
            diagnostics.add(error);
            stream.skip_statement();
        }
    }
    stream.expect("}");
    return block;
}

Directive parse_directive(TokenStream &stream) {
    Directive directive;
    const Token head = stream.next();
    directive.place = head.place;
    directive.name = head.text;
    const bool by_line = head.text == "loc" || head.text == "file";
    while (by_line ? stream.place().line == head.place.line && !stream.at_end() : !stream.accept(";")) {
        const Token &token = stream.peek();
        if (token.kind == TokenKind::kEnd || token.is("{") || token.is("}")) {
            stream.fail("';'");
        }
        if (token.kind == TokenKind::kString) {
            directive.words.push_back('"' + std::string(token.text) + '"');
        } else if (!token.is(";")) {
            directive.words.push_back((token.kind == TokenKind::kDot ? "." : "") + std::string(token.text));
        }
        stream.next();
    }
    return directive;
}

} // namespace smsim::ptx
