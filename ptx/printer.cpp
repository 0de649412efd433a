#include "ptx/printer.h"

#include <array>

#include <fmt/format.h>

namespace smsim::ptx {

namespace {

std::string joined(const std::vector<Operand> &operands) {
    std::string text;
    for (const Operand &operand : operands) {
        text += (text.empty() ? "" : ", ") + print_operand(operand);
    }
    return text;
}

std::string offset(std::int64_t value) {
    return value == 0 ? "" : fmt::format("{:+}", value);
}

std::string single(std::int64_t bits) {
    return fmt::format("0f{:08X}", static_cast<std::uint32_t>(bits));
}
std::string full(std::int64_t bits) {
    return fmt::format("0d{:016X}", static_cast<std::uint64_t>(bits));
}

std::string print_initialiser(const Initialiser &value) {
    switch (value.kind) {
    case Initialiser::Kind::kInteger:
        return std::to_string(value.value);
    case Initialiser::Kind::kSingle:
        return single(value.value);
    case Initialiser::Kind::kDouble:
        return full(value.value);
    case Initialiser::Kind::kAddress: {
        const std::string name = value.generic ? "generic(" + value.name + ")" : value.name;
        const std::string address = name + offset(value.value);
        return value.mask == 0 ? address : fmt::format("{:#x}({})", value.mask, address);
    }
    case Initialiser::Kind::kList:
        break;
    }
    std::string text;
    for (const Initialiser &element : value.elements) {
        text += (text.empty() ? "" : ", ") + print_initialiser(element);
    }
    return "{" + text + "}";
}

std::string_view linkage_text(Linkage linkage) {
    constexpr std::array<std::string_view, 5> kTexts = {"", ".extern ", ".visible ", ".weak ", ".common "};
    return kTexts.at(static_cast<std::size_t>(linkage));
}

std::string print_attributes(const std::vector<std::string> &attributes) {
    std::string text;
    for (const std::string &attribute : attributes) {
        text += (text.empty() ? " .attribute(." : ", .") + attribute;
    }
    return text + (text.empty() ? "" : ")");
}

std::string print_variable(const Variable &variable) {
    std::string text = fmt::format("{}.{}", linkage_text(variable.linkage), space_name(variable.space));
    text += variable.align == 0 ? "" : fmt::format(" .align {}", variable.align);
    text += variable.vector == 1 ? "" : fmt::format(" .v{}", variable.vector);
    text += print_attributes(variable.attributes);
    text += fmt::format(" .{}", variable.type.name);
    if (variable.pointer) {
        text += " .ptr";
        text += variable.pointed ? fmt::format(" .{}", space_name(*variable.pointed)) : "";
        text += variable.pointed_align == 0 ? "" : fmt::format(" .align {}", variable.pointed_align);
    }
    text += " " + variable.name;
    text += variable.range ? fmt::format("<{}>", *variable.range) : "";
    for (const std::uint64_t dimension : variable.dimensions) {
        text += dimension == 0 ? "[]" : fmt::format("[{}]", dimension);
    }
    return text + (variable.initialiser ? " = " + print_initialiser(*variable.initialiser) : "");
}

std::string print_parameters(const std::vector<Variable> &parameters) {
    std::string text;
    for (const Variable &parameter : parameters) {
        text += (text.empty() ? "" : ", ") + print_variable(parameter);
    }
    return "(" + text + ")";
}

std::string print_signature(const Signature &signature, const std::string &name) {
    std::string text = signature.returns.empty() ? "" : print_parameters(signature.returns) + " ";
    return text + name + " " + print_parameters(signature.parameters) + (signature.noreturn ? " .noreturn" : "");
}

std::string print_directive(const Directive &directive) {
    std::string text = "." + directive.name;
    for (const std::string &word : directive.words) {
        text += " " + word;
    }
    return text;
}

struct BodyPrinter {
    std::string text;
    std::string indent;

    void line(const std::string &content) { text += indent + content + "\n"; }

