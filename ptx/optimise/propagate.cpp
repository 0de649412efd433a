#include "ptx/optimise/propagate.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "ptx/machine/operands.h"
#include "ptx/optimise/definitions.h"
#include "ptx/optimise/facts.h"
#include "ptx/optimise/fold.h"

namespace smsim::ptx::optimise {

using namespace machine;

namespace {

class Propagation {
  public:
    explicit Propagation(Function &function)
        : function_(function), units_(function), graph_(analyse(function)), tree_(graph_),
          definitions_(function, graph_, tree_, units_), values_(units_.count), versions_(units_.count, 0) {}

    unsigned run() {
        for (const BlockIndex block : tree_.order()) {
            this->block(block);
        }
        return changed_;
    }

  private:
    std::uint32_t unit_of(const Operand &word) const {
        return units_.first[word.reg] + (word.kind == OperandKind::kRegister ? word.first : 0);
    }
    bool is_single(const Operand &word) const { return definitions_.is_single(unit_of(word)); }

    void block(BlockIndex block) {
        local_.clear();
        Block &code = function_.blocks[block];
        std::vector<Instruction> kept;
        kept.reserve(code.code.size());
        for (std::uint32_t i = 0; i < code.code.size(); ++i) {
            Instruction &instruction = code.code[i];
            if (instruction.mnemonic != kUndefined) {
                read(instruction);
                if (instruction.guard.kind == OperandKind::kPredicate && !instruction.guard.has_register() &&
                    instruction.guard.negated) { // no thread executes it
                    ++changed_;
                    continue;
                }
                settle(instruction);
                if (computed_above(instruction, {block, i}, kept)) {
                    continue;
                }
                learn(instruction);
            }
            forget(instruction);
            remember(instruction);
            kept.push_back(std::move(instruction));
        }
        code.code = std::move(kept);
        end(code.end);
    }

    // --- what is read --------------------------------------------------------------------------------------------

    /// What a word or predicate that is read is known to be: a register, number or constant; nothing: only itself.
    std::optional<Operand> value_of(const Operand &word) const {
        const std::uint32_t unit = unit_of(word);
        if (values_[unit]) {
            return values_[unit];
        }
        const auto found = local_.find(unit);
        return found == local_.end() ? std::nullopt : std::optional(found->second);
    }

    void read(Instruction &instruction) {
        if (instruction.guard.has_register()) {
            changed_ += read_predicate(instruction.guard) ? 1 : 0;
        }
        for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
            read_register(instruction, i);
        }
        if (decided(instruction)) {
            return;
        }
        // A number may need another order of the sources: then they are examined once more.
        for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
            const Operand operand = instruction.operands[i];
            const bool word = operand.kind == OperandKind::kRegister && !operand.defined;
            if (word && (operand.words == 1 ? read_word(instruction, i) : read_words(instruction, i)) != 0) {
                ++changed_;
                i = instruction.operands[i].kind == OperandKind::kRegister ? 0 : i;
            }
        }
    }

    /// Replaces registers by registers.
    void read_register(Instruction &instruction, std::size_t index) {
        Operand &operand = instruction.operands[index];
        if (operand.defined || !operand.has_register()) {
            return;
        }
        bool changed = false;
        if (operand.kind == OperandKind::kPredicate) {
            changed = read_predicate(operand);
        } else if (operand.kind == OperandKind::kAddress) {
            changed = read_base(operand);
        } else if (operand.kind == OperandKind::kConstant) {
            changed = read_index(operand);
        } else if (operand.words == 1) {
            const auto value = value_of(operand);
            if (value && value->kind == OperandKind::kRegister) {
                operand.reg = value->reg;
                operand.first = value->first;
                changed = true;
            }
        } else if (const auto other = together(operand.reg, operand.first, operand.words)) {
            operand.reg = other->first;
            operand.first = static_cast<std::uint8_t>(other->second);
            changed = true;
        }
        changed_ += changed ? 1 : 0;
    }

