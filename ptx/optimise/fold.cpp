#include "ptx/optimise/fold.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <string_view>
#include <utility>

#include "ptx/machine/operands.h"
#include "ptx/optimise/facts.h"

namespace smsim::ptx::optimise {

using namespace machine;

namespace {

constexpr std::uint32_t kSign = 0x80000000;
constexpr std::uint32_t kAll = 0xffffffff;

bool is_copy_of(const Operand &operand) {
    return !operand.negated && !operand.absolute;
}

/// Positions of what the instruction reads beside predicates, in text order.
std::vector<std::size_t> sources_of(const Instruction &instruction) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
        const Operand &operand = instruction.operands[i];
        if (!operand.defined && operand.kind != OperandKind::kPredicate) {
            found.push_back(i);
        }
    }
    return found;
}

void become_move(Instruction &instruction, Operand from) {
    from.negated = false;
    from.absolute = false;
    const auto to = std::ranges::find_if(instruction.operands,
                                         [](const Operand &operand) { return operand.kind == OperandKind::kRegister; });
    instruction.operands = {*to, std::move(from)};
    instruction.mnemonic = "MOV";
}

/// The predicate result is `value`; PSETP copies it.
void become_predicate(Instruction &instruction, const Operand &value) {
    const Operand to = instruction.operands[0];
    instruction.operands = {to, always(), always(), value, always()};
    instruction.mnemonic = "PSETP.AND.AND";
}

/// The table of LOP3 with inputs a, b, c exchanged: input i of the new order is input order[i] of the old one.
unsigned permuted_table(unsigned table, const std::array<unsigned, 3> &order) {
    unsigned result = 0;
    for (unsigned index = 0; index < 8; ++index) {
        unsigned old = 0;
        for (unsigned i = 0; i < 3; ++i) {
            old |= (index >> (2 - i) & 1U) << (2 - order[i]);
        }
        result |= (table >> old & 1U) << index;
    }
    return result;
}

/// The table when input `input` (0: a) is a word of zeros or of ones.
unsigned fixed_table(unsigned table, unsigned input, bool ones) {
    const unsigned bit = 4U >> input;
    unsigned result = 0;
    for (unsigned index = 0; index < 8; ++index) {
        const unsigned from = ones ? index | bit : index & ~bit;
        result |= (table >> from & 1U) << index;
    }
    return result;
}

std::uint32_t logic(std::uint32_t a, std::uint32_t b, std::uint32_t c, unsigned table) {
    std::uint32_t result = 0;
    for (unsigned index = 0; index < 8; ++index) {
        if ((table >> index & 1U) != 0) {
            result |= ((index & 4U) != 0 ? a : ~a) & ((index & 2U) != 0 ? b : ~b) & ((index & 1U) != 0 ? c : ~c);
        }
    }
    return result;
}

bool simplify_logic(Instruction &instruction) {
    auto &operands = instruction.operands;
    if (operands.size() != 5) {
        return false;
    }
    auto table = static_cast<unsigned>(operands[4].value);
    bool changed = false;
    for (unsigned input = 0; input < 3; ++input) {
        const auto value = number_of(operands[1 + input]);
        if (value && (*value == 0 || *value == kAll)) {
            const unsigned fixed = fixed_table(table, input, *value != 0);
            const bool was = operands[1 + input].kind == OperandKind::kZero;
            if (fixed != table || !was) {
                table = fixed;
                operands[1 + input] = zero();
                changed = true;
            }
        }
    }
    for (unsigned i = 0; i < 3; ++i) { // the same value twice is one input
        for (unsigned j = i + 1; j < 3; ++j) {
            if (operands[1 + i] == operands[1 + j] && operands[1 + i].kind == OperandKind::kRegister) {
                unsigned merged = 0;
                for (unsigned index = 0; index < 8; ++index) {
                    const unsigned set = index >> (2 - i) & 1U;
                    const unsigned from = (index & ~(4U >> j)) | set << (2 - j);
                    merged |= (table >> from & 1U) << index;
                }
                table = merged;
                operands[1 + j] = zero();
                table = fixed_table(table, j, false);
                changed = true;
            }
        }
    }
    operands[4] = number(table);
    const auto a = number_of(operands[1]);
    const auto b = number_of(operands[2]);
    const auto c = number_of(operands[3]);
    if (a && b && c) {
        become_move(instruction, number(logic(*a, *b, *c, table)));
        return true;
    }
    if (table == 0 || table == 0xff) {
        become_move(instruction, number(table == 0 ? 0 : kAll));
        return true;
    }
    constexpr std::array<unsigned, 3> kOnly = {0xf0, 0xcc, 0xaa};
    for (unsigned input = 0; input < 3; ++input) {
        if (table == kOnly[input]) {
            become_move(instruction, operands[1 + input]);
            return true;
        }
    }
    return changed;
}

