#include "ptx/machine/waiting_loops.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

namespace smsim::ptx::machine {

namespace {

bool reads_memory(const Instruction &instruction) {
    return instruction.spins || instruction.mnemonic == "CALL" || instruction.mnemonic.starts_with("LD") ||
           instruction.mnemonic.starts_with("ATOM");
}

/// Atomic operations that change what they find, so that a loop over them counts.
bool counts(const Instruction &instruction) {
    constexpr std::array<std::string_view, 3> kCounting = {".ADD", ".INC", ".DEC"};
    const bool named =
        instruction.mnemonic.starts_with("ATOM") && std::ranges::any_of(kCounting, [&](std::string_view word) {
            return instruction.mnemonic.find(word) != std::string::npos;
        });
    const Operand &added = instruction.operands.back(); // of 0 it is a load
    return named && added.kind != OperandKind::kZero && !(added.kind == OperandKind::kInteger && added.value == 0);
}

/// The code of one loop, and which values are made in it of which. Within a block the instruction that made a value is
/// known; of what comes from other blocks of the loop, all that write the register are.
class LoopBody {
  public:
    /// `inside`: the blocks of the loop; `in_each_round`: whether no round passes a block by.
    template <typename Inside, typename Round>
    LoopBody(const Function &function, const FlowGraph &graph, Inside inside, Round in_each_round) {
        for (const BlockIndex block : graph.order) {
            if (!inside(block)) {
                continue;
            }
            const bool each_round = in_each_round(block);
            const std::size_t first = code_.size();
            for (const Instruction &instruction : function.blocks[block].code) {
                if (instruction.mnemonic == "EXIT") {
                    exits_.push_back({{instruction.guard.reg, code_.size(), first}, each_round});
                }
                add(instruction, first);
            }
            const End &end = function.blocks[block].end;
            if (std::ranges::any_of(graph.successors[block], [&](BlockIndex to) { return !inside(to); })) {
                const Register decides = end.kind == EndKind::kTable ? end.index.reg : end.predicate.reg;
                exits_.push_back({{decides, code_.size(), first}, each_round});
            }
        }
    }

    LoopWait wait() const {
        LoopWait found;
        if (!any_spins_) {
            return found;
        }
        bool ends_by_itself = false;
        for (const Exit &exit : exits_) {
            bool stalls = false;
            for (const std::size_t index : sources(makers_of(exit.decides))) {
                const Instruction &instruction = *code_[index].instruction;
                // A value that went through memory of the thread's own may be what was read.
                found.may |= reads_memory(instruction);
                stalls |= instruction.spins && !counts(instruction) && !varies(index);
            }
            found.stalls |= stalls;
            ends_by_itself |= exit.each_round && !stalls;
        }
        found.stalls &= !ends_by_itself;
        return found;
    }

  private:
    struct Place {
        const Instruction *instruction = nullptr;
        std::size_t block_begin = 0; ///< index of the first one of its block
    };
    /// A register where an instruction reads it.
    struct Value {
        Register reg = kNoRegister;
        std::size_t before = 0; ///< index of the reader
        std::size_t block_begin = 0;
    };
    struct Exit {
        Value decides{};         ///< whether threads leave the loop here
        bool each_round = false; ///< no round passes it by
    };

    static bool defines(const Instruction &instruction, Register reg) {
        bool found = std::ranges::find(instruction.defines, reg) != instruction.defines.end();
        if (instruction.mnemonic != kUndefined) {
            for_each_register(instruction,
                              [&](const Operand &operand) { found |= operand.defined && operand.reg == reg; });
        }
        return found;
    }

    void add(const Instruction &instruction, std::size_t block_begin) {
        any_spins_ |= instruction.spins;
        if (instruction.mnemonic != kUndefined) {
            for_each_register(instruction, [&](const Operand &operand) {
                if (operand.defined) {
                    writers_[operand.reg].push_back(code_.size());
                }
            });
        }
        for (const Register reg : instruction.defines) {
            writers_[reg].push_back(code_.size());
        }
        code_.push_back({&instruction, block_begin});
    }

    /// Instructions of the loop that may have made a value.
    std::vector<std::size_t> makers_of(const Value &value) const {
        std::vector<std::size_t> found;
        if (value.reg == kNoRegister) {
            return found;
        }
        for (std::size_t i = value.before; i-- > value.block_begin;) {
            const Instruction &instruction = *code_[i].instruction;
            if (defines(instruction, value.reg)) {
                found.push_back(i);
                if (!instruction.guarded()) {
                    return found;
                }
            }
        }
        const auto writers = writers_.find(value.reg);
        return writers == writers_.end() ? found : writers->second;
    }

