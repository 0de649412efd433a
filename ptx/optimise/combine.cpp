#include "ptx/optimise/combine.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ptx/machine/operands.h"
#include "ptx/optimise/definitions.h"
#include "ptx/optimise/facts.h"
#include "ptx/optimise/fold.h"

namespace smsim::ptx::optimise {

using namespace machine;

namespace {

constexpr std::uint32_t kSign = 0x80000000;

class Combination {
  public:
    explicit Combination(Function &function)
        : function_(function), units_(function), graph_(analyse(function)), tree_(graph_),
          definitions_(function, graph_, tree_, units_), readers_(units_.count) {
        for (std::uint32_t unit = 0; unit < units_.count; ++unit) {
            readers_[unit] = definitions_.readers(unit);
        }
    }

    unsigned run() {
        for (const BlockIndex block : tree_.order()) {
            auto &code = function_.blocks[block].code;
            for (std::uint32_t i = 0; i < code.size(); ++i) {
                here_ = {block, i};
                instruction(code[i]);
            }
        }
        insert(function_, std::move(insertions_));
        for (Block &block : function_.blocks) {
            std::erase_if(block.code,
                          [](const Instruction &code) { return code.operands.empty() && code.mnemonic == kUndefined; });
        }
        return changed_;
    }

  private:
    /// The unit of a word; for a register created by this pass, one past the end.
    std::uint32_t unit_of(const Operand &word) const {
        return word.reg < units_.first.size()
                   ? units_.first[word.reg] + (word.kind == OperandKind::kRegister ? word.first : 0)
                   : units_.count;
    }

    /// The only instruction that defines the word or predicate, unguarded; null: there is none, or it has been
    /// changed.
    Instruction *source_of(const Operand &word) {
        if (!word.has_register() || unit_of(word) == units_.count || !definitions_.is_single(unit_of(word))) {
            return nullptr;
        }
        const Place &place = definitions_.place(unit_of(word));
        Instruction &found = function_.blocks[place.block].code[place.index];
        return found.guarded() || found.mnemonic == kUndefined ? nullptr : &found;
    }
    bool read_once(const Operand &word) const { return unit_of(word) < units_.count && readers_[unit_of(word)] == 1; }

    void release(const Operand &word) {
        if (unit_of(word) < units_.count) {
            --readers_[unit_of(word)];
        }
    }

    /// True when everything that the instruction that defines `result` reads has the same values here as at that
    /// instruction.
    bool steady(const Instruction &instruction, const Operand &result) const {
        const Place &from = definitions_.place(unit_of(result));
        bool all = true;
        for_each_register(instruction, [&](const Operand &operand) {
            const unsigned words =
                operand.kind == OperandKind::kRegister || operand.kind == OperandKind::kAddress ? operand.words : 1;
            for (unsigned i = 0; i < words && !operand.defined; ++i) {
                all = all && is_steady(unit_of(operand) + i, from);
            }
        });
        return all;
    }
    /// True when `unit` has the same value here as at `from`: it has one definition, or is not written in between.
    bool is_steady(std::uint32_t unit, const Place &from) const {
        constexpr std::uint32_t kFarthestLook = 200;
        if (unit >= units_.count || definitions_.is_single(unit)) {
            return unit < units_.count;
        }
        if (from.block != here_.block || here_.index - from.index > kFarthestLook ||
            function_.registers[units_.owner[unit]].fixed >= 0) {
            return false;
        }
        const auto &code = function_.blocks[here_.block].code;
        for (std::uint32_t i = from.index; i < here_.index; ++i) {
            bool written = false;
            for_each_register(code[i], [&](const Operand &operand) {
                const std::uint32_t first = unit_of(operand);
                written = written || (operand.defined && first <= unit &&
                                      unit < first + (operand.kind == OperandKind::kRegister ? operand.words : 1));
            });
            if (written) {
                return false;
            }
        }
        return true;
    }

    /// `changed` replaces `instruction`, whose operand `instead` is no longer read.
    void replace(Instruction &instruction, Instruction changed, const Operand &instead) {
        changed.line = instruction.line;
        changed.guard = instruction.guard;
        changed.kills = instruction.kills;
        release(instead);
        for_each_register(changed, [&](const Operand &operand) {
            if (!operand.defined && unit_of(operand) < units_.count) {
                ++readers_[unit_of(operand)]; // too many rather than too few: counts only decide what pays
            }
        });
        instruction = std::move(changed);
        ++changed_;
    }