bool simplify_sum(Instruction &instruction) {
    const std::vector<std::size_t> at = sources_of(instruction);
    // No carry out and none in: result and sources only.
    if (has_modifier(instruction.mnemonic, ".X") || instruction.operands.size() != 4 || at.size() != 3) {
        return false;
    }
    std::uint32_t sum = 0;
    unsigned numbers = 0;
    std::vector<Operand> rest;
    for (const std::size_t i : at) {
        const Operand &operand = instruction.operands[i];
        if (const auto value = number_of(operand)) {
            sum += operand.negated ? 0 - *value : *value;
            numbers += operand.kind == OperandKind::kInteger ? 1 : 0;
        } else {
            rest.push_back(operand);
        }
    }
    if (rest.empty()) {
        become_move(instruction, number(sum));
        return true;
    }
    if (rest.size() == 1 && sum == 0 && is_copy_of(rest[0])) {
        become_move(instruction, rest[0]);
        return true;
    }
    if (numbers > 1) {
        rest.push_back(sum == 0 ? zero() : number(sum));
        rest.resize(3, zero());
        std::ranges::copy(rest, instruction.operands.begin() + 1);
        return true;
    }
    return false;
}

bool simplify_product(Instruction &instruction) {
    auto &operands = instruction.operands;
    if (instruction.mnemonic != "IMAD" || operands.size() != 4) {
        return false;
    }
    const auto a = number_of(operands[1]);
    const auto b = number_of(operands[2]);
    const auto c = number_of(operands[3]);
    if (a && b && c) {
        become_move(instruction, number(*a * *b + *c));
        return true;
    }
    if ((a && *a == 0) || (b && *b == 0)) {
        become_move(instruction, operands[3]);
        return true;
    }
    if (b && *b == 1) {
        instruction.mnemonic = "IADD3";
        instruction.operands = {operands[0], operands[1], operands[3], zero()};
        return true;
    }
    if (b && c && *c == 0 && std::has_single_bit(*b)) {
        instruction.mnemonic = "SHL";
        instruction.operands = {operands[0], operands[1], number(std::countr_zero(*b))};
        return true;
    }
    return false;
}

bool simplify_shift(Instruction &instruction) {
    auto &operands = instruction.operands;
    const auto amount = operands.size() == 3 ? number_of(operands[2]) : std::nullopt;
    const auto value = operands.size() == 3 ? number_of(operands[1]) : std::nullopt;
    if (!amount) {
        return false;
    }
    if (*amount == 0) {
        become_move(instruction, operands[1]);
        return true;
    }
    if (!value) {
        return false;
    }
    const std::uint32_t bits = *value;
    std::uint32_t result = 0;
    if (instruction.mnemonic == "SHR.S32") {
        result = static_cast<std::uint32_t>(static_cast<std::int32_t>(bits) >> std::min(*amount, 31U));
    } else if (*amount < 32) {
        result = instruction.mnemonic == "SHL" ? bits << *amount : bits >> *amount;
    }
    become_move(instruction, number(result));
    return true;
}

bool simplify_choice(Instruction &instruction) {
    const auto &operands = instruction.operands;
    const Operand &predicate = operands[3];
    if (is_decided(predicate)) {
        become_move(instruction, operands[predicate.negated ? 2 : 1]);
        return true;
    }
    const auto a = number_of(operands[1]);
    const auto b = number_of(operands[2]);
    if (operands[1] == operands[2] || (a && b && *a == *b)) {
        become_move(instruction, operands[1]);
        return true;
    }
    return false;
}

