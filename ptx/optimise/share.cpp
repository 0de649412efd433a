#include "ptx/optimise/share.h"

#include <map>
#include <tuple>
#include <vector>

#include "ptx/optimise/definitions.h"
#include "ptx/optimise/facts.h"

namespace smsim::ptx::optimise {

using namespace machine;

namespace {

/// What one word holds: kind, bank, value.
using Content = std::tuple<OperandKind, std::uint8_t, std::int64_t>;

class Sharing {
  public:
    explicit Sharing(Function &function)
        : function_(function), units_(function), graph_(analyse(function)), tree_(graph_),
          definitions_(function, graph_, tree_, units_), contents_(function.registers.size()),
          instead_(function.registers.size(), kNoRegister) {}

    unsigned run() {
        for (const BlockIndex block : tree_.order()) {
            const auto &code = function_.blocks[block].code;
            for (std::uint32_t i = 0; i < code.size(); ++i) {
                if (const Register reg = holds_numbers(code[i]); reg != kNoRegister) {
                    find(reg, {block, i});
                }
            }
        }
        if (shared_ != 0) {
            move();
            rename();
        }
        return shared_;
    }

  private:
    /// The first register with some content.
    struct Known {
        Register reg = kNoRegister;
        Place place;                   ///< from where on it has this content
        BlockIndex written = kNoBlock; ///< current block of its instructions
    };

    /// The register that holds only numbers after this instruction; otherwise kNoRegister.
    Register holds_numbers(const Instruction &instruction) {
        if (instruction.mnemonic != "MOV" || instruction.guarded() ||
            instruction.operands[0].kind != OperandKind::kRegister) {
            return kNoRegister;
        }
        const Operand &to = instruction.operands[0];
        const Operand &from = instruction.operands[1];
        const bool number = from.kind == OperandKind::kInteger || from.kind == OperandKind::kZero ||
                            (from.kind == OperandKind::kConstant && !from.has_register());
        if (!number || to.words != 1 || !definitions_.is_single(units_.first[to.reg] + to.first)) {
            return kNoRegister;
        }
        auto &content = contents_[to.reg];
        content[to.first] = {from.kind, from.bank, from.value};
        return content.size() == function_.registers[to.reg].words ? to.reg : kNoRegister;
    }

    void find(Register reg, const Place &place) {
        Known &known = known_[contents_[reg]];
        if (known.reg == kNoRegister) {
            known = {reg, place, place.block};
            return;
        }
        if (!tree_.dominates(known.place, place)) {
            raise(known, place.block);
        }
        instead_[reg] = known.reg;
        ++shared_;
    }

    /// Has the first register written at the end of the block that dominates both places.
    void raise(Known &known, BlockIndex other) {
        BlockIndex above = known.place.block;
        while (!tree_.dominates(above, other)) {
            above = graph_.idom[above];
        }
        const auto &code = function_.blocks[known.written].code;
        for (std::uint32_t i = 0; i < code.size(); ++i) {
            if (code[i].mnemonic == "MOV" && code[i].operands[0].defined && code[i].operands[0].reg == known.reg) {
                moved_.push_back({{known.written, i}, above});
            }
        }
        known.place = {above, static_cast<std::uint32_t>(function_.blocks[above].code.size())};
    }

    /// A register that is raised twice has been moved to the highest place by the last one.
    void move() {
        std::map<std::pair<BlockIndex, std::uint32_t>, BlockIndex> to;
        for (const auto &[from, above] : moved_) {
            to[{from.block, from.index}] = above;
        }
        std::vector<std::pair<BlockIndex, Instruction>> written;
        for (const auto &[from, above] : to) {
            Instruction &instruction = function_.blocks[from.first].code[from.second];
            written.emplace_back(above, instruction);
            instruction = {.mnemonic = std::string(kUndefined), .operands = {}};
        }
        for (auto &[above, instruction] : written) {
            function_.blocks[above].code.push_back(std::move(instruction));
        }
        for (Block &block : function_.blocks) {
            std::erase_if(block.code,
                          [](const Instruction &code) { return code.mnemonic == kUndefined && code.operands.empty(); });
        }
    }

    void rename() {
        const auto put = [&](Operand &operand) {
            if (!operand.defined && operand.has_register() && operand.kind != OperandKind::kPredicate &&
                operand.reg < instead_.size() && instead_[operand.reg] != kNoRegister) {
                operand.reg = instead_[operand.reg];
            }
        };
        for (Block &block : function_.blocks) {
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
    std::vector<std::map<std::uint8_t, Content>> contents_; ///< by register, of its words
    std::vector<Register> instead_;                         ///< by register
    std::map<std::map<std::uint8_t, Content>, Known> known_;
    std::vector<std::pair<Place, BlockIndex>> moved_; ///< instructions, and the block to whose end they move
    unsigned shared_ = 0;
};

} // namespace

unsigned share_numbers(Function &function) {
    return Sharing(function).run();
}

} // namespace smsim::ptx::optimise