    void instruction(Instruction &instruction) {
        for (Operand &operand : instruction.operands) {
            if (operand.kind == OperandKind::kAddress) {
                while (address(operand)) {
                }
            }
        }
        if (instruction.mnemonic == kUndefined || !is_pure(instruction)) {
            return;
        }
        for (unsigned rounds = 0; rounds < 4; ++rounds) {
            if (!one(instruction)) {
                return;
            }
        }
    }

    bool one(Instruction &instruction) {
        const std::string_view name = instruction.mnemonic;
        if (name == "IADD3") {
            return instruction.operands.size() == 4 ? sum(instruction) : wide_product(instruction);
        }
        if (name == "LOP3") {
            return logic(instruction);
        }
        if (name == "PSETP.AND.AND" || name == "PSETP.OR.AND" || name == "PSETP.XOR.AND") {
            return predicates(instruction);
        }
        if (is_operation(name, "ISETP")) {
            return truth_compared(instruction);
        }
        if (is_operation(name, "FADD") || is_operation(name, "FMUL") || is_operation(name, "FFMA")) {
            return float_signs(instruction);
        }
        return false;
    }

    // --- addresses -----------------------------------------------------------------------------------------------

    bool address(Operand &operand) {
        if (!operand.has_register()) {
            return false;
        }
        return operand.words == 1 ? near_address(operand) : far_address(operand);
    }

    bool near_address(Operand &operand) {
        const Operand base = use(operand.reg);
        const Instruction *from = source_of(base);
        if (from == nullptr || from->mnemonic != "IADD3" || from->operands.size() != 4) {
            return false;
        }
        const auto [term, number] = term_and_number(*from, 1);
        if (!term || term->words != 1 || term->first != 0 ||
            !is_steady(unit_of(*term), definitions_.place(unit_of(base))) ||
            function_.registers[term->reg].words != 1) {
            return false;
        }
        const std::int64_t offset = operand.value + static_cast<std::int32_t>(number);
        if (offset < -kFarthestOffset || offset > kFarthestOffset) {
            return false;
        }
        move_base(operand, term->reg, offset);
        return true;
    }

    bool far_address(Operand &operand) {
        const Operand base = use(operand.reg, 2);
        Instruction *lower = source_of(low(base));
        Instruction *upper = source_of(high(base));
        if (lower == nullptr || upper == nullptr || !is_sum_of_pairs(*lower, *upper)) {
            return false;
        }
        const auto [a, low_number] = term_and_number(*lower, 2);
        const auto [b, high_number] = term_and_number(*upper, first_source(*upper));
        if (!a || !b || a->reg != b->reg || a->first != 0 || b->first != 1 || function_.registers[a->reg].words != 2 ||
            !is_steady(unit_of(*a), definitions_.place(unit_of(low(base)))) ||
            !is_steady(unit_of(*b), definitions_.place(unit_of(low(base))))) {
            return false;
        }
        const auto sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(operand.value) +
                                                   (std::uint64_t{high_number} << 32 | low_number));
        if (sum < -kFarthestOffset || sum > kFarthestOffset) {
            return false;
        }
        move_base(operand, a->reg, sum);
        return true;
    }

    void move_base(Operand &operand, Register to, std::int64_t offset) {
        for (unsigned i = 0; i < operand.words; ++i) {
            --readers_[units_.first[operand.reg] + i];
            ++readers_[units_.first[to] + i];
        }
        operand.reg = to;
        operand.value = offset;
        ++changed_;
    }

    /// Index of the first source of an IADD3 with its predicates.
    static std::size_t first_source(const Instruction &instruction) {
        return instruction.operands[1].kind == OperandKind::kPredicate ? 2 : 1;
    }

    /// IADD3 with a carry, and the IADD3.X that takes this carry and no other.
    static bool is_sum_of_pairs(const Instruction &lower, const Instruction &upper) {
        return lower.mnemonic == "IADD3" && lower.operands.size() == 5 && upper.mnemonic == "IADD3.X" &&
               lower.operands[1].has_register() && upper.operands.back().kind == OperandKind::kPredicate &&
               upper.operands.back().reg == lower.operands[1].reg && !upper.operands.back().negated &&
               (upper.operands[1].kind != OperandKind::kPredicate || !upper.operands[1].has_register()) &&
               upper.operands.size() == first_source(upper) + 4;
    }