    /// Whether the numbers that its operands are known to be simplify the instruction: with all of them substituted at
    /// once, which no form allows.
    bool decided(Instruction &instruction) {
        if (!is_pure(instruction) || instruction.mnemonic == "MOV") {
            return false;
        }
        Instruction known = instruction;
        unsigned numbers = 0;
        for (Operand &operand : known.operands) {
            if (operand.defined || operand.kind != OperandKind::kRegister || operand.words != 1) {
                continue;
            }
            const auto value = value_of(operand);
            const auto bits = value ? number_of(*value) : std::nullopt;
            const auto with = bits ? with_signs(instruction, operand, *bits) : std::nullopt;
            if (with) {
                operand = *with == 0 ? zero() : number(*with);
                ++numbers;
            }
        }
        if (numbers == 0) {
            return false;
        }
        bool simpler = false;
        for (unsigned rounds = 0; rounds < 4 && simplify(known); ++rounds) {
            simpler = true;
        }
        if (!simpler || !arrange(known)) {
            return false;
        }
        instruction = std::move(known);
        ++changed_;
        return true;
    }

    bool read_predicate(Operand &operand) const {
        const auto value = value_of(operand);
        if (!value) {
            return false;
        }
        const bool negated = operand.negated != value->negated;
        operand = *value;
        operand.negated = negated;
        return true;
    }

    /// Tries `operand` as operand `index`.
    static unsigned put(Instruction &instruction, std::size_t index, Operand operand) {
        const Instruction before = instruction;
        instruction.operands[index] = std::move(operand);
        if (arrange(instruction)) {
            return 1;
        }
        instruction = before;
        return 0;
    }

    /// Lane and clamp of a shuffle have fields of their own widths.
    static bool fits_shuffle(const Instruction &instruction, std::size_t index, std::uint32_t value) {
        constexpr std::uint32_t kLanes = 32;
        constexpr std::uint32_t kClamps = 1 << 13;
        return is_operation(instruction.mnemonic, "SHFL") &&
               ((index == 3 && value < kLanes) || (index == 4 && value < kClamps));
    }

    unsigned read_word(Instruction &instruction, std::size_t index) {
        const Operand operand = instruction.operands[index];
        const auto value = value_of(operand);
        if (!value) {
            return 0;
        }
        Operand replaced = *value;
        if (replaced.kind == OperandKind::kRegister) {
            return 0;
        }
        if (const auto bits = number_of(replaced)) {
            const auto with = with_signs(instruction, operand, *bits);
            if (!with) {
                return 0;
            }
            if (*with == 0 && !is_operation(instruction.mnemonic, "MOV")) {
                return put(instruction, index, zero());
            }
            return is_pure(instruction) || fits_shuffle(instruction, index, *with)
                       ? put(instruction, index, number(*with))
                       : 0;
        }
        replaced.negated = operand.negated;
        replaced.absolute = operand.absolute;
        // Instructions that are not pure operations have fields of other widths.
        return is_pure(instruction) ? put(instruction, index, std::move(replaced)) : 0;
    }

    /// The register that contains these words, when they all belong to one, adjacent and aligned.
    std::optional<std::pair<Register, unsigned>> together(Register reg, unsigned first, unsigned words) const {
        std::optional<std::pair<Register, unsigned>> found;
        for (unsigned i = 0; i < words; ++i) {
            const Operand here = use(reg, 1, first + i);
            const auto value = value_of(here);
            const Operand word = value ? *value : here;
            if (word.kind != OperandKind::kRegister ||
                (found && (word.reg != found->first || word.first != found->second + i))) {
                return std::nullopt;
            }
            found = found ? found : std::optional(std::pair<Register, unsigned>(word.reg, word.first));
        }
        const bool aligned = found->second % words == 0 && function_.registers[found->first].words >= words;
        return aligned && !(found->first == reg && found->second == first) ? found : std::nullopt;
    }

