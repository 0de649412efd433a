#include "ptx/select/calls.h"

#include <algorithm>

#include "model/error.h"
#include "ptx/select/function.h"

namespace smsim::ptx::select {

using namespace machine;

namespace {

/// First word of each variable of a list, and the total number of words.
std::vector<unsigned> word_places(const std::vector<Variable> &variables, unsigned &total) {
    std::vector<unsigned> places;
    std::uint64_t word = 0;
    for (const Variable &variable : variables) {
        word = alignment_of(variable) >= 8 ? (word + 1) / 2 * 2 : word;
        places.push_back(static_cast<unsigned>(word));
        word += (size_in_bytes(variable) + 3) / 4;
        word = std::min<std::uint64_t>(word, 1U << 20);
    }
    total = static_cast<unsigned>(word);
    return places;
}

/// The words of a variable in .param, or of a register, up to the number that `formal` has.
void words_of(Selector &selector, const std::string &name, const Variable &formal, std::vector<Operand> &operands) {
    Names &names = selector.names();
    const std::uint64_t most = (size_in_bytes(formal) + 3) / 4;
    if (const Words *words = names.words_of(name)) {
        for (std::uint64_t i = 0; i < std::min<std::uint64_t>(words->registers.size(), most); ++i) {
            operands.push_back(use(words->registers[i]));
        }
        return;
    }
    const Register reg = names.register_of(name);
    const unsigned words = selector.function().registers[reg].words;
    for (unsigned i = 0; i < std::min<std::uint64_t>(words, most); ++i) {
        operands.push_back(use(reg, 1, i));
    }
}

const Signature &signature_of(Selector &selector, const ptx::Instruction &instruction, std::size_t callee) {
    const Scopes &scopes = selector.names().scopes();
    const std::string &name = instruction.operands[callee].name;
    if (const Symbol symbol = scopes.find(name); symbol.function != nullptr) {
        return symbol.function->signature;
    }
    const ptx::Operand &targets = instruction.operands.back();
    if (const LabelSymbol *label = scopes.find_label(targets.name)) {
        if (label->prototype != nullptr) {
            return label->prototype->signature;
        }
        return scopes.find(label->targets->targets.front().name).function->signature;
    }
    return scopes.find(scopes.find(targets.name).variable->initialiser->elements.front().name).function->signature;
}

/// Rejects signatures that pass values in a way that is not covered.
void check_passed(Selector &selector, const Signature &signature) {
    for (const auto *list : {&signature.returns, &signature.parameters}) {
        for (const Variable &variable : *list) {
            const bool predicate = variable.type.kind == TypeClass::kPredicate;
            if (variable.space == Space::kReg && (predicate || variable.vector > 1)) {
                throw InputError(selector.file() + ":" + std::to_string(variable.place.line) + ":" +
                                 std::to_string(variable.place.column) + ": '" + variable.name + "' is a " +
                                 (predicate ? "predicate" : "vector") + " that is passed, which is not covered");
            }
        }
    }
}

class CallSelector {
  public:
    CallSelector(Selector &selector, const ptx::Instruction &instruction)
        : selector_(selector), instruction_(instruction) {}

    void run() {
        const auto &all = instruction_.operands;
        const bool results = all[0].kind == ptx::OperandKind::kList;
        const std::size_t callee = results ? 1 : 0;
        const bool arguments = callee + 1 < all.size() && all[callee + 1].kind == ptx::OperandKind::kList;
        const Signature &signature = signature_of(selector_, instruction_, callee);
        check_passed(selector_, signature);
        const CallWords words = call_words(signature);
        if (std::max(words.arguments, words.results) > kMostArgumentWords) {
            selector_.refuse(instruction_, "passes more than " + std::to_string(4 * kMostArgumentWords) +
                                               " bytes, which is not covered");
        }
        Instruction call{.mnemonic = "CALL", .line = instruction_.place.line};
        target(call, all[callee], words);
        if (arguments) {
            pass(call, all[callee + 1].elements, signature.parameters);
        }
        for (unsigned i = 0; i < words.results; ++i) {
            call.defines.push_back(fixed(i));
        }
        Instruction &placed = selector_.emit("CALL", {});
        placed = std::move(call);
        if (results) {
            receive(all[0].elements, signature.returns);
        }
    }

  private:
    Register fixed(unsigned word) { return selector_.fixed(kFirstArgument + static_cast<int>(word)); }

    void target(Instruction &call, const ptx::Operand &callee, const CallWords &words) {
        const auto place = selector_.names().place_of(callee.name);
        if (place && place->function) {
            if (place->offset == ~std::uint64_t{0}) {
                selector_.refuse(instruction_, "calls '" + callee.name +
                                                   "', which is declared and not defined; expected its definition in "
                                                   "the module");
            }
            call.callee = static_cast<std::int32_t>(place->offset);
            return;
        }
        const Operand pointer = selector_.read(callee, *find_type("b64"));
        call.operands.push_back(selector_.in_register(pointer));
        auto &prototypes = selector_.names().module().prototypes;
        const auto known = std::ranges::find(prototypes, words);
        call.prototype = static_cast<std::uint32_t>(known - prototypes.begin());
        if (known == prototypes.end()) {
            prototypes.push_back(words);
        }
    }

