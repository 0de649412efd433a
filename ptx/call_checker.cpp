// Calls: checks what is called, and whether results and arguments match its signature.
#include "ptx/instruction_checker.h"
#include "ptx/operand_checker.h"
#include "ptx/printer.h"

namespace smsim::ptx {

namespace {

class CallChecker {
  public:
    CallChecker(const CheckContext &context, const Instruction &instruction)
        : context_(context), instruction_(instruction), operands_(context, instruction, types_) {}

    void run() {
        const std::vector<Operand> &all = instruction_.operands;
        const bool results = !all.empty() && all[0].kind == OperandKind::kList;
        const std::size_t callee = results ? 1 : 0;
        const bool arguments = callee + 1 < all.size() && all[callee + 1].kind == OperandKind::kList;
        const std::size_t targets = callee + (arguments ? 2 : 1);
        if (callee >= all.size() || !is_plain_name(all[callee]) || all.size() > targets + 1) {
            return report(instruction_.place, "is not in the form of a call; expected '(results), function, "
                                              "(arguments)', followed by a prototype for a function in a register");
        }
        const Signature *signature = signature_of(all[callee], targets < all.size() ? &all[targets] : nullptr);
        if (signature == nullptr) {
            return; // reported
        }
        const std::vector<Operand> none;
        list(results ? all[0].elements : none, signature->returns, true);
        list(arguments ? all[callee + 1].elements : none, signature->parameters, false);
    }

  private:
    void report(assembler::Place place, const std::string &message) const {
        context_.diagnostics.add(place, "'" + full_name(instruction_) + "' " + message);
    }

    const Signature *signature_of(const Operand &callee, const Operand *targets) {
        const Symbol symbol = context_.scopes.find(callee.name);
        if (symbol.function != nullptr) {
            if (targets != nullptr) {
                report(targets->place, "of a function by name has a prototype; expected none");
                return nullptr;
            }
            if (symbol.function->entry) {
                report(callee.place, "calls the kernel '" + callee.name + "'; expected a .func");
                return nullptr;
            }
            return &symbol.function->signature;
        }
        if (!symbol.known()) {
            report(callee.place, "calls '" + callee.name + "', which is not declared; expected a function");
            return nullptr;
        }
        operands_.read(callee, bits_type(context_.address_size));
        if (targets == nullptr) {
            report(callee.place, "through a register has no prototype; expected a label with .callprototype or "
                                 ".calltargets");
            return nullptr;
        }
        return indirect(*targets);
    }

    /// The signature that a label or a table of functions stands for.
    const Signature *indirect(const Operand &targets) {
        const bool plain = is_plain_name(targets);
        const LabelSymbol *label = plain ? context_.scopes.find_label(targets.name) : nullptr;
        if (label != nullptr && label->prototype != nullptr) {
            return &label->prototype->signature;
        }
        std::string first;
        if (label != nullptr && label->targets != nullptr && label->targets->calls) {
            first = label->targets->targets.front().name;
        }
        const Symbol table = context_.scopes.find(targets.name);
        if (plain && label == nullptr && table.variable != nullptr && table.variable->initialiser &&
            !table.variable->initialiser->elements.empty()) {
            first = table.variable->initialiser->elements.front().name;
        }
        const Symbol function = context_.scopes.find(first);
        if (function.function == nullptr || function.function->entry) {
            report(targets.place, "has '" + print_operand(targets) +
                                      "' after its arguments; expected a label with .callprototype or .calltargets, "
                                      "or a table of functions");
            return nullptr;
        }
        return &function.function->signature;
    }

    void list(const std::vector<Operand> &actual, const std::vector<Variable> &formal, bool results) {
        const std::string what = results ? "results" : "arguments";
        if (actual.size() != formal.size()) {
            return report(instruction_.place, "has " + std::to_string(actual.size()) + " " + what + "; expected " +
                                                  std::to_string(formal.size()));
        }
        for (std::size_t i = 0; i < actual.size(); ++i) {
            one(actual[i], formal[i], results);
        }
    }

    void one(const Operand &actual, const Variable &formal, bool result) {
        const Symbol symbol = actual.kind == OperandKind::kName ? context_.scopes.find(actual.name) : Symbol{};
        const bool variable = symbol.variable != nullptr && symbol.variable->space != Space::kReg;
        if (variable && !is_plain_name(actual)) {
            return report(actual.place, "has '" + print_operand(actual) + "'; expected the variable's name alone");
        }
        if (symbol.entry_parameter) {
            return report(actual.place, "has '" + actual.name +
                                            "', a parameter of a kernel; expected a variable in .param or a register");
        }
        if (variable) {
            return compare_variable(actual, *symbol.variable, formal);
        }
        if (!formal.dimensions.empty()) {
            return report(actual.place, "has '" + print_operand(actual) +
                                            "' for an array; expected a variable in "
                                            ".param");
        }
        result ? operands_.write(actual, formal.type, true) : operands_.read(actual, formal.type, true);
    }

    void compare_variable(const Operand &actual, const Variable &given, const Variable &formal) {
        if (given.space != Space::kParam) {
            return report(actual.place, "has '" + actual.name + "' in ." + std::string(space_name(given.space)) +
                                            "; expected a variable in .param or a register");
        }
        const std::uint64_t bytes = size_in_bytes(formal);
        if (bytes != size_in_bytes(given) && bytes != 0) {
            report(actual.place, "has '" + actual.name + "' of " + std::to_string(size_in_bytes(given)) +
                                     " bytes; expected " + std::to_string(bytes));
        }
    }

    const CheckContext &context_;
    const Instruction &instruction_;
    const std::vector<Type> types_;
    OperandChecker operands_;
};

} // namespace

void check_call(const CheckContext &context, const Instruction &instruction) {
    CallChecker(context, instruction).run();
}

} // namespace smsim::ptx