std::optional<bool> compare(std::string_view name, bool is_unsigned, std::uint32_t a, std::uint32_t b) {
    const std::int64_t x = is_unsigned ? std::int64_t{a} : std::int64_t{static_cast<std::int32_t>(a)};
    const std::int64_t y = is_unsigned ? std::int64_t{b} : std::int64_t{static_cast<std::int32_t>(b)};
    if (name == "LT") {
        return x < y;
    }
    if (name == "EQ") {
        return x == y;
    }
    if (name == "LE") {
        return x <= y;
    }
    if (name == "GT") {
        return x > y;
    }
    if (name == "NE") {
        return x != y;
    }
    if (name == "GE") {
        return x >= y;
    }
    return std::nullopt;
}

/// ISETP of two numbers, with one result: the comparison is known; what it is combined with may not be.
bool simplify_comparison(Instruction &instruction) {
    const auto &operands = instruction.operands;
    if (operands.size() != 5 || operands[1].has_register()) {
        return false;
    }
    const auto a = number_of(operands[2]);
    const auto b = number_of(operands[3]);
    const std::string_view name = std::string_view(instruction.mnemonic).substr(6, 2);
    const bool is_unsigned = has_modifier(instruction.mnemonic, ".U32");
    std::optional<bool> known;
    if (a && b) {
        known = compare(name, is_unsigned, *a, *b);
    } else if (operands[2] == operands[3] && operands[2].kind == OperandKind::kRegister) {
        known = compare(name, is_unsigned, 0, 0);
    } else if (is_unsigned && b && *b == 0 && (name == "LT" || name == "GE")) {
        known = name == "GE";
    }
    if (!known) {
        return false;
    }
    const Operand with = operands[4];
    if (has_modifier(instruction.mnemonic, ".AND")) {
        become_predicate(instruction, *known ? with : never());
    } else if (has_modifier(instruction.mnemonic, ".OR")) {
        become_predicate(instruction, *known ? always() : with);
    } else {
        become_predicate(instruction, *known ? negated(with) : with);
    }
    return true;
}

/// PSETP.AND.AND with all inputs but one true.
bool simplify_predicates(Instruction &instruction) {
    const auto &operands = instruction.operands;
    if (instruction.mnemonic != "PSETP.AND.AND" || operands.size() != 5 || operands[1].has_register()) {
        return false;
    }
    Operand left = always();
    unsigned open = 0;
    for (std::size_t i = 2; i < 5; ++i) {
        if (is_decided(operands[i])) {
            if (operands[i].negated) {
                left = never();
                open = 0;
                break;
            }
        } else if (!(operands[i] == left)) {
            left = operands[i];
            ++open;
        }
    }
    if (open > 1) {
        return false;
    }
    const Instruction before = instruction;
    become_predicate(instruction, left);
    return !(before.operands == instruction.operands);
}

/// The comparison that holds for (b, a) when `name` holds for (a, b).
std::string_view turned(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kTurned = {{{"LT", "GT"},
                                                                                       {"GT", "LT"},
                                                                                       {"LE", "GE"},
                                                                                       {"GE", "LE"},
                                                                                       {"LTU", "GTU"},
                                                                                       {"GTU", "LTU"},
                                                                                       {"LEU", "GEU"},
                                                                                       {"GEU", "LEU"}}};
    const auto *found = std::ranges::find(kTurned, name, &std::pair<std::string_view, std::string_view>::first);
    return found == kTurned.end() ? name : found->second;
}

/// Exchanges the two sources of a comparison, which is its first modifier.
void turn_comparison(Instruction &instruction) {
    const std::size_t begin = instruction.mnemonic.find('.') + 1;
    const std::size_t end = std::min(instruction.mnemonic.find('.', begin), instruction.mnemonic.size());
    const std::string name(turned(std::string_view(instruction.mnemonic).substr(begin, end - begin)));
    instruction.mnemonic.replace(begin, end - begin, name);
    std::swap(instruction.operands[2], instruction.operands[3]);
}

bool try_order(Instruction &instruction, const std::vector<std::size_t> &at, const std::vector<std::size_t> &order) {
    const std::vector<Operand> before = instruction.operands;
    for (std::size_t i = 0; i < at.size(); ++i) {
        instruction.operands[at[i]] = before[at[order[i]]];
    }
    if (has_form(instruction)) {
        return true;
    }
    instruction.operands = before;
    return false;
}

} // namespace