    /// Of three terms from operand `first` on: the register, and the sum of the numbers, when there is one register
    /// and it has no sign.
    static std::pair<std::optional<Operand>, std::uint32_t> term_and_number(const Instruction &instruction,
                                                                            std::size_t first) {
        std::optional<Operand> term;
        std::uint32_t sum = 0;
        for (std::size_t i = first; i < first + 3; ++i) {
            const Operand &operand = instruction.operands[i];
            if (const auto value = number_of(operand)) {
                if (operand.negated) {
                    return {std::nullopt, 0};
                }
                sum += *value;
            } else if (operand.kind == OperandKind::kRegister && !operand.negated && !term) {
                term = operand;
            } else {
                return {std::nullopt, 0};
            }
        }
        return {term, sum};
    }

    // --- sums ----------------------------------------------------------------------------------------------------

    /// IADD3 without carry.
    bool sum(Instruction &instruction) {
        for (std::size_t i = 1; i < 4; ++i) {
            const Operand term = instruction.operands[i];
            if (term.kind != OperandKind::kRegister || term.absolute || !read_once(term)) {
                continue;
            }
            Instruction *from = source_of(term);
            if (from == nullptr || !steady(*from, term)) {
                continue;
            }
            std::vector<Operand> others;
            for (std::size_t k = 1; k < 4; ++k) {
                if (k != i && number_of(instruction.operands[k]) != 0U) {
                    others.push_back(instruction.operands[k]);
                }
            }
            if (from->mnemonic == "IADD3" && from->operands.size() == 4 &&
                more_terms(instruction, *from, term, others)) {
                return true;
            }
            const bool alone = others.size() == 1 && !term.negated && !others[0].negated;
            if (alone && from->mnemonic == "SHL" && from->operands[2].kind == OperandKind::kInteger &&
                from->operands[2].value < 32) {
                Instruction changed{
                    .mnemonic = "LEA",
                    .operands = {instruction.operands[0], from->operands[1], others[0], from->operands[2]}};
                if (has_form(changed)) {
                    replace(instruction, std::move(changed), term);
                    return true;
                }
            }
            if (alone && from->mnemonic == "IMAD" && number_of(from->operands[3]) == 0U) {
                Instruction changed{
                    .mnemonic = "IMAD",
                    .operands = {instruction.operands[0], from->operands[1], from->operands[2], others[0]}};
                if (arrange(changed)) {
                    replace(instruction, std::move(changed), term);
                    return true;
                }
            }
        }
        return false;
    }

    bool more_terms(Instruction &instruction, const Instruction &from, const Operand &term,
                    std::vector<Operand> others) {
        for (std::size_t k = 1; k < 4; ++k) {
            Operand operand = from.operands[k];
            if (number_of(operand) != 0U) {
                if (term.negated) {
                    if (operand.kind == OperandKind::kInteger) {
                        operand.value = -operand.value & 0xffffffff;
                    } else {
                        operand.negated = !operand.negated;
                    }
                }
                others.push_back(operand);
            }
        }
        if (others.size() > 3) {
            return false;
        }
        others.resize(3, zero());
        Instruction changed{.mnemonic = "IADD3",
                            .operands = {instruction.operands[0], others[0], others[1], others[2]}};
        simplify(changed);
        if (changed.mnemonic != "MOV" && !arrange(changed)) {
            return false;
        }
        replace(instruction, std::move(changed), term);
        return true;
    }