    void operator()(const Instruction &instruction) {
        std::string content;
        if (instruction.guard) {
            content = fmt::format("@{}{} ", instruction.guard->negated ? "!" : "", instruction.guard->name);
        }
        content += full_name(instruction);
        const std::string operands = joined(instruction.operands);
        line(content + (operands.empty() ? "" : " ") + operands + ";");
    }
    void operator()(const Label &label) { line(label.name + ":"); }
    void operator()(const Variable &variable) { line(print_variable(variable) + ";"); }
    void operator()(const Block &block) {
        line("{");
        indent += "  ";
        for (const Statement &statement : block.statements) {
            std::visit(*this, statement.what);
        }
        indent.resize(indent.size() - 2);
        line("}");
    }
    void operator()(const TargetList &list) {
        std::string names;
        for (const Label &target : list.targets) {
            names += (names.empty() ? "" : ", ") + target.name;
        }
        line(fmt::format("{}: .{} {};", list.name, list.calls ? "calltargets" : "branchtargets", names));
    }
    void operator()(const Prototype &prototype) {
        line(prototype.name + ": .callprototype " + print_signature(prototype.signature, "_") + ";");
    }
    void operator()(const Directive &directive) {
        line(print_directive(directive) + (directive.name == "pragma" ? ";" : ""));
    }
};

struct ItemPrinter {
    BodyPrinter out;

    void operator()(const Variable &variable) { out(variable); }
    void operator()(const Directive &directive) {
        const bool by_line = directive.name == "file" || directive.name == "loc";
        out.line(print_directive(directive) + (by_line ? "" : ";"));
    }
    void operator()(const Section &section) {
        out.line(".section " + section.name);
        out.line("{");
        std::string content;
        for (const std::string &token : section.tokens) {
            const bool begins = token.starts_with(".b") && token.size() <= 4;
            content += (begins ? "\n" : content.empty() ? "" : " ") + token;
        }
        out.line(content + "\n}");
    }
    void operator()(const Function &function) {
        out.line(fmt::format("{}.{} {}", linkage_text(function.linkage),
                             function.entry ? "entry" : "func" + print_attributes(function.attributes),
                             print_signature(function.signature, function.name)));
        for (const Directive &directive : function.directives) {
            out.line(print_directive(directive));
        }
        if (function.body) {
            out(*function.body);
        } else {
            out.line(";");
        }
    }
};

} // namespace

std::string print_operand(const Operand &operand) {
    switch (operand.kind) {
    case OperandKind::kName:
        return (operand.negated ? "!" : "") + operand.name +
               (operand.component.empty() ? "" : "." + operand.component) + offset(operand.value);
    case OperandKind::kInteger:
        return std::to_string(operand.value);
    case OperandKind::kSingle:
        return single(operand.value);
    case OperandKind::kDouble:
        return full(operand.value);
    case OperandKind::kAddress: {
        const std::string base =
            operand.name.empty() ? std::to_string(operand.value) : operand.name + offset(operand.value);
        return "[" + base + (operand.elements.empty() ? "" : ", " + joined(operand.elements)) + "]";
    }
    case OperandKind::kElement:
        return (operand.negated ? "!" : "") + operand.name + "[" + joined(operand.elements) + "]";
    case OperandKind::kVector:
        return "{" + joined(operand.elements) + "}";
    case OperandKind::kPair:
        return print_operand(operand.elements.at(0)) + "|" + print_operand(operand.elements.at(1));
    case OperandKind::kList:
        return "(" + joined(operand.elements) + ")";
    case OperandKind::kSink:
        break;
    }
    return operand.negated ? "!_" : "_";
}

std::string print_module(const Module &module) {
    ItemPrinter printer;
    printer.out.line(fmt::format(".version {}.{}", module.major, module.minor));
    std::string targets;
    for (const std::string &target : module.targets) {
        targets += (targets.empty() ? "" : ", ") + target;
    }
    printer.out.line(".target " + targets);
    printer.out.line(fmt::format(".address_size {}", module.address_size));
    for (const auto &item : module.items) {
        std::visit(printer, item);
    }
    return printer.out.text;
}

} // namespace smsim::ptx
