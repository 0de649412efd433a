#include "model/launch/read_compile.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

namespace smsim::launch {

namespace {

/// Rejects what has no effect on any of the programs.
void require_one(const yaml::Node &node, std::span<const std::string> programs, bool (*takes)(const std::string &),
                 std::string_view what) {
    if (!programs.empty() && std::ranges::none_of(programs, takes)) {
        yaml::fail(node, fmt::format("{}; the program is {}", what,
                                     std::filesystem::path(programs.front()).filename().string()));
    }
}

Macro read_macro(const yaml::Node &name, const yaml::Node &value) {
    if (!is_macro_name(name.text)) {
        yaml::fail(name,
                   fmt::format("'{}' cannot be the name of a macro; expected letters, digits and '_', and no digit "
                               "at the beginning",
                               name.text));
    }
    if (value.kind == yaml::Kind::kNull) {
        yaml::fail(value,
                   fmt::format("the macro {} has no value; expected one, in quotes if it is empty or null", name.text));
    }
    if (value.kind != yaml::Kind::kScalar) {
        yaml::fail(value, fmt::format("the value of the macro {} must be a single value", name.text));
    }
    if (const std::string error = macro_value_error(value.text); !error.empty()) {
        yaml::fail(value, error);
    }
    return {name.text, value.text};
}

std::vector<Macro> read_macros(const yaml::Node &map) {
    if (map.kind != yaml::Kind::kMap) {
        yaml::fail(map, "define must be a map of macros to values, such as {TILE: 32}");
    }
    std::vector<Macro> macros;
    for (const auto &[name, value] : map.members) {
        macros.push_back(read_macro(name, value));
    }
    if (macros.size() > kMaxMacros) {
        yaml::fail(map, fmt::format("more than {} macros", kMaxMacros));
    }
    return macros;
}

} // namespace

CodeOptions read_compile(const yaml::Node &map, std::span<const std::string> programs) {
    static constexpr std::array<std::string_view, 5> kKeys = {"define", "optimisation", "registers", "stack", "force"};
    yaml::require_keys(map, kKeys, "compile");
    require_one(map, programs, is_compiled, "compile has options for PTX (.ptx) and CUDA C++ (.cu)");
    CodeOptions options;
    if (const yaml::Node *define = map.find("define")) {
        options.macros = read_macros(*define);
        require_one(*define, programs, is_cuda, "define has macros of CUDA C++ (.cu)");
    }
    if (const yaml::Node *level = map.find("optimisation")) {
        options.optimisation = static_cast<unsigned>(yaml::to_unsigned(*level, "optimisation", 0, kMaxOptimisation));
    }
    if (const yaml::Node *registers = map.find("registers")) {
        options.registers =
            static_cast<unsigned>(yaml::to_unsigned(*registers, "registers", kMinRegisters, kMaxRegisters));
    }
    if (const yaml::Node *stack = map.find("stack")) {
        options.stack_bytes = static_cast<std::uint32_t>(yaml::to_bytes(*stack, "stack", 0, kMaxStackBytes));
    }
    if (const yaml::Node *force = map.find("force")) {
        options.force = yaml::to_bool(*force, "force");
    }
    return options;
}

} // namespace smsim::launch
