#include "ptx/machine/waiting_loops.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string_view>

namespace smsim::ptx::machine {

namespace {

bool reads_memory(const Instruction &instruction) {
    return instruction.spins || instruction.mnemonic == "CALL" || instruction.mnemonic.starts_with("LD") ||
           instruction.mnemonic.starts_with("ATOM");
}

/// Atomic operations that change memory on every call, so that a loop over them counts.
bool counts(const Instruction &instruction) {
    constexpr std::array<std::string_view, 3> kCounting = {".ADD", ".INC", ".DEC"};
    if (!instruction.mnemonic.starts_with("ATOM") || std::ranges::none_of(kCounting, [&](std::string_view word) {
            return instruction.mnemonic.find(word) != std::string::npos;
        })) {
        return false;
    }
    const Operand &added = instruction.operands.back(); // adding 0 makes it a load
    return added.kind != OperandKind::kZero && !(added.kind == OperandKind::kInteger && added.value == 0);
}

/// The code of one loop, and which values in it are computed from which. Within a block the instruction that computed
/// a value is known; a value from other blocks of the loop may come from any instruction that writes the register.
class LoopBody {
  public:
    /// `blocks`: those of the loop, in the order of the graph; `inside`: whether a block is among them;
    /// `in_each_round`: whether no round bypasses a block.
    template <typename Inside, typename Round>
    LoopBody(const Function &function, const FlowGraph &graph, const std::vector<BlockIndex> &blocks, Inside inside,
             Round in_each_round) {
        for (const BlockIndex block : blocks) {
            count_steps();
            const std::size_t first = code_.size();
            const std::size_t known = exits_.size();
            for (const Instruction &instruction : function.blocks[block].code) {
                if (instruction.mnemonic == "EXIT") {
                    exits_.push_back({.decides = {instruction.guard.reg, code_.size(), first}});
                }
                add(instruction, first);
            }
            // A branch that stays in the loop may decide whether a thread ever reaches a way out.
            const End &end = function.blocks[block].end;
            if (graph.successors[block].size() > 1) {
                const Register decides = end.kind == EndKind::kTable ? end.index.reg : end.predicate.reg;
                const bool leaves =
                    std::ranges::any_of(graph.successors[block], [&](BlockIndex to) { return !inside(to); });
                (leaves ? exits_ : branches_).push_back({.decides = {decides, code_.size(), first}});
            }
            if (exits_.size() > known) {
                const bool each_round = in_each_round(block);
                for (std::size_t i = known; i < exits_.size(); ++i) {
                    exits_[i].each_round = each_round;
                }
            }
        }
    }