    /// The lower half of a sum of pairs with a product of words as one term: IMAD.WIDE adds it.
    bool wide_product(Instruction &lower) {
        if (lower.operands.size() != 5 || lower.guarded() || !lower.operands[1].has_register() ||
            !read_once(lower.operands[1])) {
            return false;
        }
        Instruction *upper = reader_of_carry(lower);
        if (upper == nullptr || upper->guarded() || !is_sum_of_pairs(lower, *upper)) {
            return false;
        }
        const std::size_t at = first_source(*upper);
        for (std::size_t i = 0; i < 3; ++i) {
            const Operand &product = lower.operands[2 + i];
            const Instruction *from = product.kind == OperandKind::kRegister ? source_of(product) : nullptr;
            if (from != nullptr && !product.negated && shifted_product(lower, *upper, i, *from)) {
                return true;
            }
            if (from == nullptr || !is_operation(from->mnemonic, "IMAD") || !has_modifier(from->mnemonic, ".WIDE") ||
                product.negated || number_of(from->operands[3]) != 0U || !steady(*from, product)) {
                continue;
            }
            const Register pair = from->operands[0].reg;
            const unsigned first = from->operands[0].first;
            const auto half = std::ranges::find_if(upper->operands, [&](const Operand &operand) {
                return !operand.defined && operand.kind == OperandKind::kRegister && !operand.negated &&
                       operand.reg == pair && operand.first == first + 1;
            });
            if (half == upper->operands.end() || product.first != first) { // others may read the product, too
                continue;
            }
            const auto addend =
                other_pair(lower, i, *upper, static_cast<std::size_t>(half - upper->operands.begin()) - at);
            if (!addend) {
                continue;
            }
            const Instruction multiply = *from;
            return write_product(lower, *upper, multiply, product, *addend);
        }
        return false;
    }

    /// The same for a word that is shifted left as 64 bits, zero- or sign-extended: a product with a power of two.
    bool shifted_product(Instruction &lower, Instruction &upper, std::size_t index, const Instruction &shift) {
        const Operand product = lower.operands[2 + index];
        if (shift.mnemonic != "SHL" || shift.operands[2].kind != OperandKind::kInteger || shift.operands[2].value < 1 ||
            shift.operands[2].value > 30 || shift.operands[1].kind != OperandKind::kRegister ||
            !steady(shift, product)) {
            return false;
        }
        const std::size_t at = first_source(upper);
        for (std::size_t k = 0; k < 3; ++k) {
            const Operand half = upper.operands[at + k];
            const Instruction *above = half.kind == OperandKind::kRegister && !half.negated ? source_of(half) : nullptr;
            if (above == nullptr || above->mnemonic != "SHF.L" || !(above->operands[1] == shift.operands[1]) ||
                !(above->operands[2] == shift.operands[2]) ||
                !is_steady(unit_of(shift.operands[1]), definitions_.place(unit_of(half)))) {
                continue;
            }
            const auto extended = extension_of(above->operands[3], shift.operands[1]);
            const auto addend = extended ? other_pair(lower, index, upper, k) : std::nullopt;
            if (!addend) {
                return false;
            }
            const Instruction multiply{
                .mnemonic = std::string(*extended),
                .operands = {zero(), shift.operands[1], number(std::int64_t{1} << shift.operands[2].value), zero()}};
            return write_product(lower, upper, multiply, product, *addend);
        }
        return false;
    }

    /// The product of words whose upper half `upper` extends `word`: zeros, or its sign; nothing when it is neither.
    std::optional<std::string_view> extension_of(const Operand &upper, const Operand &word) {
        if (number_of(upper) == 0U) {
            return "IMAD.WIDE.U32";
        }
        const Instruction *sign = upper.kind == OperandKind::kRegister ? source_of(upper) : nullptr;
        const bool is_sign = sign != nullptr && sign->mnemonic == "SHR.S32" && sign->operands[1] == word &&
                             sign->operands[2].kind == OperandKind::kInteger && sign->operands[2].value == 31 &&
                             steady(*sign, upper);
        return is_sign ? std::optional<std::string_view>("IMAD.WIDE") : std::nullopt;
    }

    /// The reader of the carry of a sum, when it is in the same block.
    Instruction *reader_of_carry(const Instruction &lower) {
        auto &code = function_.blocks[here_.block].code;
        for (std::size_t i = here_.index + 1; i < code.size(); ++i) {
            if (code[i].mnemonic == "IADD3.X" && code[i].operands.back().reg == lower.operands[1].reg) {
                return &code[i];
            }
        }
        return nullptr;
    }

