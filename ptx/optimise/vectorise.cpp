#include "ptx/optimise/vectorise.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "ptx/machine/operands.h"
#include "ptx/optimise/alignment.h"
#include "ptx/optimise/definitions.h"
#include "ptx/optimise/facts.h"

namespace smsim::ptx::optimise {

using namespace machine;

namespace {

class Vectorising {
  public:
    explicit Vectorising(Function &function)
        : function_(function), units_(function), graph_(analyse(function)), tree_(graph_),
          definitions_(function, graph_, tree_, units_), zeros_(trailing_zeros(function, graph_, units_)) {}

    unsigned run() {
        for (const BlockIndex block : graph_.order) {
            auto &code = function_.blocks[block].code;
            becomes_.assign(code.size(), {});
            for (std::size_t i = 0; i < code.size(); ++i) {
                look(code, i);
            }
            close(code);
            rewrite(code);
        }
        return gone_;
    }

  private:
    /// Loads that may be joined: instructions by space and base, and by offset.
    using Key = std::tuple<char, Register>;
    using Group = std::map<std::int64_t, std::size_t>;

    /// A plain load of a word, whose result does not change.
    bool is_candidate(const Instruction &instruction) const {
        if ((instruction.mnemonic != "LDS" && instruction.mnemonic != "LDL") || instruction.guarded() ||
            instruction.spins) {
            return false;
        }
        const Operand &to = instruction.operands[0];
        const Operand &from = instruction.operands[1];
        return to.kind == OperandKind::kRegister && to.words == 1 && function_.registers[to.reg].words == 1 &&
               definitions_.is_single(units_.first[to.reg]) && from.kind == OperandKind::kAddress &&
               from.value % 4 == 0 && (!from.has_register() || function_.registers[from.reg].fixed < 0);
    }

    void look(std::vector<Instruction> &code, std::size_t at) {
        const Instruction &instruction = code[at];
        if (is_candidate(instruction)) {
            Group &group = open_[{instruction.mnemonic[2], instruction.operands[1].reg}];
            group.emplace(instruction.operands[1].value, at);
            return;
        }
        // Writes to memory, ordered accesses, and instructions that redirect threads end all groups; so does a write
        // of their base.
        if (has_effect(instruction)) {
            close(code);
            return;
        }
        for (const Operand &operand : instruction.operands) {
            if (operand.defined && operand.kind == OperandKind::kRegister) {
                close_base(code, operand.reg);
            }
        }
    }

    void close_base(std::vector<Instruction> &code, Register reg) {
        for (const char space : {'L', 'S'}) {
            if (const auto group = open_.find({space, reg}); group != open_.end()) {
                join(code, reg, group->second);
                open_.erase(group);
            }
        }
    }

    void close(std::vector<Instruction> &code) {
        for (auto &[key, group] : open_) {
            join(code, std::get<1>(key), group);
        }
        open_.clear();
    }

    /// Bits of the base that are zero.
    unsigned zeros_of(Register base) const { return base == kNoRegister ? 32 : zeros_[units_.first[base]]; }

    void join(std::vector<Instruction> &code, Register base, const Group &group) {
        const std::int64_t most = zeros_of(base) >= 4 ? 16 : (zeros_of(base) == 3 ? 8 : 4);
        for (auto first = group.begin(); first != group.end();) {
            std::int64_t bytes = 4;
            for (std::int64_t size = most; size > 4; size /= 2) {
                if (first->first % size == 0 && reaches(group, first->first, size)) {
                    bytes = size;
                    break;
                }
            }
            if (bytes == 4) {
                ++first;
                continue;
            }
            std::vector<std::size_t> members;
            for (std::int64_t offset = 0; offset < bytes; offset += 4, ++first) {
                members.push_back(first->second);
            }
            write(code, base, members);
        }
    }

    static bool reaches(const Group &group, std::int64_t offset, std::int64_t size) {
        for (std::int64_t next = offset; next < offset + size; next += 4) {
            if (!group.contains(next)) {
                return false;
            }
        }
        return true;
    }

    /// Replaces the first of these loads, which are in the order of their addresses, by one load of all.
    void write(std::vector<Instruction> &code, Register base, const std::vector<std::size_t> &members) {
        const auto words = static_cast<unsigned>(members.size());
        const std::size_t place = *std::ranges::min_element(members);
        const Register vector = function_.add(RegisterClass::kGeneral, words);
        function_.registers[vector].temporary = true;
        Instruction load = code[place];
        load.mnemonic += words == 4 ? ".128" : ".64";
        load.operands = {define(vector, words), address(base, code[members[0]].operands[1].value)};
        std::vector<Instruction> copies;
        for (unsigned i = 0; i < words; ++i) {
            copies.push_back({.mnemonic = "MOV",
                              .operands = {code[members[i]].operands[0], use(vector, 1, i)},
                              .line = code[members[i]].line});
            becomes_[members[i]].gone = true;
        }
        copies.insert(copies.begin(), std::move(load));
        becomes_[place].code = std::move(copies);
        gone_ += words - 1;
    }

    void rewrite(std::vector<Instruction> &code) const {
        std::vector<Instruction> written;
        written.reserve(code.size());
        for (std::size_t i = 0; i < code.size(); ++i) {
            written.insert(written.end(), becomes_[i].code.begin(), becomes_[i].code.end());
            if (!becomes_[i].gone) {
                written.push_back(std::move(code[i]));
            }
        }
        code = std::move(written);
    }

    struct Fate {
        bool gone = false;
        std::vector<Instruction> code{}; ///< replaces it
    };

    Function &function_;
    Units units_;
    FlowGraph graph_;
    DominatorTree tree_;
    Definitions definitions_;
    std::vector<std::uint8_t> zeros_;
    std::map<Key, Group> open_;
    std::vector<Fate> becomes_; ///< by instruction of the block
    unsigned gone_ = 0;
};

} // namespace

unsigned vectorise_loads(Function &function) {
    return Vectorising(function).run();
}

} // namespace smsim::ptx::optimise