    /// What made the values that an instruction reads.
    std::vector<std::size_t> makers_of(std::size_t index) const {
        std::vector<std::size_t> found;
        for_each_register(*code_[index].instruction, [&](const Operand &operand) {
            if (!operand.defined) {
                const auto makers = makers_of(Value{operand.reg, index, code_[index].block_begin});
                found.insert(found.end(), makers.begin(), makers.end());
            }
        });
        return found;
    }

    /// `instructions`, and those of the loop that made what they read.
    std::set<std::size_t> sources(const std::vector<std::size_t> &instructions) const {
        std::set<std::size_t> found(instructions.begin(), instructions.end());
        std::vector<std::size_t> open = instructions;
        while (!open.empty()) {
            const std::size_t at = open.back();
            open.pop_back();
            for (const std::size_t maker : makers_of(at)) {
                if (found.insert(maker).second) {
                    open.push_back(maker);
                }
            }
        }
        return found;
    }

    /// True when what the instruction reads may change from round to round: it comes from memory, or from the round
    /// before.
    bool varies(std::size_t index) const {
        const std::set<std::size_t> made = sources(makers_of(index));
        std::map<std::size_t, std::size_t> waits; // by instruction: sources that are not known to stay the same
        std::map<std::size_t, std::vector<std::size_t>> users;
        std::vector<std::size_t> same;
        for (const std::size_t maker : made) {
            if (reads_memory(*code_[maker].instruction)) {
                return true;
            }
            const std::vector<std::size_t> before = makers_of(maker);
            for (const std::size_t source : before) {
                users[source].push_back(maker);
            }
            waits[maker] = before.size();
            if (before.empty()) {
                same.push_back(maker);
            }
        }
        std::size_t settled = 0;
        for (; !same.empty(); ++settled) {
            const std::size_t maker = same.back();
            same.pop_back();
            for (const std::size_t user : users[maker]) {
                if (--waits[user] == 0) {
                    same.push_back(user);
                }
            }
        }
        return settled < made.size(); // the rest is made of itself
    }

    std::vector<Place> code_;
    std::vector<Exit> exits_;
    std::map<Register, std::vector<std::size_t>> writers_;
    bool any_spins_ = false;
};

} // namespace

std::vector<LoopWait> find_waiting_loops(const Function &function, const FlowGraph &graph) {
    std::vector<LoopWait> found;
    for (LoopIndex loop = 0; loop < graph.loops.size(); ++loop) {
        const auto in_each_round = [&](BlockIndex block) {
            return std::ranges::all_of(graph.loops[loop].latches,
                                       [&](BlockIndex latch) { return dominates(graph.idom, block, latch); });
        };
        const auto inside = [&](BlockIndex block) { return graph.inside(block, loop); };
        found.push_back(LoopBody(function, graph, inside, in_each_round).wait());
    }
    return found;
}

bool stalls_in_circle(const Function &function, const FlowGraph &graph, const std::vector<bool> &circle) {
    const auto inside = [&](BlockIndex block) { return circle[block]; };
    // Without the block nothing of the circle comes back to itself.
    const auto in_each_round = [&](BlockIndex block) {
        Graph rest(circle.size() + 1);
        const auto front = static_cast<BlockIndex>(circle.size());
        for (BlockIndex from = 0; from < front; ++from) {
            if (circle[from] && from != block) {
                rest[front].push_back(from);
                std::ranges::copy_if(graph.successors[from], std::back_inserter(rest[from]),
                                     [&](BlockIndex to) { return circle[to] && to != block; });
            }
        }
        std::vector<std::size_t> position(rest.size(), 0);
        const std::vector<BlockIndex> order = reverse_postorder(rest, front);
        for (std::size_t i = 0; i < order.size(); ++i) {
            position[order[i]] = i;
        }
        return std::ranges::all_of(order, [&](BlockIndex from) {
            return std::ranges::all_of(rest[from], [&](BlockIndex to) { return position[to] > position[from]; });
        });
    };
    return LoopBody(function, graph, inside, in_each_round).wait().stalls;
}

} // namespace smsim::ptx::machine
