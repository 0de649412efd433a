#include "ptx/simplify.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "model/error.h"

namespace smsim::ptx {

namespace {

bool has(const Instruction &instruction, std::string_view modifier) {
    return std::ranges::find(instruction.modifiers, modifier) != instruction.modifiers.end();
}

void drop(Instruction &instruction, std::string_view modifier) {
    std::erase(instruction.modifiers, modifier);
}

template <std::size_t kCount> bool is_one_of(std::string_view word, const std::array<std::string_view, kCount> &words) {
    return std::ranges::find(words, word) != words.end();
}

/// A block that replaces one instruction.
class Written {
  public:
    explicit Written(const Instruction &instruction) : place_(instruction.place), guard_(instruction.guard) {
        block_.place = place_;
    }

    /// A register of the block.
    Operand reg(std::string_view type) {
        Variable variable;
        variable.place = place_;
        variable.space = Space::kReg;
        variable.type = *find_type(type);
        variable.name = fmt::format("%smsim_{}", registers_++);
        Operand operand = name(variable.name);
        block_.statements.push_back({std::move(variable)});
        return operand;
    }

    Operand name(std::string text) const {
        Operand operand;
        operand.kind = OperandKind::kName;
        operand.place = place_;
        operand.name = std::move(text);
        return operand;
    }

    Operand number(std::int64_t value) const {
        Operand operand;
        operand.kind = OperandKind::kInteger;
        operand.place = place_;
        operand.value = value;
        return operand;
    }

    Operand vector(std::vector<Operand> elements) const {
        Operand operand;
        operand.kind = OperandKind::kVector;
        operand.place = place_;
        operand.elements = std::move(elements);
        return operand;
    }

    /// Appends an instruction under the guard, such as "setp.nan.f32".
    void put(std::string_view name, std::vector<Operand> operands) {
        Instruction instruction;
        instruction.place = place_;
        instruction.guard = guard_;
        instruction.opcode = name.substr(0, name.find('.'));
        for (std::size_t at = name.find('.'); at != std::string_view::npos;) {
            const std::size_t next = name.find('.', at + 1);
            instruction.modifiers.emplace_back(
                name.substr(at + 1, next == std::string_view::npos ? next : next - at - 1));
            at = next;
        }
        instruction.operands = std::move(operands);
        put(std::move(instruction));
    }
    void put(Instruction instruction) { block_.statements.push_back({std::move(instruction)}); }

    Statement take() { return {std::move(block_)}; }

