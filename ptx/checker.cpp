#include "ptx/checker.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "ptx/declaration_checker.h"
#include "ptx/instruction_checker.h"

namespace smsim::ptx {

namespace {

using assembler::Diagnostics;

bool same_parameters(const std::vector<Variable> &a, const std::vector<Variable> &b) {
    return std::ranges::equal(a, b, [](const Variable &x, const Variable &y) {
        return x.space == y.space && size_in_bytes(x) == size_in_bytes(y);
    });
}

/// NN of `.target sm_NN`, perhaps with a letter after it; 0 where there is none.
unsigned target_of(const Module &module) {
    constexpr std::string_view kPrefix = "sm_";
    for (const std::string &target : module.targets) {
        if (target.starts_with(kPrefix)) {
            unsigned number = 0;
            std::from_chars(target.data() + kPrefix.size(), target.data() + target.size(), number);
            return number;
        }
    }
    return 0;
}

class ModuleChecker {
  public:
    ModuleChecker(const Module &module, Diagnostics &diagnostics, std::vector<Refusal> &refusals)
        : module_(module), diagnostics_(diagnostics),
          refusals_(refusals), context_{scopes_,           diagnostics_, module.address_size,
                                        target_of(module), &refusals_,   &function_} {}

    void run() {
        for (const auto &item : module_.items) {
            if (const auto *variable = std::get_if<Variable>(&item)) {
                module_variable(*variable);
            } else if (const auto *function = std::get_if<Function>(&item)) {
                module_function(*function);
            }
        }
    }

  private:
    void module_variable(const Variable &variable) {
        // Declared first: an initialiser may name the variable itself.
        const Symbol before = scopes_.declare(variable.name, {&variable, nullptr, false});
        const bool again = before.variable != nullptr &&
                           (before.variable->linkage == Linkage::kExtern || variable.linkage == Linkage::kExtern);
        if (before.known() && !again) {
            duplicate(variable.place, variable.name);
        }
        check_declaration(variable, DeclaredIn::kModule, scopes_, diagnostics_);
        opaque(variable, variable.name);
    }

    /// What needs a texture or surface cannot run: `owner`, and what names it.
    void opaque(const Variable &variable, const std::string &owner) {
        if (find_opaque_type(variable.type.name)) {
            refusals_.push_back({owner, variable.place,
                                 "'." + std::string(variable.type.name) +
                                     "': textures and surfaces are not covered; expected a type such as '.b32'"});
        }
    }

    void duplicate(assembler::Place place, const std::string &name) {
        diagnostics_.add(place, "'" + name + "' is declared twice in this scope; expected another name");
    }

    void module_function(const Function &function) {
        const Symbol before = scopes_.declare(function.name, {nullptr, &function, false});
        if (before.known()) {
            again(function, before);
        }
        signature(function);
        if (function.body) {
            cluster(function);
            body(function);
        }
    }

    void again(const Function &function, const Symbol &before) {
        const Function *first = before.function;
        if (first == nullptr || (first->body && function.body)) {
            return duplicate(function.place, function.name);
        }
        if (first->entry != function.entry || !same_parameters(first->signature.returns, function.signature.returns) ||
            !same_parameters(first->signature.parameters, function.signature.parameters)) {
            diagnostics_.add(function.place, "'" + function.name + "' was declared with other parameters in line " +
                                                 std::to_string(first->place.line) + "; expected the same");
        }
    }

    void signature(const Function &function) {
        for (const auto *list : {&function.signature.returns, &function.signature.parameters}) {
            for (const Variable &variable : *list) {
                check_declaration(variable, DeclaredIn::kSignature, scopes_, diagnostics_);
                opaque(variable, function.name);
                if (function.entry && variable.space != Space::kParam) {
                    diagnostics_.add(variable.place,
                                     "'" + variable.name + "': parameter of a kernel in .reg; expected .param");
                }
            }
        }
    }

