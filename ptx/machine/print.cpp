#include "ptx/machine/print.h"

#include <fmt/format.h>

#include "ptx/machine/flow_graph.h"

namespace smsim::ptx::machine {

namespace {

std::string predicate_name(const Operand &predicate) {
    return (predicate.negated ? "!" : "") +
           (predicate.has_register() ? fmt::format("p{}", predicate.reg) : std::string("PT"));
}

std::string register_name(const Function &function, const Operand &operand) {
    const RegisterInfo &info = function.registers[operand.reg];
    const std::string name =
        info.fixed >= 0 ? fmt::format("R{}", info.fixed + operand.first) : fmt::format("v{}", operand.reg);
    if (info.fixed >= 0 || info.words == operand.words) {
        return name;
    }
    return operand.words == 1 ? fmt::format("{}.{}", name, operand.first)
                              : fmt::format("{}.{}:{}", name, operand.first, operand.first + operand.words - 1);
}

std::string with_offset(const std::string &base, std::int64_t offset) {
    return offset == 0 ? base : fmt::format("{}{}0x{:x}", base, offset < 0 ? "-" : "+", offset < 0 ? -offset : offset);
}

std::string text_of(const Function &function, const Operand &operand) {
    const auto sign = [&](std::string name) {
        name = operand.absolute ? "|" + name + "|" : name;
        return operand.negated ? "-" + name : name;
    };
    switch (operand.kind) {
    case OperandKind::kZero:
        return sign("RZ");
    case OperandKind::kRegister:
        return sign(register_name(function, operand));
    case OperandKind::kPredicate:
        return predicate_name(operand);
    case OperandKind::kInteger:
        return fmt::format("0x{:x}", static_cast<std::uint64_t>(operand.value));
    case OperandKind::kAddress:
        return operand.has_register()
                   ? fmt::format("[{}]", with_offset(register_name(function, operand), operand.value))
                   : fmt::format("[0x{:x}]", operand.value);
    case OperandKind::kConstant: {
        const std::string place = operand.has_register() ? with_offset(fmt::format("v{}", operand.reg), operand.value)
                                                         : fmt::format("0x{:x}", operand.value);
        return sign(fmt::format("c[0x{:x}][{}]", operand.bank, place));
    }
    case OperandKind::kBarrier:
        return fmt::format("B{}", operand.value);
    case OperandKind::kLabel:
        return fmt::format("L{}", operand.value);
    default:
        return operand.text;
    }
}

std::string text_of(const Function &function, const Instruction &instruction) {
    std::string text = "    ";
    if (instruction.guarded()) {
        text += "@" + predicate_name(instruction.guard) + " ";
    }
    text += instruction.mnemonic;
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
        text += (i == 0 ? " " : ", ") + text_of(function, instruction.operands[i]);
    }
    return text + ";\n";
}

std::string text_of(const Function &function, const End &end) {
    switch (end.kind) {
    case EndKind::kFall:
        return fmt::format("    go L{}\n", end.next);
    case EndKind::kBranch:
        return fmt::format("    if {} go L{} else L{}\n", predicate_name(end.predicate), end.taken, end.next);
    case EndKind::kTable: {
        std::string text = fmt::format("    table {}:", text_of(function, end.index));
        for (const BlockIndex target : end.table) {
            text += fmt::format(" L{}", target);
        }
        return text + "\n";
    }
    case EndKind::kReturn:
        return "    return\n";
    case EndKind::kExit:
        return "    exit\n";
    default:
        return "";
    }
}

} // namespace

std::string print(const Function &function) {
    std::string text = function.name + ":\n";
    for (const BlockIndex block : analyse(function).order) {
        text += fmt::format("  L{}:\n", block);
        for (const Instruction &instruction : function.blocks[block].code) {
            text += text_of(function, instruction);
        }
        text += text_of(function, function.blocks[block].end);
    }
    return text;
}

} // namespace smsim::ptx::machine
