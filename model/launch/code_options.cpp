#include "model/launch/code_options.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "model/error.h"

namespace smsim::launch {

namespace {

bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Whether YAML reads the text without quotes as this text.
bool is_plain(const std::string &text) {
    std::string lower = text;
    std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
    return !text.empty() && std::ranges::all_of(text, is_name_character) && lower != "null";
}

} // namespace

CodeOptions CodeOptions::over(const CodeOptions &other) const {
    CodeOptions both = *this;
    for (const Macro &macro : other.macros) {
        if (std::ranges::find(macros, macro.name, &Macro::name) == macros.end()) {
            both.macros.push_back(macro);
        }
    }
    both.optimisation = optimisation ? optimisation : other.optimisation;
    both.registers = registers ? registers : other.registers;
    both.stack_bytes = stack_bytes ? stack_bytes : other.stack_bytes;
    both.force = force || other.force;
    return both;
}

bool is_compiled(const std::string &program) {
    return program.ends_with(".ptx") || is_cuda(program);
}

bool is_cuda(const std::string &program) {
    return program.ends_with(".cu");
}

bool is_macro_name(const std::string &text) {
    return !text.empty() && (text.front() < '0' || text.front() > '9') && std::ranges::all_of(text, is_name_character);
}

std::string macro_value_error(const std::string &value) {
    if (value.size() > kMaxMacroCharacters) {
        return fmt::format("the value of a macro may have {} characters; found {}", kMaxMacroCharacters, value.size());
    }
    if (std::ranges::any_of(value,
                            [](char c) { return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == 0x7f; })) {
        return "the value of a macro must be text in one line";
    }
    return {};
}

Macro parse_macro(const std::string &text) {
    const std::size_t equals = text.find('=');
    Macro macro{text.substr(0, equals), equals == std::string::npos ? "1" : text.substr(equals + 1)};
    if (!is_macro_name(macro.name)) {
        throw InputError(
            fmt::format("-D {}: expected NAME or NAME=VALUE, where the name has letters, digits and '_' and "
                        "does not begin with a digit",
                        text));
    }
    if (const std::string error = macro_value_error(macro.value); !error.empty()) {
        throw InputError(fmt::format("-D {}: {}", macro.name, error));
    }
    return macro;
}

std::string macro_change(const Macro &macro) {
    std::string value = macro.value;
    if (!is_plain(value)) {
        value = "'";
        for (const char c : macro.value) {
            value += c == '\'' ? "''" : std::string(1, c);
        }
        value += '\'';
    }
    return fmt::format("compile.define.{}={}", macro.name, value);
}

} // namespace smsim::launch