    unsigned read_words(Instruction &instruction, std::size_t index) {
        Operand &operand = instruction.operands[index];
        if (operand.words != 2) {
            return 0;
        }
        const auto lower = value_of(use(operand.reg, 1, operand.first));
        const auto upper = value_of(use(operand.reg, 1, operand.first + 1U));
        if (!lower || !upper) {
            return 0;
        }
        const auto low_bits = number_of(*lower);
        const auto high_bits = number_of(*upper);
        const bool is_double = numbers_of(instruction.mnemonic) == Numbers::kDouble;
        if (low_bits && high_bits && *low_bits == 0 && *high_bits == 0 && !is_double &&
            !is_operation(instruction.mnemonic, "ST")) {
            return put(instruction, index, zero());
        }
        if (low_bits && high_bits && *low_bits == 0 && is_double) {
            std::uint32_t bits = *high_bits;
            bits = operand.absolute ? bits & 0x7fffffffU : bits;
            bits = operand.negated ? bits ^ 0x80000000U : bits;
            return put(instruction, index, wide_number(static_cast<std::int64_t>(std::uint64_t{bits} << 32)));
        }
        const bool constants = lower->kind == OperandKind::kConstant && upper->kind == OperandKind::kConstant &&
                               lower->bank == upper->bank && upper->value == lower->value + 4 && lower->value % 8 == 0;
        if (constants) {
            Operand both = *lower;
            both.negated = operand.negated;
            both.absolute = operand.absolute;
            return put(instruction, index, std::move(both));
        }
        return 0;
    }

    bool read_base(Operand &operand) const {
        if (const auto other = together(operand.reg, 0, operand.words)) {
            if (other->second != 0 || function_.registers[other->first].words != operand.words) {
                return false; // an address names whole registers
            }
            operand.reg = other->first;
            return true;
        }
        if (operand.words == 1) {
            const auto value = value_of(use(operand.reg));
            const auto bits = value ? number_of(*value) : std::nullopt;
            const std::int64_t sum = bits ? std::int64_t{*bits} + operand.value : -1;
            if (sum >= 0 && sum <= kFarthestOffset) {
                operand.reg = kNoRegister;
                operand.value = sum;
                return true;
            }
        }
        return false;
    }

    /// The index of an LDC: an address names whole registers, too.
    bool read_index(Operand &operand) const {
        const auto value = value_of(use(operand.reg));
        if (!value || value->kind != OperandKind::kRegister || value->first != 0 ||
            function_.registers[value->reg].words != 1) {
            return false;
        }
        operand.reg = value->reg;
        return true;
    }

    void end(End &end) {
        if (end.kind == EndKind::kBranch && end.predicate.has_register()) {
            changed_ += read_predicate(end.predicate) ? 1 : 0;
        }
        if (end.kind == EndKind::kBranch && is_decided(end.predicate)) {
            end.next = end.predicate.negated ? end.next : end.taken;
            end.kind = EndKind::kFall;
            end.predicate = always();
            ++changed_;
        }
    }

    // --- what is computed ----------------------------------------------------------------------------------------

    /// Simplifies the operation as far as its operands allow.
    void settle(Instruction &instruction) {
        for (unsigned rounds = 0; rounds < 4 && simplify(instruction); ++rounds) {
            ++changed_;
        }
        // A sum with only one non-zero term carries nothing.
        auto &operands = instruction.operands;
        if (is_operation(instruction.mnemonic, "IADD3") && operands.size() > 4 &&
            operands[1].kind == OperandKind::kPredicate && !operands[1].has_register()) {
            operands.erase(operands.begin() + 1);
        }
        drop_unread(instruction);
        if (instruction.mnemonic == "IADD3" && operands.size() == 5 && operands[1].has_register()) {
            unsigned terms = 0;
            bool signs = false;
            for (std::size_t i = 2; i < 5; ++i) {
                terms += number_of(operands[i]) == 0U ? 0 : 1;
                signs = signs || operands[i].negated;
            }
            if (terms <= 1 && !signs && definitions_.is_single(unit_of(operands[1]))) {
                values_[unit_of(operands[1])] = never();
                operands.erase(operands.begin() + 1);
                simplify(instruction);
                ++changed_;
            }
        }
        if (instruction.mnemonic == "IADD3.X" && is_decided(operands.back()) && operands.back().negated &&
            std::ranges::none_of(operands, [](const Operand &operand) {
                return operand.negated && operand.kind != OperandKind::kPredicate;
            })) {
            instruction.mnemonic = "IADD3";
            operands.pop_back();
            simplify(instruction);
            ++changed_;
        }
    }

