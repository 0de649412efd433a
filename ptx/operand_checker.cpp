#include "ptx/operand_checker.h"

#include <algorithm>
#include <array>
#include <functional>

#include "model/text/nearest.h"
#include "ptx/printer.h"
#include "ptx/special_registers.h"

namespace smsim::ptx {

namespace {

std::string dotted(Type type) {
    return "." + std::string(type.name);
}
Type predicate() {
    return *find_type("pred");
}

} // namespace

bool is_video_selector(std::string_view opcode, char code, std::string_view selector) {
    if (code == 'q' || code == 'z') {
        constexpr std::array<std::string_view, 6> kParts = {"b0", "b1", "b2", "b3", "h0", "h1"};
        return std::ranges::find(kParts, selector) != kParts.end();
    }
    const std::size_t lanes = opcode.ends_with('2') ? 2 : 4;
    if (!selector.starts_with(lanes == 2 ? 'h' : 'b')) {
        return false;
    }
    selector.remove_prefix(1);
    const char limit = static_cast<char>('0' + (code == 'Q' ? 2 * lanes : lanes));
    const bool known = std::ranges::all_of(selector, [limit](char one) { return one >= '0' && one < limit; });
    if (code == 'Q') {
        return known && selector.size() == lanes;
    }
    // A mask names its lanes from the highest to the lowest.
    return known && !selector.empty() && std::ranges::adjacent_find(selector, std::less_equal<>()) == selector.end();
}

void OperandChecker::error(const Operand &operand, const std::string &message) const {
    context_.diagnostics.add(operand.place, "'" + full_name(instruction_) + "': " + message);
}

Type OperandChecker::type(std::size_t index) const {
    return index < types_.size() ? types_[index] : types_.empty() ? bits_type(32) : types_.back();
}

Type OperandChecker::doubled() const {
    const std::string name(1, type(0).name.front());
    return find_type(name + std::to_string(type(0).bits * 2)).value_or(bits_type(64));
}

void OperandChecker::check(std::string_view word, const Operand &operand) {
    if (word.size() == 3 && operand.kind == OperandKind::kPair) { // "d/P"
        check_single(word[0], operand.elements[0]);
        check_single(word[2], operand.elements[1]);
        return;
    }
    check_single(word[0], operand);
}

void OperandChecker::check_single(char code, const Operand &operand) {
    switch (code) {
    case 'd':
        return write(operand, type(0));
    case 'D':
        return write(operand, type(0), true);
    case 'w':
        return write(operand, doubled());
    case 'e':
        return write(operand, bits_type(32));
    case 'P':
        return write(operand, predicate());
    case 'a':
        return read(operand, type(0));
    case 'b':
        return read(operand, type(1));
    case 'B':
        return read(operand, type(1), true);
    case 'c':
        return read(operand, doubled());
    case 'u':
        return read(operand, bits_type(32));
    case 'k':
        return read(operand, bits_type(32), true);
    case 'p':
        return read(operand, predicate());
    case 'v':
    case 'V':
        return vector(operand, code == 'v');
    case 'x':
    case 'y':
        return packed(operand, code == 'x');
    case 's':
        return symbol_or_value(operand);
    case 'q':
    case 'z':
    case 'Q':
    case 'Z':
        return video(code, operand);
    case 'm':
        return address(operand);
    case 'l':
    case 't':
        return label(operand, code == 't');
    default: // 'i'
        if (operand.kind != OperandKind::kInteger) {
            error(operand, "'" + print_operand(operand) + "' is not an integer constant; expected one");
        }
    }
}

std::optional<Type> OperandChecker::component_type(const Operand &operand, Type type, unsigned count) {
    if (operand.component.empty() && count == 1) {
        return type;
    }
    constexpr std::string_view kNames = "xyzwrgba";
    const std::size_t index = operand.component.size() == 1 ? kNames.find(operand.component) : std::string_view::npos;
    if (count == 1) {
        error(operand, "'" + operand.name + "' is not a vector; expected it without '." + operand.component + "'");
    } else if (index == std::string_view::npos || index % 4 >= count) {
        error(operand, "'" + print_operand(operand) + "' is not a component of a vector of " + std::to_string(count) +
                           "; expected '" + operand.name + ".x' and so on");
    } else {
        return type;
    }
    return std::nullopt;
}

std::optional<Type> OperandChecker::register_type(const Operand &operand, bool written) {
    const Symbol symbol = context_.scopes.find(operand.name);
    if (symbol.variable != nullptr && symbol.variable->space == Space::kReg) {
        return component_type(operand, symbol.variable->type, symbol.variable->vector);
    }
    const std::optional<SpecialRegister> special = find_special_register(operand.name);
    if (symbol.known()) {
        const std::string what =
            symbol.variable != nullptr ? "variable in ." + std::string(space_name(symbol.variable->space)) : "function";
        error(operand, "'" + operand.name + "' is a " + what + "; expected a register");
    } else if (!special) {
        error(operand, "'" + operand.name + "' is not declared; expected a register");
    } else if (special->row > 3) {
        context_.refuse(operand.place, "'" + full_name(instruction_) + "': '" + operand.name + "' is in row " +
                                           std::to_string(special->row) +
                                           " of docs/ptx.md: not covered; expected "
                                           "a special register of row 1");
    } else if (written) {
        error(operand, "'" + operand.name + "' cannot be written; expected a register");
    } else {
        return component_type(operand, *find_type(special->type), special->vector ? 4 : 1);
    }
    return std::nullopt;
}

void OperandChecker::constant(const Operand &operand, Type asked) {
    if (asked.name == "f16" || asked.name.starts_with("bf16") || asked.name == "f16x2") {
        return error(operand, "'" + print_operand(operand) + "' where " + dotted(asked) +
                                  " is required; expected a register: 16-bit floats have no constants");
    }
    const bool floats = asked.kind == TypeClass::kFloat;
    const bool bits = asked.kind == TypeClass::kBits;
    const bool good = operand.kind == OperandKind::kInteger  ? !floats
                      : operand.kind == OperandKind::kSingle ? floats || (asked.bits == 32 && bits)
                                                             : floats || (asked.bits == 64 && bits);
    if (!good) {
        error(operand, "'" + print_operand(operand) + "' where " + dotted(asked) + " is required; expected " +
                           (floats ? "a float such as 0f3F800000 or 1.0" : "an integer"));
    }
}

void OperandChecker::read(const Operand &operand, Type asked, bool wider) {
    if (operand.kind == OperandKind::kInteger || operand.kind == OperandKind::kSingle ||
        operand.kind == OperandKind::kDouble) {
        return constant(operand, asked);
    }
    if (operand.kind != OperandKind::kName || operand.value != 0) {
        return error(operand, "'" + print_operand(operand) + "' is not a value; expected a register or constant");
    }
    if (operand.negated && asked.kind != TypeClass::kPredicate) {
        return error(operand, "'" + print_operand(operand) + "' is negated; expected '!' before predicates only");
    }
    const std::optional<Type> type = register_type(operand, false);
    if (!type) {
        return;
    }
    // Special registers used to be smaller: a mov may still read the lower half.
    const bool special = !context_.scopes.find(operand.name).known();
    if (special && instruction_.opcode != "mov" && instruction_.opcode != "cvt") {
        return error(operand, "'" + print_operand(operand) + "' is a special register; expected it in mov or cvt");
    }
    const bool narrowed = special && asked.bits * 2 == type->bits;
    if (!narrowed && !(wider ? fits_or_wider(asked, *type) : fits(asked, *type))) {
        error(operand, "'" + print_operand(operand) + "' is " + dotted(*type) + "; expected " + dotted(asked) +
                           (wider ? " or a wider one" : ""));
    }
}

void OperandChecker::write(const Operand &operand, Type asked, bool wider) {
    if (operand.kind == OperandKind::kSink) {
        return;
    }
    if (operand.kind != OperandKind::kName || operand.negated || operand.value != 0) {
        return error(operand, "'" + print_operand(operand) + "' cannot be written; expected a register");
    }
    const std::optional<Type> type = register_type(operand, true);
    if (type && !(wider ? fits_or_wider(asked, *type) : fits(asked, *type))) {
        error(operand, "'" + print_operand(operand) + "' is " + dotted(*type) + "; expected " + dotted(asked) +
                           (wider ? " or a wider one" : ""));
    }
}

void OperandChecker::vector(const Operand &operand, bool written) {
    const auto has = [this](std::string_view name) {
        return std::ranges::find(instruction_.modifiers, name) != instruction_.modifiers.end();
    };
    const std::size_t count = has("v2") ? 2 : has("v4") ? 4 : 1;
    const auto element = [&](const Operand &one) { written ? write(one, type(0), true) : read(one, type(0), true); };
    if (operand.kind == OperandKind::kVector) {
        if (operand.elements.size() != count) {
            return error(operand, std::to_string(operand.elements.size()) + " elements in braces; expected " +
                                      std::to_string(count));
        }
        std::ranges::for_each(operand.elements, element);
        return;
    }
    const Symbol symbol = context_.scopes.find(operand.name);
    const bool whole = symbol.variable != nullptr && is_plain_name(operand) && symbol.variable->vector == count;
    if (count > 1 && !whole) {
        return error(operand, "'" + print_operand(operand) + "' is not a vector of " + std::to_string(count) +
                                  "; expected {...} or a vector register");
    }
    if (count == 1) {
        element(operand);
    } else if (!fits_or_wider(type(0), symbol.variable->type) || symbol.variable->space != Space::kReg) {
        error(operand, "'" + operand.name + "' is " + dotted(symbol.variable->type) + "; expected registers of " +
                           dotted(type(0)));
    }
}

void OperandChecker::packed(const Operand &operand, bool written) {
    if (operand.kind != OperandKind::kVector) {
        return written ? write(operand, type(0)) : symbol_or_value(operand);
    }
    const std::size_t count = operand.elements.size();
    const bool good = type(0).kind == TypeClass::kBits && (count == 2 || count == 4) && type(0).bits / count >= 8;
    if (!good) {
        return error(operand, "'" + print_operand(operand) + "' cannot be " + dotted(type(0)) +
                                  "; expected 2 or 4 registers that fill a .b16, .b32 or .b64");
    }
    for (const Operand &element : operand.elements) {
        const Type asked = bits_type(type(0).bits / static_cast<unsigned>(count));
        written ? write(element, asked) : read(element, asked);
    }
}

void OperandChecker::video(char code, const Operand &operand) {
    const bool lanes = code == 'Q' || code == 'Z';
    if (!operand.component.empty() && !is_video_selector(instruction_.opcode, code, operand.component)) {
        return error(operand, "'" + print_operand(operand) + "' selects no part; expected " +
                                  (!lanes                               ? "'.b0' to '.b3', '.h0' or '.h1'"
                                   : instruction_.opcode.ends_with('2') ? "halves such as '.h10'"
                                                                        : "bytes such as '.b3210'"));
    }
    Operand whole = operand;
    whole.component.clear();
    if (code == 'Q' && operand.kind != OperandKind::kName) {
        return error(operand, "'" + print_operand(operand) + "' is not a register; expected one");
    }
    code == 'z' || code == 'Z' ? write(whole, bits_type(32)) : read(whole, bits_type(32));
}

void OperandChecker::symbol_or_value(const Operand &operand) {
    const bool named = operand.kind == OperandKind::kName || operand.kind == OperandKind::kElement;
    const Symbol symbol = named ? context_.scopes.find(operand.name) : Symbol{};
    const bool address =
        symbol.function != nullptr || (symbol.variable != nullptr && symbol.variable->space != Space::kReg);
    if (!address) {
        return read(operand, type(0));
    }
    if (operand.negated || !operand.component.empty()) {
        error(operand, "'" + print_operand(operand) + "' is not an address; expected the name alone");
    }
    const bool integer = type(0).kind != TypeClass::kFloat && type(0).kind != TypeClass::kPredicate;
    if (!integer || type(0).bits < 32) {
        error(operand, "the address of '" + operand.name + "' is not a " + dotted(type(0)) +
                           "; expected an integer type of 32 or 64 bits");
    }
}

void OperandChecker::address(const Operand &operand) {
    if (operand.kind != OperandKind::kAddress && operand.kind != OperandKind::kElement) {
        return error(operand, "'" + print_operand(operand) + "' is not an address; expected [...]");
    }
    if (operand.kind == OperandKind::kAddress && !operand.elements.empty()) {
        return error(operand, "coordinates in an address; expected [base+offset]");
    }
    if (operand.name.empty()) {
        return;
    }
    const Symbol symbol = context_.scopes.find(operand.name);
    if (symbol.variable != nullptr && symbol.variable->space != Space::kReg) {
        return address_of_variable(operand, symbol);
    }
    const std::optional<Type> type = register_type(operand, false);
    const bool integer =
        type && symbol.known() && type->kind != TypeClass::kFloat && type->kind != TypeClass::kPredicate;
    if (type && (!integer || (type->bits != 32 && type->bits != 64))) {
        error(operand, "'" + operand.name + "' is " + dotted(*type) + "; expected an address of 32 or 64 bits");
    }
}

void OperandChecker::address_of_variable(const Operand &operand, const Symbol &symbol) {
    constexpr std::array<std::string_view, 5> kSpaces = {"const", "global", "local", "param", "shared"};
    std::string_view asked;
    for (const std::string &modifier : instruction_.modifiers) {
        const std::string_view head = std::string_view(modifier).substr(0, modifier.find("::"));
        if (std::ranges::find(kSpaces, head) != kSpaces.end()) {
            asked = head;
        }
    }
    const Space space = symbol.variable->space;
    const std::string found(space_name(space));
    const bool generic = space == Space::kGlobal || space == Space::kShared || space == Space::kLocal;
    if (asked.empty() ? !generic : found != asked) {
        error(operand, "'" + operand.name + "' is in ." + found + "; expected a variable in ." +
                           (asked.empty() ? "global, .shared or .local" : std::string(asked)));
    } else if (symbol.entry_parameter && instruction_.opcode != "ld") {
        error(operand, "'" + operand.name + "' is a parameter of a kernel and cannot be written; expected a variable");
    }
}

void OperandChecker::label(const Operand &operand, bool targets) {
    if (!is_plain_name(operand)) {
        return error(operand, "'" + print_operand(operand) + "' is not a label; expected one");
    }
    const LabelSymbol *found = context_.scopes.find_label(operand.name);
    if (found == nullptr) {
        const std::string_view near = text::nearest(operand.name, context_.scopes.labels());
        return error(operand,
                     "there is no label '" + operand.name + "' in scope; expected " +
                         (near.empty() ? "a label of this function" : "one such as '" + std::string(near) + "'"));
    }
    const bool list = found->targets != nullptr && !found->targets->calls;
    const bool plain = found->targets == nullptr && found->prototype == nullptr;
    if (targets ? !list : !plain) {
        error(operand, "'" + operand.name + "' is not a " +
                           (targets ? "list of branch targets" : "place to branch to") + "; expected " +
                           (targets ? "a label with .branchtargets" : "a label of an instruction"));
    }
}

} // namespace smsim::ptx
