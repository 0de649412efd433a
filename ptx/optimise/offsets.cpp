#include "ptx/optimise/offsets.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ptx/machine/operands.h"
#include "ptx/optimise/definitions.h"
#include "ptx/optimise/fold.h"

namespace smsim::ptx::optimise {

using namespace machine;

namespace {

/// Consecutive operations that are looked through.
constexpr unsigned kMostSteps = 4;

/// Instructions between a value and its use in which a variable must not be written.
constexpr std::uint32_t kFarthestLook = 200;

/// An address of one word, in a register.
bool is_near_address(const Operand &operand) {
    return operand.kind == OperandKind::kAddress && operand.has_register() && operand.words == 1;
}

class Offsets {
  public:
    explicit Offsets(Function &function)
        : function_(function), units_(function), graph_(analyse(function)), tree_(graph_),
          definitions_(function, graph_, tree_, units_) {}

    unsigned run() {
        for (const BlockIndex block : tree_.order()) {
            auto &code = function_.blocks[block].code;
            for (std::uint32_t i = 0; i < code.size(); ++i) {
                for (Operand &operand : code[i].operands) {
                    if (is_near_address(operand)) {
                        address(operand, {block, i});
                    }
                }
            }
        }
        insert(function_, std::move(insertions_));
        return changed_;
    }

  private:
    /// A register's value, modulo 2^32, as another register plus a number.
    struct Parts {
        Register reg = kNoRegister;
        std::uint32_t number = 0;
    };

    void address(Operand &operand, const Place &here) {
        const Parts parts = parts_at(operand.reg, here, 0);
        const std::int64_t offset = operand.value + static_cast<std::int32_t>(parts.number);
        if (parts.number != 0 && offset >= -kFarthestOffset && offset <= kFarthestOffset) {
            operand.reg = parts.reg;
            operand.value = offset;
            ++changed_;
        }
    }

    bool is_word(Register reg) const { return reg < units_.first.size() && function_.registers[reg].words == 1; }

    /// The parts of `reg` if their register still holds its part at `here`; otherwise itself and 0.
    Parts parts_at(Register reg, const Place &here, unsigned steps) {
        if (!is_word(reg) || !definitions_.is_single(units_.first[reg])) {
            return {reg, 0};
        }
        const Parts parts = parts_of(reg, steps);
        return parts.number != 0 && holds(parts.reg, definitions_.place(units_.first[reg]), here) ? parts
                                                                                                  : Parts{reg, 0};
    }

    /// True when `reg` is the same at both places; `from` precedes `to`.
    bool holds(Register reg, const Place &from, const Place &to) const {
        if (function_.registers[reg].fixed >= 0) {
            return false; // calls write it
        }
        if (reg >= units_.first.size() || definitions_.is_single(units_.first[reg])) {
            return true; // a register created by this pass has one definition
        }
        if (from.block != to.block || to.index - from.index > kFarthestLook) {
            return false;
        }
        const auto &code = function_.blocks[from.block].code;
        bool written = false;
        for (std::uint32_t i = from.index; i < to.index; ++i) {
            for_each_register(code[i],
                              [&](const Operand &operand) { written |= operand.defined && operand.reg == reg; });
        }
        return !written;
    }

    /// The parts of a register with one definition, at that definition.
    Parts parts_of(Register reg, unsigned steps) {
        if (const auto known = parts_.find(reg); known != parts_.end()) {
            return known->second;
        }
        const Place place = definitions_.place(units_.first[reg]);
        const Instruction &from = function_.blocks[place.block].code[place.index];
        Parts parts{reg, 0};
        if (!from.guarded() && from.operands.size() == 4 && steps < kMostSteps && from.mnemonic == "IADD3") {
            parts = of_sum(reg, from, place, steps);
        } else if (!from.guarded() && steps < kMostSteps) {
            parts = of_scaled(reg, from, place, steps);
        }
        parts_[reg] = parts;
        return parts;
    }

    static bool is_plain(const Operand &operand) {
        return operand.kind == OperandKind::kRegister && operand.words == 1 && operand.first == 0 && !operand.negated &&
               !operand.absolute && !operand.defined;
    }

    Parts of_sum(Register reg, const Instruction &from, const Place &place, unsigned steps) {
        Instruction sum = from;
        std::uint32_t number = 0;
        unsigned others = 0;
        std::optional<Register> term;
        for (std::size_t i = 1; i < 4; ++i) {
            Operand &operand = sum.operands[i];
            if (const auto value = number_of(operand)) {
                number += operand.negated ? 0 - *value : *value;
                operand = zero();
                continue;
            }
            ++others;
            if (is_plain(operand) && is_word(operand.reg)) {
                const Parts parts = parts_at(operand.reg, place, steps + 1);
                number += parts.number;
                operand.reg = parts.reg;
                term = parts.reg;
            }
        }
        if (number == 0) {
            return {reg, 0};
        }
        return others == 1 && term ? Parts{*term, number} : made(std::move(sum), place, number);
    }

    /// A shifted or multiplied term, with or without another.
    Parts of_scaled(Register reg, const Instruction &from, const Place &place, unsigned steps) {
        const auto &operands = from.operands;
        const bool shifts = from.mnemonic == "SHL" && operands.size() == 3;
        const bool leads = from.mnemonic == "LEA" && operands.size() == 4;
        const bool multiplies = from.mnemonic == "IMAD" && operands.size() == 4;
        if (!shifts && !leads && !multiplies) {
            return {reg, 0};
        }
        const Operand &scale = operands[leads ? 3 : 2];
        if (scale.kind != OperandKind::kInteger || (!multiplies && (scale.value < 0 || scale.value > 31)) ||
            !is_plain(operands[1])) {
            return {reg, 0};
        }
        Instruction changed = from;
        const Parts index = parts_at(operands[1].reg, place, steps + 1);
        const auto factor = static_cast<std::uint32_t>(multiplies ? scale.value : std::int64_t{1} << scale.value);
        changed.operands[1].reg = index.reg;
        std::uint32_t number = index.number * factor;
        if (!shifts && is_plain(operands[leads ? 2 : 3])) {
            const Parts base = parts_at(operands[leads ? 2 : 3].reg, place, steps + 1);
            changed.operands[leads ? 2 : 3].reg = base.reg;
            number += base.number;
        }
        return number == 0 ? Parts{reg, 0} : made(std::move(changed), place, number);
    }

    /// Inserts the instruction with its own result before `place`.
    Parts made(Instruction instruction, const Place &place, std::uint32_t number) {
        const Register result = function_.add(RegisterClass::kGeneral);
        instruction.operands[0] = define(result);
        insertions_.emplace_back(place, std::move(instruction));
        return {result, number};
    }

    Function &function_;
    Units units_;
    FlowGraph graph_;
    DominatorTree tree_;
    Definitions definitions_;
    std::map<Register, Parts> parts_; ///< of examined registers
    std::vector<Insertion> insertions_;
    unsigned changed_ = 0;
};

} // namespace

unsigned take_offsets(Function &function) {
    const bool has_any = std::ranges::any_of(function.blocks, [](const Block &block) {
        return std::ranges::any_of(block.code, [](const Instruction &instruction) {
            return std::ranges::any_of(instruction.operands, is_near_address);
        });
    });
    if (!has_any) {
        return 0;
    }
    return Offsets(function).run();
}

} // namespace smsim::ptx::optimise