    LoopWait wait() {
        LoopWait found;
        if (!any_spins_) {
            return found;
        }
        connect();
        const std::vector<bool> same = find_same();
        std::vector<std::size_t> reads;
        std::vector<std::size_t> stalling;
        for (std::size_t i = 0; i < code_.size(); ++i) {
            const Instruction &instruction = *code_[i].instruction;
            if (reads_memory(instruction)) {
                reads.push_back(i);
            }
            const bool varies = std::ranges::any_of(makers_[i], [&](std::size_t maker) { return !same[maker]; });
            if (instruction.spins && !counts(instruction) && !varies) {
                stalling.push_back(i);
            }
        }
        // A value that went through the thread's own memory may be what was read.
        const std::vector<bool> from_memory = made_of(reads);
        const std::vector<bool> from_others = made_of(stalling);
        const auto any = [&](const Exit &exit, const std::vector<bool> &set) {
            return std::ranges::any_of(makers_of(exit.decides), [&](std::size_t maker) { return set[maker]; });
        };
        bool ends_by_itself = false;
        for (const std::vector<Exit> *ways : {&exits_, &branches_}) {
            for (const Exit &exit : *ways) {
                found.may |= any(exit, from_memory);
                found.stalls |= any(exit, from_others);
                ends_by_itself |= exit.each_round && !any(exit, from_others);
            }
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
        bool each_round = false; ///< no round bypasses it
    };

    void add(const Instruction &instruction, std::size_t block_begin) {
        any_spins_ |= instruction.spins;
        const auto write = [&](Register reg) {
            const auto known = writers_.try_emplace(reg).first;
            if (known->second.empty() || known->second.back() != code_.size()) {
                known->second.push_back(code_.size());
            }
        };
        if (instruction.mnemonic != kUndefined) {
            for_each_register(instruction, [&](const Operand &operand) {
                if (operand.defined) {
                    write(operand.reg);
                }
            });
        }
        std::ranges::for_each(instruction.defines, write);
        code_.push_back({&instruction, block_begin});
    }

    /// What may have computed a value: instructions of the same block, or the node that represents all that write the
    /// register in the loop. Nothing for a value from outside.
    std::vector<std::size_t> makers_of(const Value &value) const {
        std::vector<std::size_t> found;
        const auto writers = writers_.find(value.reg);
        if (value.reg == kNoRegister || writers == writers_.end()) {
            return found;
        }
        const auto &places = writers->second;
        for (auto at = std::ranges::lower_bound(places, value.before); at != places.begin();) {
            if (*--at < value.block_begin) {
                break;
            }
            found.push_back(*at);
            if (!code_[*at].instruction->guarded()) {
                return found;
            }
        }
        found.push_back(nodes_.at(value.reg));
        return found;
    }

    /// Numbers the registers after the instructions, and finds which node is computed from which.
    void connect() {
        for (const auto &[reg, writers] : writers_) {
            const std::size_t node = code_.size() + nodes_.size();
            nodes_[reg] = node;
        }
        makers_.resize(code_.size() + nodes_.size());
        for (std::size_t i = 0; i < code_.size(); ++i) {
            const auto read = [&](Register reg) {
                const auto makers = makers_of(Value{reg, i, code_[i].block_begin});
                makers_[i].insert(makers_[i].end(), makers.begin(), makers.end());
            };
            for_each_register(*code_[i].instruction, [&](const Operand &operand) {
                if (!operand.defined) {
                    read(operand.reg);
                }
            });
            std::ranges::for_each(code_[i].instruction->uses, read); // of a call
        }
        for (const auto &[reg, writers] : writers_) {
            makers_[nodes_[reg]] = writers;
        }
        users_.resize(makers_.size());
        for (std::size_t user = 0; user < makers_.size(); ++user) {
            for (const std::size_t maker : makers_[user]) {
                users_[maker].push_back(user);
            }
        }
    }

    /// Values that are the same in every round: computed only from such values, not from memory, nor from their own
    /// previous value.
    std::vector<bool> find_same() const {
        std::vector<bool> same(makers_.size(), false);
        std::vector<std::size_t> waits(makers_.size(), 0); // makers that are not known to stay the same
        std::vector<std::size_t> open;
        for (std::size_t node = 0; node < makers_.size(); ++node) {
            waits[node] = makers_[node].size();
            if (waits[node] == 0) {
                open.push_back(node);
            }
        }
        while (!open.empty()) {
            const std::size_t node = open.back();
            open.pop_back();
            same[node] = node >= code_.size() || !reads_memory(*code_[node].instruction);
            for (const std::size_t user : users_[node]) {
                if (same[node] && --waits[user] == 0) {
                    open.push_back(user);
                }
            }
        }
        return same;
    }

    /// `values`, and all that is computed from them.
    std::vector<bool> made_of(std::vector<std::size_t> values) const {
        std::vector<bool> found(makers_.size(), false);
        while (!values.empty()) {
            const std::size_t node = values.back();
            values.pop_back();
            if (!found[node]) {
                found[node] = true;
                values.insert(values.end(), users_[node].begin(), users_[node].end());
            }
        }
        return found;
    }

    std::vector<Place> code_;
    std::vector<Exit> exits_;
    std::vector<Exit> branches_;                           ///< with both ways staying in the loop
    std::map<Register, std::vector<std::size_t>> writers_; ///< instructions in order
    // Nodes are instructions by index, then registers.
    std::map<Register, std::size_t> nodes_;
    std::vector<std::vector<std::size_t>> makers_; ///< by node
    std::vector<std::vector<std::size_t>> users_;  ///< by node
    bool any_spins_ = false;
};

/// By loop: whether something in it reads what other threads write.
std::vector<bool> loops_that_spin(const Function &function, const FlowGraph &graph) {
    std::vector<bool> found(graph.loops.size(), false);
    for (const BlockIndex block : graph.order) {
        if (std::ranges::any_of(function.blocks[block].code, &Instruction::spins)) {
            for (LoopIndex loop = graph.loop_of[block]; loop != kNoLoop && !found[loop];
                 loop = graph.loops[loop].parent) {
                found[loop] = true;
            }
        }
    }
    return found;
}

} // namespace

std::vector<LoopWait> find_waiting_loops(const Function &function, const FlowGraph &graph) {
    std::vector<LoopWait> found(graph.loops.size());
    const std::vector<bool> spins = loops_that_spin(function, graph);
    for (LoopIndex loop = 0; loop < graph.loops.size(); ++loop) {
        if (!spins[loop]) {
            continue; // it waits for no other thread
        }
        const auto in_each_round = [&](BlockIndex block) {
            return std::ranges::all_of(graph.loops[loop].latches,
                                       [&](BlockIndex latch) { return graph.dominates(block, latch); });
        };
        const auto inside = [&](BlockIndex block) { return graph.inside(block, loop); };
        found[loop] = LoopBody(function, graph, graph.blocks_of(loop), inside, in_each_round).wait();
    }
    return found;
}

bool stalls_in_circle(const Function &function, const FlowGraph &graph, const std::vector<BlockIndex> &circle,
                      const std::vector<std::uint32_t> &numbers) {
    const auto inside = [&](BlockIndex block) { return numbers[block] == numbers[circle.front()]; };
    const auto index_of = [&](BlockIndex block) {
        const auto at = std::ranges::lower_bound(circle, graph.position[block], {},
                                                 [&](BlockIndex other) { return graph.position[other]; });
        return static_cast<BlockIndex>(at - circle.begin());
    };
    // Without the block nothing of the circle reaches itself again.
    const auto in_each_round = [&](BlockIndex block) {
        Graph rest(circle.size() + 1); // by index in the circle; the last node precedes all
        const auto front = static_cast<BlockIndex>(circle.size());
        for (BlockIndex from = 0; from < front; ++from) {
            if (circle[from] == block) {
                continue;
            }
            rest[front].push_back(from);
            for (const BlockIndex to : graph.successors[circle[from]]) {
                if (inside(to) && to != block) {
                    rest[from].push_back(index_of(to));
                }
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
    return LoopBody(function, graph, circle, inside, in_each_round).wait().stalls;
}

} // namespace smsim::ptx::machine