    /// The other term of both halves, as a pair that IMAD.WIDE takes.
    std::optional<Operand> other_pair(const Instruction &lower, std::size_t skip_low, const Instruction &upper,
                                      std::size_t skip_high) {
        std::optional<Operand> low_term;
        std::optional<Operand> high_term;
        for (std::size_t i = 0; i < 3; ++i) {
            const Operand &a = lower.operands[2 + i];
            const Operand &b = upper.operands[first_source(upper) + i];
            if (i != skip_low && number_of(a) != 0U) {
                if (low_term) {
                    return std::nullopt;
                }
                low_term = a;
            }
            if (i != skip_high && number_of(b) != 0U) {
                if (high_term) {
                    return std::nullopt;
                }
                high_term = b;
            }
        }
        if (!low_term || !high_term || low_term->kind != high_term->kind || low_term->negated || high_term->negated) {
            return std::nullopt;
        }
        if (low_term->kind == OperandKind::kConstant && low_term->bank == high_term->bank &&
            !low_term->has_register() && !high_term->has_register() && low_term->value % 8 == 0 &&
            high_term->value == low_term->value + 4) {
            return *low_term;
        }
        const bool pair = low_term->kind == OperandKind::kRegister && low_term->reg == high_term->reg &&
                          low_term->first % 2 == 0 && high_term->first == low_term->first + 1;
        if (!pair && low_term->kind == OperandKind::kRegister) {
            return made_pair(*low_term, *high_term);
        }
        // The upper word must be known at the position of the lower half.
        const bool known = pair && (definitions_.is_single(unit_of(*high_term))
                                        ? tree_.dominates(definitions_.place(unit_of(*high_term)), here_)
                                        : untouched(*high_term, upper, false));
        return known ? std::optional(use(low_term->reg, 2, low_term->first)) : std::nullopt;
    }

    /// Two words with one definition each as a pair, which is created after the later one and replaces both from then
    /// on.
    std::optional<Operand> made_pair(const Operand &low, const Operand &high) {
        const std::uint32_t low_unit = unit_of(low);
        const std::uint32_t high_unit = unit_of(high);
        const auto is_value = [&](const Operand &word, std::uint32_t unit) {
            return unit < units_.count && function_.registers[word.reg].fixed < 0 && definitions_.is_single(unit);
        };
        if (!is_value(low, low_unit) || !is_value(high, high_unit)) {
            return std::nullopt;
        }
        const Place &low_place = definitions_.place(low_unit);
        const Place &high_place = definitions_.place(high_unit);
        const bool low_first = tree_.dominates(low_place, high_place);
        const Place later = low_first ? high_place : low_place;
        const bool ordered = low_first || tree_.dominates(high_place, low_place);
        if (!ordered || !tree_.dominates(later, here_)) {
            return std::nullopt;
        }
        const auto [made, is_new] = pairs_.try_emplace({low_unit, high_unit}, kNoRegister);
        if (is_new) {
            made->second = function_.add(RegisterClass::kGeneral, 2);
            const Place behind{later.block, later.index + 1};
            const std::uint32_t line = function_.blocks[later.block].code[later.index].line;
            insertions_.push_back(
                {behind, {.mnemonic = "MOV", .operands = {define(made->second, 1, 0), low}, .line = line}});
            insertions_.push_back(
                {behind, {.mnemonic = "MOV", .operands = {define(made->second, 1, 1), high}, .line = line}});
        }
        return use(made->second, 2, 0);
    }

    /// True when the word is not written between here and `last` of this block, and, with `reads`, not read either.
    bool untouched(const Operand &word, const Instruction &last, bool reads) const {
        const auto &code = function_.blocks[here_.block].code;
        const std::uint32_t unit = unit_of(word);
        for (std::size_t i = here_.index + 1; i < code.size() && &code[i] != &last; ++i) {
            bool found = false;
            for_each_register(code[i], [&](const Operand &operand) {
                const std::uint32_t first = unit_of(operand);
                const bool vector = operand.kind == OperandKind::kRegister || operand.kind == OperandKind::kAddress;
                found = found ||
                        ((operand.defined || reads) && first <= unit && unit < first + (vector ? operand.words : 1));
            });
            if (found) {
                return false;
            }
        }
        return true;
    }

