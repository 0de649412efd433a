#include "ptx/optimise/gather.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "ptx/machine/operands.h"
#include "ptx/optimise/definitions.h"

namespace smsim::ptx::optimise {

using namespace machine;

namespace {

class Gathering {
  public:
    explicit Gathering(Function &function)
        : function_(function), units_(function), graph_(analyse(function)), tree_(graph_),
          definitions_(function, graph_, tree_, units_), instead_(function.registers.size()),
          stays_(function.registers.size(), false), undefined_(function.registers.size(), false) {
        for (const BlockIndex block : graph_.order) {
            for (const Instruction &instruction : function.blocks[block].code) {
                for_each_register(instruction, [&](const Operand &operand) {
                    // Addresses name whole registers; a register that becomes undefined somewhere cannot be written
                    // before that.
                    if (instruction.mnemonic == kUndefined) {
                        undefined_[operand.reg] = true;
                    }
                    if (instruction.mnemonic == kUndefined || operand.kind == OperandKind::kAddress ||
                        operand.kind == OperandKind::kConstant) {
                        stays_[operand.reg] = true;
                    }
                });
            }
        }
    }

    unsigned run() {
        for (const BlockIndex block : tree_.order()) {
            auto &code = function_.blocks[block].code;
            for (std::size_t i = 0; i < code.size(); ++i) {
                if (is_candidate(code[i])) {
                    definitions_.is_single(unit_of(code[i].operands[0])) ? into_vector(code[i])
                                                                         : into_variable(block, i);
                }
            }
        }
        if (gathered_ != 0) {
            rename();
        }
        return gathered_;
    }

  private:
    std::uint32_t unit_of(const Operand &word) const { return units_.first[word.reg] + word.first; }

    /// A copy of a word that has its own register and one definition, without guard.
    bool is_candidate(const Instruction &instruction) const {
        if (!is_copy(instruction) || instruction.operands[0].words != 1 || instruction.operands[1].words != 1 ||
            instruction.operands[1].negated) {
            return false;
        }
        const Operand &from = instruction.operands[1];
        const RegisterInfo &source = function_.registers[from.reg];
        if (source.words != 1 || source.fixed >= 0 || function_.registers[instruction.operands[0].reg].fixed >= 0 ||
            from.reg == instruction.operands[0].reg || instead_[from.reg] || stays_[from.reg] ||
            !definitions_.is_single(unit_of(from))) {
            return false;
        }
        const Place &place = definitions_.place(unit_of(from));
        return !function_.blocks[place.block].code[place.index].guarded();
    }

    /// Both sides have one definition: they are one value.
    void into_vector(Instruction &copy) {
        const Register to = copy.operands[0].reg;
        if (function_.registers[to].words > 1 && !undefined_[to]) {
            take(copy);
        }
    }

    void take(Instruction &copy) {
        instead_[copy.operands[1].reg] = use(copy.operands[0].reg, 1, copy.operands[0].first);
        copy = {.mnemonic = std::string(kUndefined), .operands = {}};
        ++gathered_;
    }

    /// A variable: it may be written earlier when it is not read in between, and all readers of the word are in this
    /// block, before it is written again.
    void into_variable(BlockIndex block, std::size_t at) {
        auto &code = function_.blocks[block].code;
        const std::uint32_t variable = unit_of(code[at].operands[0]);
        const std::uint32_t word = unit_of(code[at].operands[1]);
        const Place &place = definitions_.place(word);
        if (place.block != block || place.index >= at) {
            return;
        }
        std::uint32_t readers = 0;
        const auto reads = [&](const UnitList &units, std::uint32_t unit) {
            return static_cast<std::uint32_t>(
                std::ranges::count_if(units, [&](std::uint32_t other) { return settled(other) == unit; }));
        };
        for (std::size_t i = place.index; i < at; ++i) {
            const Access access = access_of(code[i], units_);
            const bool defines = i == place.index;
            if ((!defines && reads(access.reads, variable) != 0) || reads(access.writes, variable) != 0) {
                return;
            }
            readers += reads(access.reads, word);
        }
        std::size_t i = at;
        for (; i < code.size(); ++i) {
            const Access access = access_of(code[i], units_);
            readers += reads(access.reads, word);
            if (i > at && reads(access.writes, variable) != 0) {
                break;
            }
        }
        if (i == code.size()) {
            readers += reads(reads_of_end(function_.blocks[block].end, units_), word);
        }
        if (readers == definitions_.readers(word)) {
            take(code[at]);
        }
    }

    /// The unit that has replaced `unit` so far.
    std::uint32_t settled(std::uint32_t unit) const {
        const auto &instead = instead_[units_.owner[unit]];
        return instead ? unit_of(*instead) : unit;
    }

    void rename() {
        const auto put = [&](Operand &operand) {
            if (operand.kind == OperandKind::kPredicate || !operand.has_register() || !instead_[operand.reg]) {
                return;
            }
            operand.first = instead_[operand.reg]->first;
            operand.reg = instead_[operand.reg]->reg;
        };
        for (Block &block : function_.blocks) {
            std::erase_if(block.code, [&](const Instruction &code) {
                return code.mnemonic == kUndefined &&
                       (code.operands.empty() || instead_[code.operands[0].reg].has_value());
            });
            for (Instruction &instruction : block.code) {
                for_each_register(instruction, put);
            }
            if (block.end.kind == EndKind::kTable) {
                put(block.end.index);
            }
        }
    }

    Function &function_;
    Units units_;
    FlowGraph graph_;
    DominatorTree tree_;
    Definitions definitions_;
    std::vector<std::optional<Operand>> instead_; ///< by register
    std::vector<bool> stays_;                     ///< by register
    std::vector<bool> undefined_;                 ///< by register: becomes undefined somewhere
    unsigned gathered_ = 0;
};

} // namespace

unsigned gather_words(Function &function) {
    return Gathering(function).run();
}

} // namespace smsim::ptx::optimise