    /// Drops unread results where a cheaper form does without them: carries, upper halves of products.
    void drop_unread(Instruction &instruction) {
        auto &operands = instruction.operands;
        if (is_operation(instruction.mnemonic, "IADD3") && operands.size() > 4 && operands[1].defined &&
            operands[1].has_register() && definitions_.readers(unit_of(operands[1])) == 0) {
            operands.erase(operands.begin() + 1);
            ++changed_;
        }
        const bool wide = instruction.mnemonic == "IMAD.WIDE" || instruction.mnemonic == "IMAD.WIDE.U32";
        if (wide && operands.size() == 4 && operands[0].words == 2 &&
            definitions_.readers(unit_of(operands[0]) + 1) == 0 && (operands[3].kind != OperandKind::kInteger)) {
            instruction.mnemonic = "IMAD";
            operands[0] = word(operands[0], 0);
            operands[3] = operands[3].kind == OperandKind::kRegister ? word(operands[3], 0) : operands[3];
            ++changed_;
            simplify(instruction);
        }
    }

    /// Remembers what a copy is a copy of.
    void learn(const Instruction &instruction) {
        const auto &operands = instruction.operands;
        const bool whole = !instruction.guarded() || instruction.kills;
        if (!whole) {
            return;
        }
        if (instruction.mnemonic == "MOV" && operands.size() == 2 && operands[0].kind == OperandKind::kRegister) {
            const Operand &from = operands[1];
            const bool steady = from.kind == OperandKind::kInteger || from.kind == OperandKind::kZero ||
                                (from.kind == OperandKind::kConstant && !from.has_register()) ||
                                (from.kind == OperandKind::kRegister && is_single(from));
            if (steady && is_single(operands[0])) {
                values_[unit_of(operands[0])] = from;
            }
        }
        if (instruction.mnemonic == "PSETP.AND.AND" && operands.size() == 5 && operands[0].has_register() &&
            !operands[1].has_register() && is_decided(operands[2]) && !operands[2].negated && is_decided(operands[4]) &&
            !operands[4].negated) {
            const Operand &from = operands[3];
            if (is_single(operands[0]) && (!from.has_register() || is_single(from))) {
                values_[unit_of(operands[0])] = from;
            }
        }
    }

    /// In its block, until one of both is written, a copy of a variable, or the number that it holds, may replace it.
    void remember(const Instruction &instruction) {
        const bool is_number = instruction.mnemonic == "MOV" && !instruction.guarded() &&
                               instruction.operands[0].kind == OperandKind::kRegister &&
                               number_of(instruction.operands[1]).has_value();
        if (is_number && !values_[unit_of(instruction.operands[0])] &&
            function_.registers[instruction.operands[0].reg].fixed < 0) {
            local_[unit_of(instruction.operands[0])] = instruction.operands[1];
            return;
        }
        if (!is_copy(instruction) || instruction.operands[1].negated || instruction.operands[1].words != 1 ||
            values_[unit_of(instruction.operands[0])] ||
            function_.registers[instruction.operands[1].reg].fixed >= 0) { // calls change these without naming them
            return;
        }
        if (unit_of(instruction.operands[0]) != unit_of(instruction.operands[1])) {
            local_[unit_of(instruction.operands[0])] = instruction.operands[1];
        }
    }

    void forget(const Instruction &instruction) {
        for (const std::uint32_t unit : access_of(instruction, units_).writes) {
            ++versions_[unit];
            local_.erase(unit);
            std::erase_if(local_, [&](const auto &entry) {
                return entry.second.has_register() && unit_of(entry.second) == unit;
            });
        }
    }

    // --- what was computed before --------------------------------------------------------------------------------

    static void append(std::string &key, std::uint64_t value) {
        key.append(reinterpret_cast<const char *>(&value), sizeof value);
    }