    /// Clusters of one CTA are what every launch has; others belong to row 7.
    void cluster(const Function &function) {
        const Directive *refused = nullptr;
        bool single = false;
        for (const Directive &directive : function.directives) {
            if (directive.name == "explicitcluster" || directive.name == "blocksareclusters") {
                refused = &directive;
            } else if (directive.name == "reqnctapercluster") {
                single = std::ranges::all_of(directive.words,
                                             [](const std::string &word) { return word == "," || word == "1"; });
                refused = single ? refused : &directive;
            }
        }
        if (refused != nullptr && !single) {
            refusals_.push_back({function.name, refused->place,
                                 "'." + refused->name +
                                     "' is in row 7 of docs/ptx.md: not covered; expected clusters of one "
                                     "CTA ('.reqnctapercluster 1')"});
        }
    }

    void body(const Function &function) {
        function_ = function.name;
        scopes_.enter();
        for (const auto *list : {&function.signature.returns, &function.signature.parameters}) {
            for (const Variable &variable : *list) {
                if (scopes_.declare(variable.name, {&variable, nullptr, function.entry}).known()) {
                    duplicate(variable.place, variable.name);
                }
            }
        }
        block(*function.body);
        scopes_.leave();
    }

    void block(const Block &block) {
        scopes_.enter();
        for (const Statement &statement : block.statements) {
            if (const auto *label = std::get_if<Label>(&statement.what)) { // branches may lead forward
                declare_label(*label, {});
            }
        }
        for (const Statement &statement : block.statements) {
            check(statement);
        }
        scopes_.leave();
    }

    template <typename Node> void declare_label(const Node &node, LabelSymbol symbol) {
        if (!scopes_.declare_label(node.name, symbol)) {
            diagnostics_.add(node.place,
                             "label '" + node.name + "' is declared twice in this scope; expected another name");
        }
    }

    void check(const Statement &statement) {
        if (const auto *instruction = std::get_if<Instruction>(&statement.what)) {
            check_instruction(context_, *instruction);
        } else if (const auto *variable = std::get_if<Variable>(&statement.what)) {
            check_declaration(*variable, DeclaredIn::kBody, scopes_, diagnostics_);
            if (scopes_.declare(variable->name, {variable, nullptr, false}).known()) {
                duplicate(variable->place, variable->name);
            }
        } else if (const auto *inner = std::get_if<Block>(&statement.what)) {
            block(*inner);
        } else if (const auto *targets = std::get_if<TargetList>(&statement.what)) {
            declare_label(*targets, {targets, nullptr});
            target_list(*targets);
        } else if (const auto *prototype = std::get_if<Prototype>(&statement.what)) {
            declare_label(*prototype, {nullptr, prototype});
        }
    }

    void target_list(const TargetList &list) {
        for (const Label &target : list.targets) {
            const LabelSymbol *label = scopes_.find_label(target.name);
            const Function *function = scopes_.find(target.name).function;
            const bool good = list.calls ? function != nullptr && !function->entry
                                         : label != nullptr && label->targets == nullptr && label->prototype == nullptr;
            if (!good) {
                diagnostics_.add(target.place, "there is no " + std::string(list.calls ? "function" : "label") + " '" +
                                                   target.name + "' in scope; expected " +
                                                   (list.calls ? "a .func" : "a label of an instruction"));
            }
        }
    }

    const Module &module_;
    Diagnostics &diagnostics_;
    std::vector<Refusal> &refusals_;
    Scopes scopes_;
    std::string function_; ///< whose body is checked
    CheckContext context_;
};

} // namespace

void check_module(const Module &module, const std::string &file) {
    Diagnostics diagnostics(file);
    std::vector<Refusal> refusals;
    ModuleChecker(module, diagnostics, refusals).run();
    for (const Refusal &refusal : refusals) {
        diagnostics.add(refusal.place, refusal.message);
    }
    diagnostics.throw_if_any();
}

std::vector<Refusal> check_what_is_covered(const Module &module, const std::string &file) {
    Diagnostics diagnostics(file);
    std::vector<Refusal> refusals;
    ModuleChecker(module, diagnostics, refusals).run();
    if (!diagnostics.empty()) {
        check_module(module, file); // with all of them
    }
    return refusals;
}

} // namespace smsim::ptx