    void pass(Instruction &call, const std::vector<ptx::Operand> &actual, const std::vector<Variable> &formal) {
        unsigned total = 0;
        const std::vector<unsigned> places = word_places(formal, total);
        for (std::size_t i = 0; i < actual.size(); ++i) {
            std::vector<Operand> words;
            if (actual[i].kind == ptx::OperandKind::kName &&
                (selector_.names().words_of(actual[i].name) != nullptr || actual[i].component.empty())) {
                words_of(selector_, actual[i].name, formal[i], words);
            } else {
                const Operand value = selector_.read(actual[i], formal[i].type);
                for (unsigned w = 0; w < value.words; ++w) {
                    words.push_back(word(value, w));
                }
            }
            for (unsigned w = 0; w < words.size(); ++w) {
                selector_.emit("MOV", {define(fixed(places[i] + w)), words[w]});
                call.uses.push_back(fixed(places[i] + w));
            }
        }
    }

    void receive(const std::vector<ptx::Operand> &actual, const std::vector<Variable> &formal) {
        unsigned total = 0;
        const std::vector<unsigned> places = word_places(formal, total);
        for (std::size_t i = 0; i < actual.size(); ++i) {
            if (actual[i].kind == ptx::OperandKind::kSink) {
                continue;
            }
            const bool held = selector_.names().words_of(actual[i].name) == nullptr;
            if (held && formal[i].type.bits <= 32) { // the register may be wider
                selector_.write_value(actual[i], use(fixed(places[i])), formal[i].type);
                continue;
            }
            std::vector<Operand> words;
            words_of(selector_, actual[i].name, formal[i], words);
            for (unsigned w = 0; w < words.size(); ++w) {
                words[w].defined = true;
                selector_.emit("MOV", {words[w], use(fixed(places[i] + w))});
            }
        }
    }

    Selector &selector_;
    const ptx::Instruction &instruction_;
};

} // namespace

void select_call(Selector &selector, const ptx::Instruction &instruction) {
    CallSelector(selector, instruction).run();
}

machine::CallWords call_words(const Signature &signature) {
    machine::CallWords words;
    word_places(signature.parameters, words.arguments);
    word_places(signature.returns, words.results);
    return words;
}

void enter_function(Selector &selector, const Signature &signature) {
    check_passed(selector, signature);
    const CallWords all = call_words(signature);
    if (std::max(all.arguments, all.results) > kMostArgumentWords) {
        const assembler::Place place =
            signature.parameters.empty() ? signature.returns.front().place : signature.parameters.front().place;
        throw InputError(selector.file() + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) +
                         ": a function with more than " + std::to_string(4 * kMostArgumentWords) +
                         " bytes of parameters is not covered");
    }
    Names &names = selector.names();
    const Register back = selector.return_address();
    for (unsigned i = 0; i < 2; ++i) {
        selector.emit("MOV", {define(back, 1, i), use(selector.fixed(kReturnAddress + static_cast<int>(i)))});
    }
    unsigned total = 0;
    const std::vector<unsigned> places = word_places(signature.parameters, total);
    for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
        const Variable &variable = signature.parameters[i];
        std::vector<Operand> words;
        if (variable.space == Space::kParam) {
            names.place_words(variable);
        }
        words_of(selector, variable.name, variable, words);
        for (unsigned w = 0; w < words.size(); ++w) {
            words[w].defined = true;
            selector.emit("MOV", {words[w], use(selector.fixed(kFirstArgument + static_cast<int>(places[i] + w)))});
        }
    }
    for (const Variable &variable : signature.returns) {
        if (variable.space == Space::kParam) {
            for (const Register word : names.place_words(variable).registers) {
                selector.undefined(word);
            }
        }
    }
}

void return_words(Selector &selector, const Signature &signature) {
    Instruction back{
        .mnemonic = "RET.ABS", .operands = {use(selector.return_address(), 2), number(0)}, .line = selector.line()};
    unsigned total = 0;
    const std::vector<unsigned> places = word_places(signature.returns, total);
    for (std::size_t i = 0; i < signature.returns.size(); ++i) {
        std::vector<Operand> words;
        words_of(selector, signature.returns[i].name, signature.returns[i], words);
        for (unsigned w = 0; w < words.size(); ++w) {
            const Register to = selector.fixed(kFirstArgument + static_cast<int>(places[i] + w));
            selector.emit("MOV", {define(to), words[w]});
            back.uses.push_back(to);
        }
    }
    selector.emit("RET.ABS", {}) = std::move(back);
}

} // namespace smsim::ptx::select