    /// A text that is equal for instructions that compute the same; empty where there is none.
    std::string key_of(const Instruction &instruction, BlockIndex block) const {
        if (instruction.guarded() || !is_pure(instruction) || instruction.mnemonic == "MOV") {
            return {};
        }
        std::string key = instruction.mnemonic;
        for (const Operand &operand : instruction.operands) {
            if (operand.has_register()) {
                const unsigned words = operand.kind == OperandKind::kPredicate ? 1 : operand.words;
                for (unsigned i = 0; i < words; ++i) {
                    const std::uint32_t unit = unit_of(operand) + i;
                    if (definitions_.is_single(unit)) {
                        continue;
                    }
                    if (operand.defined || function_.registers[operand.reg].fixed >= 0) {
                        return {};
                    }
                    append(key,
                           std::uint64_t{block} << 32 | versions_[unit]); // of a variable: only until its next write
                }
            }
            append(key,
                   static_cast<std::uint64_t>(operand.kind) << 8 | static_cast<std::uint64_t>(operand.negated) << 1 |
                       static_cast<std::uint64_t>(operand.absolute) | static_cast<std::uint64_t>(operand.words) << 16 |
                       static_cast<std::uint64_t>(operand.bank) << 24 |
                       static_cast<std::uint64_t>(operand.defined) << 32);
            append(key, operand.defined
                            ? static_cast<std::uint64_t>(operand.has_register())
                            : static_cast<std::uint64_t>(operand.has_register() ? unit_of(operand) + 1 : 0));
            append(key, static_cast<std::uint64_t>(operand.value));
            key += operand.text;
        }
        return key;
    }

    /// A comparison whose opposite a dominating one has computed, with nothing to combine it with.
    bool opposite_above(const Instruction &instruction, const Place &at, std::vector<Instruction> &code) {
        const auto &operands = instruction.operands;
        if (!is_comparison(instruction.mnemonic) || !has_modifier(instruction.mnemonic, ".AND") ||
            operands.size() != 5 || !operands[0].has_register() || operands[1].has_register() ||
            !is_decided(operands[4]) || operands[4].negated) {
            return false;
        }
        const auto opposite = opposite_comparison(instruction.mnemonic);
        if (!opposite) {
            return false;
        }
        Instruction other = instruction;
        other.mnemonic = *opposite;
        const auto found = known_.find(key_of(other, at.block));
        if (found == known_.end() || !tree_.dominates(found->second.first, at)) {
            return false;
        }
        Instruction copy{.mnemonic = "PSETP.AND.AND",
                         .operands = {operands[0], always(), always(), if_false(found->second.second[0].reg), always()},
                         .line = instruction.line};
        learn(copy);
        code.push_back(std::move(copy));
        ++changed_;
        return true;
    }

    /// Replaces an instruction by copies if a dominating one has computed the same.
    bool computed_above(const Instruction &instruction, const Place &at, std::vector<Instruction> &code) {
        std::string key = key_of(instruction, at.block);
        if (key.empty()) {
            return false;
        }
        std::vector<Operand> results;
        for (const Operand &operand : instruction.operands) {
            if (operand.defined) {
                results.push_back(operand);
            }
        }
        auto found = known_.find(key);
        if (found == known_.end() || !tree_.dominates(found->second.first, at)) {
            if (opposite_above(instruction, at, code)) {
                return true;
            }
            known_[std::move(key)] = {at, std::move(results)};
            return false;
        }
        ++changed_;
        for (std::size_t i = 0; i < results.size(); ++i) {
            const Operand &from = found->second.second[i];
            if (!results[i].has_register()) {
                continue;
            }
            for (unsigned k = 0; k < (results[i].kind == OperandKind::kPredicate ? 1U : results[i].words); ++k) {
                Instruction copy{.mnemonic = "MOV", .operands = {}, .line = instruction.line};
                if (results[i].kind == OperandKind::kPredicate) {
                    copy.mnemonic = "PSETP.AND.AND";
                    copy.operands = {define_predicate(results[i].reg), always(), always(), if_true(from.reg), always()};
                } else {
                    copy.operands = {word(results[i], k), use(from.reg, 1, from.first + k)};
                }
                learn(copy);
                code.push_back(std::move(copy));
            }
        }
        return true;
    }

    Function &function_;
    Units units_;
    FlowGraph graph_;
    DominatorTree tree_;
    Definitions definitions_;
    std::vector<std::optional<Operand>> values_;       ///< by unit: an equivalent of a single-definition value
    std::vector<std::uint32_t> versions_;              ///< by unit: writes so far
    std::unordered_map<std::uint32_t, Operand> local_; ///< of this block: currently valid copies
    std::unordered_map<std::string, std::pair<Place, std::vector<Operand>>> known_;
    unsigned changed_ = 0;
};

} // namespace

unsigned propagate(Function &function) {
    return Propagation(function).run();
}

} // namespace smsim::ptx::optimise