    bool write_product(Instruction &lower, Instruction &upper, const Instruction &multiply, const Operand &product,
                       const Operand &addend) {
        Instruction changed = multiply;
        changed.operands[3] = addend;
        changed.line = lower.line;
        const Operand low_result = lower.operands[0];
        const Operand high_result = upper.operands[0];
        const bool one =
            low_result.reg == high_result.reg && low_result.first % 2 == 0 && high_result.first == low_result.first + 1;
        if (!one || (!definitions_.is_single(unit_of(high_result)) && !untouched(high_result, upper, true))) {
            return false;
        }
        changed.operands[0] = define(low_result.reg, 2, low_result.first);
        if (!arrange(changed)) { // a number and a constant: the number needs a register
            if (changed.operands[2].kind != OperandKind::kInteger) {
                return false;
            }
            const Register factor = function_.add(RegisterClass::kGeneral);
            function_.registers[factor].temporary = true;
            insertions_.push_back(
                {here_, {.mnemonic = "MOV", .operands = {define(factor), changed.operands[2]}, .line = lower.line}});
            changed.operands[2] = use(factor);
        }
        release(product);
        lower = std::move(changed);
        upper.mnemonic = std::string(kUndefined);
        upper.operands = {};
        upper.guard = always();
        ++changed_;
        return true;
    }

    // --- logic ---------------------------------------------------------------------------------------------------

    bool logic(Instruction &instruction) {
        if (instruction.operands.size() != 5) {
            return false;
        }
        for (std::size_t i = 1; i < 4; ++i) {
            const Operand inner = instruction.operands[i];
            if (inner.kind != OperandKind::kRegister || !read_once(inner)) {
                continue;
            }
            const Instruction *from = source_of(inner);
            if (from == nullptr || from->mnemonic != "LOP3" || from->operands.size() != 5 || !steady(*from, inner)) {
                continue;
            }
            std::vector<Operand> inputs;
            const auto input = [&](const Operand &operand) -> std::optional<unsigned> {
                if (number_of(operand) == 0U) {
                    return 3;
                }
                const auto known = std::ranges::find(inputs, operand);
                if (known == inputs.end() && inputs.size() == 3) {
                    return std::nullopt;
                }
                if (known == inputs.end()) {
                    inputs.push_back(operand);
                    return static_cast<unsigned>(inputs.size() - 1);
                }
                return static_cast<unsigned>(known - inputs.begin());
            };
            std::array<unsigned, 3> outer_input{};
            std::array<unsigned, 3> inner_input{};
            bool fits = true;
            for (std::size_t k = 0; k < 3; ++k) {
                const auto inside = input(from->operands[1 + k]);
                const auto outside = k + 1 == i ? std::optional<unsigned>(3) : input(instruction.operands[1 + k]);
                fits = fits && inside && outside;
                inner_input[k] = inside.value_or(0);
                outer_input[k] = outside.value_or(0);
            }
            if (!fits) {
                continue;
            }
            const auto inner_table = static_cast<unsigned>(from->operands[4].value);
            const auto outer_table = static_cast<unsigned>(instruction.operands[4].value);
            unsigned table = 0;
            for (unsigned index = 0; index < 8; ++index) {
                const auto bit = [&](unsigned of) { return of == 3 ? 0U : index >> (2 - of) & 1U; };
                unsigned inside = 0;
                for (unsigned k = 0; k < 3; ++k) {
                    inside |= bit(inner_input[k]) << (2 - k);
                }
                unsigned outside = 0;
                for (unsigned k = 0; k < 3; ++k) {
                    const unsigned value = k + 1 == i ? inner_table >> inside & 1U : bit(outer_input[k]);
                    outside |= value << (2 - k);
                }
                table |= (outer_table >> outside & 1U) << index;
            }
            inputs.resize(3, zero());
            Instruction changed{.mnemonic = "LOP3",
                                .operands = {instruction.operands[0], inputs[0], inputs[1], inputs[2], number(table)}};
            if (!arrange(changed)) {
                continue;
            }
            replace(instruction, std::move(changed), inner);
            return true;
        }
        return false;
    }

    // --- predicates ----------------------------------------------------------------------------------------------

