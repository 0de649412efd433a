// Names and what they mean: variables, functions and labels, in scopes that nest as the braces do.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/ast.h"

namespace smsim::ptx {

/// What a name stands for: exactly one of the pointers is set, or none for an unknown name.
struct Symbol {
    const Variable *variable = nullptr;
    const Function *function = nullptr;
    bool entry_parameter = false; ///< of a kernel: read-only
    bool known() const { return variable != nullptr || function != nullptr; }
};

/// What a label names; all null for a plain label.
struct LabelSymbol {
    const TargetList *targets = nullptr;
    const Prototype *prototype = nullptr;
};

/// The scopes from the module to the innermost block. They refer to nodes: the module must outlive this object.
class Scopes {
  public:
    Scopes() { enter(); }

    void enter() { scopes_.emplace_back(); }
    void leave() { scopes_.pop_back(); }

    /// Declares a name in the innermost scope. A variable with a range declares name0 to name(N-1). Returns what the
    /// name meant in this scope before; that stays unchanged. Overlaps of ranges and single names are found as well.
    Symbol declare(const std::string &name, Symbol symbol);

    /// The variable or function that `name` stands for; unknown when it is not declared.
    Symbol find(std::string_view name) const;

    /// Declares a label in the innermost scope; false when it already has one of this name.
    bool declare_label(const std::string &name, LabelSymbol label);

    /// The label called `name` in this scope or one around it; null when there is none.
    const LabelSymbol *find_label(std::string_view name) const;

    /// All labels that `find_label` finds, for messages.
    std::vector<std::string_view> labels() const;

  private:
    struct Scope {
        std::unordered_map<std::string, Symbol> names;
        std::unordered_map<std::string, Symbol> ranges; ///< by the name before the number
        std::unordered_map<std::string, LabelSymbol> labels;
    };
    static Symbol find_in(const Scope &scope, std::string_view name);
    static Symbol find_in_range(const Scope &scope, std::string_view name);

    std::vector<Scope> scopes_;
};

} // namespace smsim::ptx
