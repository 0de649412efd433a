// Machine code from text, in the form written by `machine::print`, for tests of single passes.
#pragma once

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/machine/flow_graph.h"
#include "ptx/machine/liveness.h"
#include "ptx/machine/operands.h"
#include "ptx/machine/print.h"

namespace smsim::ptx::test {

/// Reads a kernel. `registers` names them in ascending order: "v0 v1:2 p2" are a word, a pair and a predicate.
class CodeReader {
  public:
    machine::Function read(const std::string &registers, const std::string &text) {
        function_.kernel = true;
        function_.name = "k";
        std::istringstream names(registers);
        for (std::string name; names >> name;) {
            const auto colon = name.find(':');
            const bool predicate = name[0] == 'p';
            function_.add(predicate ? machine::RegisterClass::kPredicate : machine::RegisterClass::kGeneral,
                          colon == std::string::npos ? 1 : static_cast<unsigned>(std::stoul(name.substr(colon + 1))));
        }
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            std::istringstream words(line);
            std::string first;
            if (words >> first) {
                this->line(first, words, line);
            }
        }
        return function_;
    }

  private:
    void line(const std::string &first, std::istringstream &words, const std::string &all) {
        if (first.back() == ':') {
            const auto index = static_cast<machine::BlockIndex>(std::stoul(first.substr(1)));
            while (function_.blocks.size() <= index) {
                function_.add_block();
            }
            block_ = index;
            return;
        }
        machine::End &end = function_.blocks.at(block_).end;
        std::string word;
        if (first == "go") {
            words >> word;
            end = {.kind = machine::EndKind::kFall, .next = block(word)};
        } else if (first == "exit") {
            end = {.kind = machine::EndKind::kExit};
        } else if (first == "if") {
            std::string go, taken, otherwise, next;
            words >> word >> go >> taken >> otherwise >> next;
            end = {.kind = machine::EndKind::kBranch,
                   .predicate = operand(word),
                   .taken = block(taken),
                   .next = block(next)};
        } else {
            instruction(all);
        }
    }

    static machine::BlockIndex block(const std::string &label) {
        return static_cast<machine::BlockIndex>(std::stoul(label.substr(1)));
    }

    void instruction(const std::string &line) {
        machine::Instruction made;
        std::istringstream words(line.substr(0, line.find(';')));
        words >> made.mnemonic;
        if (made.mnemonic[0] == '@') {
            made.guard = operand(made.mnemonic.substr(1));
            words >> made.mnemonic;
        }
        std::string rest;
        std::getline(words, rest);
        std::istringstream operands(rest);
        for (std::string text; std::getline(operands, text, ',');) {
            made.operands.push_back(operand(text.substr(text.find_first_not_of(' '))));
        }
        define(made);
        function_.blocks.at(block_).code.push_back(std::move(made));
    }

    static void define(machine::Instruction &made) {
        using machine::OperandKind;
        if (made.operands.empty() || made.mnemonic.starts_with("ST")) {
            return;
        }
        made.operands[0].defined = true;
        if (made.mnemonic.starts_with("SHFL")) {
            made.operands[1].defined = true;
        }
        const bool carries = made.mnemonic.starts_with("IADD3") && made.operands.size() > 4;
        const bool compares = made.mnemonic.find("SETP") != std::string::npos;
        if ((carries || compares) && made.operands[1].kind == OperandKind::kPredicate) {
            made.operands[1].defined = true;
        }
    }

    machine::Operand operand(std::string text) const {
        machine::Operand made;
        if (text[0] == '-' || text[0] == '!') {
            made = operand(text.substr(1));
            made.negated = true;
            return made;
        }
        if (text[0] == '|') {
            return machine::absolute(operand(text.substr(1, text.size() - 2)));
        }
        if (text == "RZ") {
            return machine::zero();
        }
        if (text == "PT") {
            return machine::always();
        }
        if (text[0] == 'p') {
            return machine::if_true(static_cast<machine::Register>(std::stoul(text.substr(1))));
        }
        if (text.starts_with("0x")) {
            return machine::number(static_cast<std::int64_t>(std::stoull(text, nullptr, 16)));
        }
        if (text.starts_with("c[")) {
            const auto second = text.find("][");
            return machine::constant(static_cast<unsigned>(std::stoul(text.substr(2), nullptr, 16)),
                                     static_cast<std::int64_t>(std::stoull(text.substr(second + 2), nullptr, 16)));
        }
        if (text[0] == '[') {
            return address(text.substr(1, text.size() - 2));
        }
        if (text[0] == 'v') {
            const auto reg = static_cast<machine::Register>(std::stoul(text.substr(1)));
            const auto dot = text.find('.');
            return dot == std::string::npos
                       ? machine::use(reg, function_.registers.at(reg).words)
                       : machine::use(reg, 1, static_cast<unsigned>(std::stoul(text.substr(dot + 1))));
        }
        return machine::text(text);
    }

    machine::Operand address(const std::string &inside) const {
        if (inside[0] != 'v') {
            return machine::address(machine::kNoRegister, static_cast<std::int64_t>(std::stoull(inside, nullptr, 16)));
        }
        const auto sign = inside.find_first_of("+-");
        const auto reg = static_cast<machine::Register>(std::stoul(inside.substr(1)));
        std::int64_t offset = 0;
        if (sign != std::string::npos) {
            offset = static_cast<std::int64_t>(std::stoull(inside.substr(sign + 1), nullptr, 16));
            offset = inside[sign] == '-' ? -offset : offset;
        }
        return machine::address(reg, offset, function_.registers.at(reg).words);
    }

    machine::Function function_;
    machine::BlockIndex block_ = 0;
};

inline machine::Function code(const std::string &registers, const std::string &text) {
    return CodeReader().read(registers, text);
}

/// A function as text without its name and without leading spaces. Unused instructions are left out, as the compiler
/// removes them after each pass.
inline std::string text_of(machine::Function function) {
    machine::remove_dead_code(function);
    std::istringstream lines(machine::print(function));
    std::string text;
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
        text += line.substr(line.find_first_not_of(' ')) + "\n";
    }
    return text;
}

/// The code after `pass`.
template <typename Pass> std::string behind(Pass pass, const std::string &registers, const std::string &text) {
    machine::Function function = code(registers, text);
    pass(function);
    return text_of(std::move(function));
}

} // namespace smsim::ptx::test
