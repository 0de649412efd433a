// What the names of a PTX function stand for in machine code: registers, places of variables, blocks of labels.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ptx/ast.h"
#include "ptx/machine/module.h"
#include "ptx/scope.h"

namespace smsim::ptx::select {

/// The place of a variable or function.
struct Place {
    Space space = Space::kReg;
    std::uint64_t offset = 0; ///< in its space; of a function its index in Module::functions
    bool function = false;
    bool dynamic = false; ///< shared memory whose size the launch determines
    std::uint64_t bytes = 0;
};

/// Parameters and results of calls: words in registers (docs/ptx-compiler.md Calls).
struct Words {
    std::vector<machine::Register> registers; ///< one word each
    std::uint64_t bytes = 0;
    std::optional<std::uint64_t> home; ///< offset in the frame, when its address is taken
};

/// Names of one function while it is selected. The scopes follow the braces.
class Names {
  public:
    Names(Scopes &scopes, machine::Module &module, machine::Function &function)
        : scopes_(scopes), module_(module), function_(function) {}

    Scopes &scopes() { return scopes_; }
    machine::Module &module() { return module_; }

    /// The register called `name`; created at its first use. Precondition: the name is that of a register.
    machine::Register register_of(std::string_view name);

    /// The PTX type of the register or parameter called `name`; nothing when it is neither.
    std::optional<Type> type_of(std::string_view name) const;

    /// The variable or function called `name`; nothing for registers and unknown names.
    std::optional<Place> place_of(std::string_view name);

    /// The words of the `.param` variable called `name` of a function or call; null when it is none (kernel
    /// parameters included).
    Words *words_of(std::string_view name);

    /// Gives a variable of `.local` a place in the frame.
    void place_local(const Variable &variable);
    /// Gives a `.param` variable its words.
    Words &place_words(const Variable &variable);
    /// Gives a parameter of the kernel its offset in the argument block.
    void place_kernel_parameter(const Variable &variable, std::uint64_t offset);

    /// Declares a label of the innermost scope.
    void place_label(const std::string &name, machine::BlockIndex block);
    /// The block of a label in scope. Precondition: it is declared.
    machine::BlockIndex block_of(const std::string &name) const;

    void enter();
    void leave();

  private:
    [[noreturn]] void refuse(const Variable &variable, const std::string &cause) const;

    Scopes &scopes_;
    machine::Module &module_;
    machine::Function &function_;
    std::map<std::pair<const Variable *, std::uint64_t>, machine::Register> registers_;
    std::map<const Variable *, std::uint64_t> frame_;
    std::map<const Variable *, std::uint64_t> kernel_parameters_;
    std::map<const Variable *, Words> words_;
    std::vector<std::unordered_map<std::string, machine::BlockIndex>> labels_ = {{}};
};

/// Words of a register of that type.
unsigned words_of_type(Type type);

/// The next multiple of `align` from `value` on. Precondition: `align` is not 0.
inline std::uint64_t align_up(std::uint64_t value, std::uint64_t align) {
    return (value + align - 1) / align * align;
}

/// The alignment of a variable in bytes.
std::uint64_t alignment_of(const Variable &variable);

} // namespace smsim::ptx::select