    /// A comparison and another predicate, or one of both, or either: the comparison combines them.
    bool predicates(Instruction &instruction) {
        const auto &operands = instruction.operands;
        if (operands.size() != 5 || operands[1].has_register()) {
            return false;
        }
        const bool either = instruction.mnemonic == "PSETP.OR.AND";
        const bool differ = instruction.mnemonic == "PSETP.XOR.AND";
        std::vector<Operand> open;
        for (std::size_t i = 2; i < 5; ++i) {
            if (!is_decided(operands[i])) {
                open.push_back(operands[i]);
            } else if (operands[i].negated || ((either || differ) && i < 4)) {
                return false;
            }
        }
        if (open.size() != 2 || ((either || differ) && !is_decided(operands[4]))) {
            return false;
        }
        for (unsigned i = 0; i < 2; ++i) {
            const Operand compared = open[i];
            const Operand with = open[1 - i];
            const Instruction *from = source_of(compared);
            if (from == nullptr || !read_once(compared) || !steady(*from, compared) || from->operands.size() != 5 ||
                from->operands[1].has_register() || !is_decided(from->operands[4]) || from->operands[4].negated ||
                !has_modifier(from->mnemonic, ".AND")) {
                continue;
            }
            if (!is_comparison(from->mnemonic)) {
                continue;
            }
            Instruction changed = *from;
            if (compared.negated) {
                const auto turned = opposite_comparison(changed.mnemonic);
                if (!turned) {
                    continue;
                }
                changed.mnemonic = *turned;
            }
            if (either || differ) {
                changed.mnemonic.replace(changed.mnemonic.find(".AND"), 4, either ? ".OR" : ".XOR");
            }
            changed.operands[0] = operands[0];
            changed.operands[4] = with;
            replace(instruction, std::move(changed), compared);
            return true;
        }
        return false;
    }

    /// A number made from a predicate and compared with 0: the predicate itself.
    bool truth_compared(Instruction &instruction) {
        const auto &operands = instruction.operands;
        const bool not_zero = instruction.mnemonic.starts_with("ISETP.NE");
        if ((!not_zero && !instruction.mnemonic.starts_with("ISETP.EQ")) || operands.size() != 5 ||
            operands[1].has_register() || operands[2].kind != OperandKind::kRegister || number_of(operands[3]) != 0U ||
            !is_decided(operands[4]) || operands[4].negated || !has_modifier(instruction.mnemonic, ".AND")) {
            return false;
        }
        const Operand word = operands[2];
        const Instruction *from = source_of(word);
        if (from == nullptr || from->mnemonic != "SEL" || from->operands.size() != 4 || !steady(*from, word)) {
            return false;
        }
        const auto a = number_of(from->operands[1]);
        const auto b = number_of(from->operands[2]);
        if (!a || !b || (*a == 0) == (*b == 0)) {
            return false;
        }
        Operand predicate = from->operands[3];
        predicate.negated = predicate.negated != ((*a == 0) == not_zero);
        Instruction changed{.mnemonic = "PSETP.AND.AND",
                            .operands = {operands[0], always(), always(), predicate, always()}};
        replace(instruction, std::move(changed), word);
        return true;
    }

    // --- signs ---------------------------------------------------------------------------------------------------

    /// A term whose sign LOP3 inverts, or whose magnitude it takes.
    bool float_signs(Instruction &instruction) {
        for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
            const Operand term = instruction.operands[i];
            const Instruction *from = term.kind == OperandKind::kRegister ? source_of(term) : nullptr;
            if (from == nullptr || from->mnemonic != "LOP3" || from->operands.size() != 5 ||
                from->operands[1].kind != OperandKind::kRegister || from->operands[2].kind != OperandKind::kInteger ||
                number_of(from->operands[3]) != 0U || !steady(*from, term)) {
                continue;
            }
            const auto mask = static_cast<std::uint32_t>(from->operands[2].value);
            const std::int64_t table = from->operands[4].value;
            const bool negates = mask == kSign && table == 0x3c;
            const bool takes_magnitude = mask == (kSign ^ 0xffffffffU) && table == 0xc0;
            if (!negates && !takes_magnitude) {
                continue;
            }
            Instruction changed = instruction;
            Operand &operand = changed.operands[i];
            operand.reg = from->operands[1].reg;
            operand.first = from->operands[1].first;
            operand.negated = negates && !term.absolute ? !term.negated : term.negated;
            operand.absolute = term.absolute || takes_magnitude;
            if (has_form(changed)) {
                replace(instruction, std::move(changed), term);
                return true;
            }
        }
        return false;
    }

    Function &function_;
    Units units_;
    FlowGraph graph_;
    DominatorTree tree_;
    Definitions definitions_;
    std::vector<std::uint32_t> readers_; ///< by unit, in the current code
    Place here_;
    /// Numbers that products need in registers, pairs made of words, and the positions before which to insert them.
    std::vector<Insertion> insertions_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Register> pairs_; ///< already made, by their units
    unsigned changed_ = 0;
};

} // namespace

unsigned combine(Function &function) {
    return Combination(function).run();
}

} // namespace smsim::ptx::optimise
