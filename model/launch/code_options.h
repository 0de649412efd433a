// How PTX and CUDA C++ are compiled, as far as a launch decides it: `compile` of a launch file, and options of
// commands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace smsim::launch {

/// Limits of the options.
inline constexpr unsigned kMaxOptimisation = 3;
inline constexpr unsigned kMinRegisters = 16;
inline constexpr unsigned kMaxRegisters = 255;
inline constexpr std::uint32_t kMaxStackBytes = 1U << 22;
inline constexpr std::size_t kMaxMacros = 256;           ///< so that they fit into the command of clang
inline constexpr std::size_t kMaxMacroCharacters = 1000; ///< of a value

/// A macro of CUDA C++: clang's -D NAME=VALUE.
struct Macro {
    std::string name;
    std::string value; ///< as in the source; may be empty
};

/// What is not given has the default of the compiler.
struct CodeOptions {
    std::vector<Macro> macros;                  ///< of CUDA C++, each name once
    std::optional<unsigned> optimisation;       ///< level, 0 to kMaxOptimisation; default: the highest
    std::optional<unsigned> registers;          ///< most per thread; default: kMaxRegisters
    std::optional<std::uint32_t> stack_bytes{}; ///< of local memory, for functions that call themselves
    bool force = false;                         ///< also code that may wait for ever on its engine

    /// These options, and where they say nothing what `other` says. `force` is that of either.
    CodeOptions over(const CodeOptions &other) const;
};

/// Whether the compiler of PTX takes the file of this name, by its extension: .ptx and .cu.
bool is_compiled(const std::string &program);
/// Whether clang compiles it first: .cu.
bool is_cuda(const std::string &program);

/// Whether `text` can be the name of a macro: letters, digits and '_', not beginning with a digit.
bool is_macro_name(const std::string &text);

/// The macro of "NAME=VALUE", or of "NAME", whose value is then 1 as with clang. Throws InputError, which begins with
/// "-D TEXT: ", for another form of name and a value that is too long or not in one line.
Macro parse_macro(const std::string &text);

/// Why `value` cannot be the value of a macro, for messages: too long, several lines; empty if it can.
std::string macro_value_error(const std::string &value);

/// The change of a launch file (changes.h) that defines a macro: "compile.define.NAME=VALUE", with the value in quotes
/// where YAML would read it as anything else.
std::string macro_change(const Macro &macro);

} // namespace smsim::launch