  private:
    Position place_;
    std::optional<Guard> guard_;
    Block block_;
    unsigned registers_ = 0;
};

constexpr std::array<std::string_view, 4> kWords = {"b32", "u32", "s32", "f32"};

/// The vector operand of a load or store; null when it does not have `count` elements.
Operand *vector_of(Instruction &instruction, std::size_t count) {
    const std::size_t index = instruction.opcode == "st" || instruction.opcode == "red" ? 1 : 0;
    if (instruction.operands.size() <= index || instruction.operands[index].kind != OperandKind::kVector ||
        instruction.operands[index].elements.size() != count) {
        return nullptr;
    }
    return &instruction.operands[index];
}

/// ld.v8.b32 and st.v8.b32: four pairs.
std::optional<Statement> eight_words(Instruction instruction) {
    const bool load = instruction.opcode == "ld";
    Operand *list = vector_of(instruction, 8);
    const auto type =
        std::ranges::find_if(instruction.modifiers, [](const std::string &word) { return is_one_of(word, kWords); });
    if (list == nullptr || type == instruction.modifiers.end() || (!load && instruction.opcode != "st")) {
        return std::nullopt;
    }
    *type = "b64";
    std::ranges::replace(instruction.modifiers, "v8", "v4");
    Written written(instruction);
    const std::vector<Operand> words = list->elements;
    std::vector<Operand> pairs;
    for (std::size_t i = 0; i < 4; ++i) {
        pairs.push_back(written.reg("b64"));
    }
    *list = written.vector(pairs);
    const auto take_apart = [&] {
        for (std::size_t i = 0; i < 4; ++i) {
            const Operand both = written.vector({words[2 * i], words[2 * i + 1]});
            written.put("mov.b64", load ? std::vector{both, pairs[i]} : std::vector{pairs[i], both});
        }
    };
    if (load) {
        written.put(instruction);
        take_apart();
    } else {
        take_apart();
        written.put(instruction);
    }
    return written.take();
}

/// Bytes of an element of a vector atomic sum; 0 when the type has none.
unsigned element_bytes(const Instruction &instruction) {
    constexpr std::array<std::string_view, 3> kFour = {"f32", "f16x2", "bf16x2"};
    for (const std::string &word : instruction.modifiers) {
        if (is_one_of(word, kFour)) {
            return 4;
        }
        if (word == "f16" || word == "bf16") {
            return 2;
        }
    }
    return 0;
}

/// atom.add and red.add on a vector: each element separately, as PTX defines it.
std::optional<Statement> vector_atomic(Instruction instruction, std::size_t count) {
    const bool returns = instruction.opcode == "atom";
    const unsigned bytes = element_bytes(instruction);
    const std::size_t place = returns ? 1 : 0;
    if (!has(instruction, "add") || bytes == 0 || instruction.operands.size() != place + 2 ||
        instruction.operands[place].kind != OperandKind::kAddress) {
        return std::nullopt;
    }
    for (const std::string_view vector : {"v2", "v4", "v8"}) {
        drop(instruction, vector);
    }
    const Operand values = instruction.operands[place + 1];
    const Operand results = returns ? instruction.operands[0] : Operand{};
    const auto is_vector = [&](const Operand &operand) {
        return operand.kind == OperandKind::kVector && operand.elements.size() == count;
    };
    if (!is_vector(values) || (returns && !is_vector(results) && results.kind != OperandKind::kSink)) {
        return std::nullopt;
    }
    Written written(instruction);
    const std::string_view type = bytes == 4 ? "b32" : "b16";
    std::vector<Operand> old; // results may be registers of the values
    for (std::size_t i = 0; i < count && is_vector(results); ++i) {
        old.push_back(written.reg(type));
    }
    for (std::size_t i = 0; i < count; ++i) {
        Instruction one = instruction;
        one.operands[place].value += static_cast<std::int64_t>(i * bytes);
        one.operands[place + 1] = values.elements[i];
        if (returns && is_vector(results)) {
            one.operands[0] = old[i];
        }
        written.put(std::move(one));
    }
    for (std::size_t i = 0; i < old.size(); ++i) {
        if (results.elements[i].kind != OperandKind::kSink) {
            written.put(fmt::format("mov.{}", type), {results.elements[i], old[i]});
        }
    }
    return written.take();
}

/// redux.sync.min.f32 and max: as integers in the same order. Zeros have a sign; NaNs are ignored, or with .NaN
/// determine the result; a resulting NaN is the canonical one.
std::optional<Statement> float_reduction(const Instruction &instruction) {
    const bool min = has(instruction, "min");
    if (min == has(instruction, "max") || !has(instruction, "sync") || instruction.operands.size() != 3) {
        return std::nullopt;
    }
    const auto known = [](const std::string &word) {
        constexpr std::array<std::string_view, 6> kKnown = {"sync", "min", "max", "abs", "NaN", "f32"};
        return is_one_of(std::string_view(word), kKnown);
    };
    if (!std::ranges::all_of(instruction.modifiers, known)) {
        return std::nullopt;
    }
    constexpr std::int64_t kMost = 0x7fffffff;
    constexpr std::int64_t kLeast = -kMost - 1;
    Written written(instruction);
    const Operand key = written.reg("b32");
    const Operand sign = written.reg("b32");
    const Operand value = written.reg("f32");
    const Operand nan = written.reg("pred");
    const auto turn = [&] { // floats below zero are in reverse order
        written.put("shr.s32", {sign, key, written.number(31)});
        written.put("and.b32", {sign, sign, written.number(kMost)});
        written.put("xor.b32", {key, key, sign});
    };
    written.put("mov.f32", {value, instruction.operands[1]});
    written.put("setp.nan.f32", {nan, value, value});
    written.put("mov.b32", {key, value});
    if (has(instruction, "abs")) {
        written.put("and.b32", {key, key, written.number(kMost)});
    }
    turn();
    written.put("selp.b32", {key, written.number(min == has(instruction, "NaN") ? kLeast : kMost), key, nan});
    written.put(min ? "redux.sync.min.s32" : "redux.sync.max.s32", {key, key, instruction.operands[2]});
    turn();
    written.put("mov.b32", {value, key});
    written.put("setp.nan.f32", {nan, value, value});
    written.put("selp.b32", {key, written.number(kMost), key, nan});
    written.put("mov.b32", {instruction.operands[0], key});
    return written.take();
}

/// The size of a vector that the modifiers name; 0: none.
std::size_t vector_size(const Instruction &instruction) {
    return has(instruction, "v2") ? 2 : has(instruction, "v4") ? 4 : has(instruction, "v8") ? 8 : 0;
}

std::optional<Statement> written_out(const Instruction &instruction) {
    const std::string &opcode = instruction.opcode;
    if (opcode == "createpolicy" && !instruction.operands.empty()) {
        Written written(instruction); // caches of the model ignore hints
        written.put("mov.b64", {instruction.operands[0], written.number(0)});
        return written.take();
    }
    if (opcode == "redux" && has(instruction, "f32")) {
        return float_reduction(instruction);
    }
    const bool access = opcode == "ld" || opcode == "st";
    const bool atomic = opcode == "atom" || opcode == "red";
    if ((access || atomic) && has(instruction, "L2::cache_hint") && instruction.operands.size() >= 3) {
        Instruction plain = instruction;
        drop(plain, "L2::cache_hint");
        Written written(instruction);
        written.put("mov.b64", {written.reg("b64"), plain.operands.back()}); // for the checker
        plain.operands.pop_back();
        const std::optional<Statement> further = written_out(plain);
        Statement statement = written.take();
        std::get<Block>(statement.what).statements.push_back(further ? *further : Statement{plain});
        return statement;
    }
    Instruction plain = instruction;
    if (access) {
        for (const std::string_view hint : {"L2::evict_normal", "L2::evict_first", "L2::evict_last"}) {
            drop(plain, hint);
        }
        if (has(plain, "mmio") && has(plain, "relaxed") && has(plain, "sys")) {
            drop(plain, "mmio");
        }
        if (has(plain, "v8")) {
            if (auto written = eight_words(plain)) {
                return written;
            }
        }
    }
    if (atomic && vector_size(plain) != 0) {
        return vector_atomic(plain, vector_size(plain));
    }
    return plain == instruction ? std::nullopt : std::optional(Statement{std::move(plain)});
}

void simplify(Block &block) {
    for (Statement &statement : block.statements) {
        if (auto *inner = std::get_if<Block>(&statement.what)) {
            simplify(*inner);
        } else if (const auto *instruction = std::get_if<Instruction>(&statement.what)) {
            if (auto written = written_out(*instruction)) {
                statement = std::move(*written);
            }
        }
    }
}

// --- aliases
// -------------------------------------------------------------------------------------------------------

void rename(Operand &operand, const std::string &from, const std::string &to) {
    operand.name = operand.name == from ? to : operand.name;
    for (Operand &element : operand.elements) {
        rename(element, from, to);
    }
}

void rename(Initialiser &initialiser, const std::string &from, const std::string &to) {
    initialiser.name = initialiser.name == from ? to : initialiser.name;
    for (Initialiser &element : initialiser.elements) {
        rename(element, from, to);
    }
}

void rename(Block &block, const std::string &from, const std::string &to) {
    for (Statement &statement : block.statements) {
        if (auto *instruction = std::get_if<Instruction>(&statement.what)) {
            for (Operand &operand : instruction->operands) {
                rename(operand, from, to);
            }
        } else if (auto *inner = std::get_if<Block>(&statement.what)) {
            rename(*inner, from, to);
        } else if (auto *targets = std::get_if<TargetList>(&statement.what); targets != nullptr && targets->calls) {
            for (Label &target : targets->targets) {
                target.name = target.name == from ? to : target.name;
            }
        }
    }
}

const Function *find_function(const Module &module, const std::string &name, bool defined) {
    for (const auto &item : module.items) {
        const auto *function = std::get_if<Function>(&item);
        if (function != nullptr && function->name == name && !function->entry &&
            function->body.has_value() == defined) {
            return function;
        }
    }
    return nullptr;
}

bool same_sizes(const std::vector<Variable> &a, const std::vector<Variable> &b) {
    return std::ranges::equal(a, b, [](const Variable &x, const Variable &y) {
        return x.space == y.space && size_in_bytes(x) == size_in_bytes(y);
    });
}

/// Makes `alias` another name of `target`.
void resolve(Module &module, const Directive &directive, const std::string &file) {
    const auto refuse = [&](const std::string &cause) {
        throw InputError(
            fmt::format("{}:{}:{}: '.alias' {}", file, directive.place.line, directive.place.column, cause));
    };
    if (directive.words.size() != 3 || directive.words[1] != ",") {
        refuse("without two names; expected '.alias name, function;'");
    }
    const std::string &alias = directive.words[0];
    const std::string &target = directive.words[2];
    const Function *declared = find_function(module, alias, false);
    const Function *defined = find_function(module, target, true);
    if (defined == nullptr) {
        refuse(fmt::format("of '{}', which is not a function with a body; expected a "
                           "'.func' of this module",
                           target));
    }
    if (declared == nullptr || find_function(module, alias, true) != nullptr) {
        refuse(fmt::format("'{}' is not declared as a function without body; "
                           "expected '.func {};' before it",
                           alias, alias));
    }
    if (!same_sizes(declared->signature.returns, defined->signature.returns) ||
        !same_sizes(declared->signature.parameters, defined->signature.parameters)) {
        refuse(fmt::format("'{}' is declared with other parameters than '{}' has; "
                           "expected the same",
                           alias, target));
    }
    Function forward = *defined;
    forward.body.reset();
    for (auto &item : module.items) {
        if (auto *function = std::get_if<Function>(&item)) {
            if (function->name == alias) {
                const Position place = function->place;
                *function = forward; // its callers may precede the body
                function->place = place;
            } else if (function->body) {
                rename(*function->body, alias, target);
            }
        } else if (auto *variable = std::get_if<Variable>(&item); variable != nullptr && variable->initialiser) {
            rename(*variable->initialiser, alias, target);
        }
    }
}

} // namespace

void resolve_aliases(Module &module, const std::string &file) {
    std::vector<Directive> aliases;
    for (const auto &item : module.items) {
        const auto *directive = std::get_if<Directive>(&item);
        if (directive != nullptr && directive->name == "alias") {
            aliases.push_back(*directive);
        }
    }
    for (const Directive &alias : aliases) {
        resolve(module, alias, file);
    }
}

void simplify(Module &module) {
    for (auto &item : module.items) {
        if (auto *function = std::get_if<Function>(&item); function != nullptr && function->body) {
            simplify(*function->body);
        }
    }
}

} // namespace smsim::ptx
