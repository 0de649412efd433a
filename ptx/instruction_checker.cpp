#include "ptx/instruction_checker.h"

#include <algorithm>
#include <optional>

#include "ptx/instruction_table.h"
#include "ptx/matrix_form.h"
#include "ptx/operand_checker.h"

namespace smsim::ptx {

namespace {

/// The words of a form's operand pattern, and how many of them are required.
struct Pattern {
    std::vector<std::string_view> words;
    std::size_t needed = 0;
    bool any = false;
};

Pattern pattern_of(std::string_view operands) {
    Pattern pattern;
    pattern.any = operands == "*";
    while (!operands.empty()) {
        const std::size_t at = operands.find(' ');
        std::string_view word = operands.substr(0, at);
        operands = at == std::string_view::npos ? std::string_view() : operands.substr(at + 1);
        const bool optional = word.ends_with('?');
        word.remove_suffix(optional ? 1 : 0);
        pattern.needed += optional ? 0 : 1;
        pattern.words.push_back(word);
    }
    return pattern;
}

bool takes(const Pattern &pattern, std::size_t count) {
    return pattern.any || (count >= pattern.needed && count <= pattern.words.size());
}

std::string refusal(const Instruction &instruction, unsigned row) {
    return "'" + full_name(instruction) + "' is in " + (row == 0 ? "no row" : "row " + std::to_string(row)) +
           " of docs/ptx.md: not covered; expected an instruction of rows 1 to 4 or 6";
}

void report_unmatched(const CheckContext &context, const Instruction &instruction) {
    for (const std::string &modifier : instruction.modifiers) {
        if (const std::optional<unsigned> row = row_of_modifier(modifier)) {
            context.refuse(instruction.place, refusal(instruction, *row));
            return;
        }
    }
    if (const std::string_view reason = why_unsupported(instruction.opcode, instruction.modifiers); !reason.empty()) {
        context.refuse(instruction.place, "'" + full_name(instruction) + "' is not supported: " + std::string(reason));
        return;
    }
    context.diagnostics.add(instruction.place, "there is no '" + full_name(instruction) + "'; expected " +
                                                   describe_forms(instruction.opcode));
}

void check_guard(const CheckContext &context, const Instruction &instruction) {
    if (!instruction.guard) {
        return;
    }
    const std::vector<Type> none;
    Operand operand;
    operand.kind = OperandKind::kName;
    operand.place = instruction.place;
    operand.name = instruction.guard->name;
    OperandChecker(context, instruction, none).read(operand, *find_type("pred"));
}

/// applypriority and discard apply to whole lines.
void check_line(const CheckContext &context, const Instruction &instruction) {
    constexpr std::int64_t kLineBytes = 128;
    const bool lines = instruction.opcode == "applypriority" || instruction.opcode == "discard";
    if (lines && instruction.operands[1].value != kLineBytes) {
        context.diagnostics.add(instruction.operands[1].place, "'" + full_name(instruction) + "' of " +
                                                                   std::to_string(instruction.operands[1].value) +
                                                                   " bytes; expected " + std::to_string(kLineBytes));
    }
}

void check_operands(const CheckContext &context, const Instruction &instruction, const Pattern &pattern,
                    const std::vector<Type> &types) {
    OperandChecker checker(context, instruction, types);
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
        const Operand &operand = instruction.operands[i];
        if (operand.kind == OperandKind::kSink && instruction.opcode != "atom") {
            context.diagnostics.add(operand.place, "'" + full_name(instruction) +
                                                       "': '_' as an operand; expected it only in "
                                                       "vectors, pairs and results of atom");
        } else {
            checker.check(pattern.words[i], operand);
        }
    }
    check_line(context, instruction);
    const auto is_vector = [](const Operand &operand) { return operand.kind == OperandKind::kVector; };
    if (instruction.opcode == "mov" && std::ranges::all_of(instruction.operands, is_vector)) {
        context.diagnostics.add(instruction.place, "'" + full_name(instruction) +
                                                       "' between two vectors; expected a single value on one side");
    }
}

} // namespace

bool refuse_for_target(const CheckContext &context, const Instruction &instruction, unsigned target) {
    const bool old = context.target != 0 && target > context.target;
    if (old) {
        const std::string first = "sm_" + std::to_string(target);
        context.refuse(instruction.place, "'" + full_name(instruction) + "' is of " + first +
                                              " and later; expected '.target " + first + "' instead of sm_" +
                                              std::to_string(context.target));
    }
    return old;
}

void check_instruction(const CheckContext &context, const Instruction &instruction) {
    check_guard(context, instruction);
    const auto forms = forms_of(instruction.opcode);
    if (forms.empty()) {
        const std::string near(nearest_opcode(instruction.opcode));
        context.diagnostics.add(instruction.place, "unknown instruction '" + full_name(instruction) +
                                                       "'; expected one of PTX" +
                                                       (near.empty() ? "" : ", such as '" + near + "'"));
        return;
    }
    if (is_matrix_opcode(instruction.opcode)) {
        return check_matrix(context, instruction);
    }
    std::vector<Type> types;
    std::size_t expected = 0;
    bool matched = false;
    for (const InstructionForm &form : forms) {
        if (!match_modifiers(form, instruction.modifiers, types)) {
            continue;
        }
        if (!covers_row(form.row)) {
            context.refuse(instruction.place, refusal(instruction, form.row));
            return;
        }
        if (refuse_for_target(context, instruction, form.target)) {
            return;
        }
        const Pattern pattern = pattern_of(form.operands);
        if (takes(pattern, instruction.operands.size())) {
            return pattern.any ? check_call(context, instruction)
                               : check_operands(context, instruction, pattern, types);
        }
        matched = true;
        expected = pattern.words.size();
    }
    if (!matched) {
        return report_unmatched(context, instruction);
    }
    const bool third = (instruction.opcode == "min" || instruction.opcode == "max") && expected == 3;
    if (third && instruction.operands.size() == 4 && instruction.modifiers.back() == "f32") {
        context.refuse(instruction.place, "'" + full_name(instruction) +
                                              "' of three values is not supported: use two instructions of two");
        return;
    }
    context.diagnostics.add(instruction.place, "'" + full_name(instruction) + "' has " +
                                                   std::to_string(instruction.operands.size()) +
                                                   " operands; expected " + std::to_string(expected));
}

} // namespace smsim::ptx