std::optional<std::uint32_t> number_of(const Operand &operand) {
    if (operand.kind == OperandKind::kInteger && operand.words == 1) {
        return static_cast<std::uint32_t>(operand.value);
    }
    return operand.kind == OperandKind::kZero ? std::optional<std::uint32_t>(0) : std::nullopt;
}

bool is_decided(const Operand &predicate) {
    return predicate.kind == OperandKind::kPredicate && !predicate.has_register();
}

std::optional<std::uint32_t> with_signs(const Instruction &instruction, const Operand &operand, std::uint32_t value) {
    if (!operand.negated && !operand.absolute) {
        return value;
    }
    switch (numbers_of(instruction.mnemonic)) {
    case Numbers::kInteger: {
        const bool carries =
            has_modifier(instruction.mnemonic, ".X") ||
            (instruction.operands.size() > 1 && instruction.operands[1].kind == OperandKind::kPredicate);
        return carries ? std::nullopt : std::optional<std::uint32_t>(0 - value);
    }
    case Numbers::kSingle:
        value = operand.absolute ? value & ~kSign : value;
        return operand.negated ? value ^ kSign : value;
    case Numbers::kHalves:
        value = operand.absolute ? value & 0x7fff7fffU : value;
        return operand.negated ? value ^ 0x80008000U : value;
    default:
        return std::nullopt;
    }
}

bool arrange(Instruction &instruction) {
    if (has_form(instruction)) {
        return true;
    }
    const std::vector<std::size_t> at = sources_of(instruction);
    const std::string_view name = instruction.mnemonic;
    if (is_operation(name, "IADD3") && at.size() == 3) {
        return try_order(instruction, at, {1, 0, 2}) || try_order(instruction, at, {0, 2, 1}) ||
               try_order(instruction, at, {2, 1, 0}) || try_order(instruction, at, {1, 2, 0});
    }
    if (is_operation(name, "LOP3") && at.size() == 4) {
        const auto table = static_cast<unsigned>(instruction.operands[4].value);
        constexpr std::array<std::array<unsigned, 3>, 3> kOrders = {{{1, 0, 2}, {2, 1, 0}, {0, 2, 1}}};
        for (const auto &order : kOrders) {
            if (try_order(instruction, {1, 2, 3}, {order[0], order[1], order[2]})) {
                instruction.operands[4] = number(permuted_table(table, order));
                return true;
            }
        }
        return false;
    }
    const bool product = is_operation(name, "IMAD") || is_operation(name, "FFMA") || is_operation(name, "DFMA");
    const bool two = is_operation(name, "FADD") || is_operation(name, "FMUL") || is_operation(name, "DADD") ||
                     is_operation(name, "DMUL") || is_operation(name, "IMNMX") || is_operation(name, "FMNMX");
    if (product && at.size() == 3) {
        return try_order(instruction, at, {1, 0, 2});
    }
    if (two && at.size() == 2) {
        return try_order(instruction, at, {1, 0});
    }
    const bool comparison = is_operation(name, "ISETP") || is_operation(name, "FSETP") || is_operation(name, "DSETP");
    const bool choice = is_operation(name, "SEL");
    if ((comparison || choice) && at.size() == 2) {
        const Instruction before = instruction;
        if (comparison) {
            turn_comparison(instruction);
        } else {
            std::swap(instruction.operands[1], instruction.operands[2]);
            instruction.operands[3] = negated(instruction.operands[3]);
        }
        if (has_form(instruction)) {
            return true;
        }
        instruction = before;
    }
    return false;
}

bool simplify(Instruction &instruction) {
    const std::string_view name = instruction.mnemonic;
    if (is_operation(name, "LOP3")) {
        return simplify_logic(instruction) && (arrange(instruction), true);
    }
    if (is_operation(name, "IADD3")) {
        return simplify_sum(instruction) && (arrange(instruction), true);
    }
    if (is_operation(name, "IMAD")) {
        return simplify_product(instruction) && (arrange(instruction), true);
    }
    if (name == "SHL" || name == "SHR" || name == "SHR.S32") {
        return simplify_shift(instruction);
    }
    if (name == "SEL" && instruction.operands.size() == 4) {
        return simplify_choice(instruction);
    }
    if (is_operation(name, "ISETP")) {
        return simplify_comparison(instruction);
    }
    return is_operation(name, "PSETP") && simplify_predicates(instruction);
}

} // namespace smsim::ptx::optimise
