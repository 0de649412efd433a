// Builds static single assignment for each word as a side table: the places where definitions meet, from the dominance
// frontiers, where the word is live; then one walk down the dominator tree gives each access its definition.
// Definitions belong to one register if they meet, if a guarded instruction may leave them unchanged, or if one
// operand uses them together.
#include "ptx/optimise/webs.h"

#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>

#include "ptx/machine/operands.h"
#include "ptx/optimise/definitions.h"

namespace smsim::ptx::optimise {

using namespace machine;

namespace {

/// A definition of one word, a meeting of several, or the word's value at the entry.
using Node = std::uint32_t;
inline constexpr Node kNoNode = 0xffffffff;

class Splitter {
  public:
    explicit Splitter(Function &function)
        : function_(function), units_(function), graph_(analyse(function)), tree_(graph_) {}

    void run() {
        meet();
        walk();
        give_registers();
        rename();
    }

  private:
    Node new_node(std::uint32_t unit) {
        parents_.push_back(static_cast<Node>(parents_.size()));
        unit_of_.push_back(unit);
        return parents_.back();
    }
    Node root(Node node) {
        while (parents_[node] != node) {
            parents_[node] = parents_[parents_[node]];
            node = parents_[node];
        }
        return node;
    }
    void join(Node a, Node b) { parents_[root(a)] = root(b); }

    /// Blocks at whose beginning definitions of a word meet: there the block gets a node for it.
    void meet() {
        const std::vector<SmallUnitSet> live = live_in(function_, graph_, units_);
        std::vector<std::vector<BlockIndex>> frontier(function_.blocks.size());
        for (const BlockIndex block : graph_.order) {
            if (graph_.predecessors[block].size() < 2) {
                continue;
            }
            for (BlockIndex from : graph_.predecessors[block]) {
                while (from != kNoBlock && graph_.idom[from] != kNoBlock && from != graph_.idom[block]) {
                    count_steps();
                    frontier[from].push_back(block);
                    if (from == graph_.idom[from]) {
                        break;
                    }
                    from = graph_.idom[from];
                }
            }
        }
        std::vector<std::vector<BlockIndex>> written(units_.count);
        for (const BlockIndex block : graph_.order) {
            for (const Instruction &instruction : function_.blocks[block].code) {
                for (const std::uint32_t unit : access_of(instruction, units_).writes) {
                    if (written[unit].empty() || written[unit].back() != block) {
                        written[unit].push_back(block);
                    }
                }
            }
        }
        meetings_.resize(function_.blocks.size());
        for (std::uint32_t unit = 0; unit < units_.count; ++unit) {
            std::vector<BlockIndex> open = written[unit];
            while (!open.empty()) {
                const BlockIndex block = open.back();
                open.pop_back();
                for (const BlockIndex at : frontier[block]) {
                    count_steps();
                    if (live[at].has(unit) && !meetings_[at].contains(unit)) {
                        meetings_[at].emplace(unit, new_node(unit));
                        open.push_back(at);
                    }
                }
            }
        }
    }

    /// Gives every access of a word its node, down the dominator tree.
    void walk() {
        current_.assign(units_.count, kNoNode);
        accesses_.resize(function_.blocks.size());
        struct Step {
            BlockIndex block;
            std::size_t child;
            std::vector<std::pair<std::uint32_t, Node>> before; ///< what the block has changed
        };
        std::vector<Step> open;
        open.push_back({0, 0, {}});
        enter(0, open.back().before);
        while (!open.empty()) {
            Step &step = open.back();
            if (step.child < tree_.below(step.block).size()) {
                const BlockIndex child = tree_.below(step.block)[step.child++];
                open.push_back({child, 0, {}});
                enter(child, open.back().before);
                continue;
            }
            for (auto change = step.before.rbegin(); change != step.before.rend(); ++change) {
                current_[change->first] = change->second;
            }
            open.pop_back();
        }
    }

    Node current(std::uint32_t unit, std::vector<std::pair<std::uint32_t, Node>> &before) {
        if (current_[unit] == kNoNode) { // its value at the entry
            set(unit, new_node(unit), before);
        }
        return current_[unit];
    }
    void set(std::uint32_t unit, Node node, std::vector<std::pair<std::uint32_t, Node>> &before) {
        before.emplace_back(unit, current_[unit]);
        current_[unit] = node;
    }

    void enter(BlockIndex block, std::vector<std::pair<std::uint32_t, Node>> &before) {
        for (const auto &[unit, node] : meetings_[block]) {
            set(unit, node, before);
        }
        Block &code = function_.blocks[block];
        for (Instruction &instruction : code.code) {
            if (instruction.mnemonic == kUndefined) { // its words may be separated
                const Operand &all = instruction.operands[0];
                for (unsigned i = 0; i < function_.registers[all.reg].words; ++i) {
                    const Node node = new_node(units_.first[all.reg] + i);
                    set(units_.first[all.reg] + i, node, before);
                    accesses_[block].push_back(node);
                }
                continue;
            }
            const bool kills = !instruction.guarded() || instruction.kills;
            // All is read before anything is written.
            for_each_register(instruction, [&](const Operand &operand) {
                if (!operand.defined) {
                    record(block, operand, before);
                }
            });
            for_each_register(instruction, [&](const Operand &operand) {
                if (operand.defined) {
                    define(block, operand, kills, before);
                }
            });
        }
        if (code.end.kind == EndKind::kBranch && code.end.predicate.has_register()) {
            record(block, code.end.predicate, before);
        }
        if (code.end.kind == EndKind::kTable) {
            record(block, code.end.index, before);
        }
        for (const BlockIndex to : graph_.successors[block]) {
            for (const auto &[unit, node] : meetings_[to]) {
                join(current(unit, before), node);
            }
        }
    }

    unsigned first_word(const Operand &operand) const {
        return operand.kind == OperandKind::kRegister ? operand.first : 0;
    }
    unsigned words_of(const Operand &operand) const {
        return operand.kind == OperandKind::kRegister || operand.kind == OperandKind::kAddress ? operand.words : 1;
    }

    void record(BlockIndex block, const Operand &operand, std::vector<std::pair<std::uint32_t, Node>> &before) {
        const std::uint32_t base = units_.first[operand.reg] + first_word(operand);
        const Node first = current(base, before);
        for (unsigned i = 1; i < words_of(operand); ++i) {
            join(first, current(base + i, before));
        }
        accesses_[block].push_back(first);
    }

    void define(BlockIndex block, const Operand &operand, bool kills,
                std::vector<std::pair<std::uint32_t, Node>> &before) {
        const std::uint32_t base = units_.first[operand.reg] + first_word(operand);
        Node first = kNoNode;
        for (unsigned i = 0; i < words_of(operand); ++i) {
            const Node node = new_node(base + i);
            if (!kills) {
                join(node, current(base + i, before));
            }
            set(base + i, node, before);
            if (first != kNoNode) {
                join(first, node);
            }
            first = node;
        }
        accesses_[block].push_back(first);
    }

    /// One register for each group, with as many words as its words span.
    void give_registers() {
        sizes_.assign(parents_.size(), 0);
        for (Node node = 0; node < parents_.size(); ++node) {
            ++sizes_[root(node)];
        }
        for (const RegisterInfo &info : function_.registers) {
            words_.push_back(info.words);
        }
        std::unordered_map<Node, std::pair<unsigned, unsigned>> reach; // first word and last, by group
        for (Node node = 0; node < parents_.size(); ++node) {
            const unsigned word = unit_of_[node] - units_.first[units_.owner[unit_of_[node]]];
            const auto [entry, fresh] = reach.try_emplace(root(node), std::pair(word, word));
            if (!fresh) {
                entry->second = {std::min(entry->second.first, word), std::max(entry->second.second, word)};
            }
        }
        std::vector<Node> groups;
        for (Node node = 0; node < parents_.size(); ++node) {
            if (parents_[node] == node) {
                groups.push_back(node);
            }
        }
        std::vector<bool> kept(function_.registers.size(), false); // the first group keeps the register's number
        for (const Node group : groups) {
            const Register owner = units_.owner[unit_of_[group]];
            const RegisterInfo info = function_.registers[owner];
            if (info.fixed >= 0) {
                continue;
            }
            const auto [first, last] = reach[group];
            unsigned words = 1;
            while (first / words != last / words) { // an aligned place for all of them
                words *= 2;
            }
            const unsigned base = words == 1 ? first : first / words * words;
            Register reg = owner;
            if (kept[owner] || words != info.words) {
                reg = function_.add(info.kind, words);
                function_.registers[reg].temporary = info.temporary;
            }
            kept[owner] = kept[owner] || reg == owner;
            given_.emplace(group, std::pair(reg, base));
        }
    }

    /// What becomes undefined at `instruction`: the resulting registers that are written or read.
    void announce(const Instruction &instruction, std::span<const Node> nodes, std::vector<Instruction> &code) {
        std::vector<Register> known;
        for (const Node node : nodes) {
            const auto found = given_.find(root(node));
            const Register reg = found == given_.end() ? instruction.operands[0].reg : found->second.first;
            if (sizes_[root(node)] == 1 || std::ranges::find(known, reg) != known.end()) {
                continue;
            }
            known.push_back(reg);
            const RegisterInfo &info = function_.registers[reg];
            Instruction copy = instruction;
            copy.operands = {info.kind == RegisterClass::kPredicate ? define_predicate(reg)
                                                                    : machine::define(reg, info.words)};
            code.push_back(std::move(copy));
        }
    }

    void rename() {
        for (const BlockIndex block : graph_.order) {
            std::size_t next = 0;
            Block &code = function_.blocks[block];
            const auto put = [&](Operand &operand) {
                const auto found = given_.find(root(accesses_[block][next++]));
                if (found == given_.end()) {
                    return;
                }
                operand.reg = found->second.first;
                if (operand.kind == OperandKind::kRegister) {
                    operand.first = static_cast<std::uint8_t>(operand.first - found->second.second);
                }
            };
            std::vector<Instruction> renamed;
            renamed.reserve(code.code.size());
            for (Instruction &instruction : code.code) {
                if (instruction.mnemonic == kUndefined) {
                    const unsigned words = words_[instruction.operands[0].reg];
                    announce(instruction, std::span(accesses_[block]).subspan(next, words), renamed);
                    next += words;
                    continue;
                }
                for_each_register(instruction, [&](Operand &operand) {
                    if (!operand.defined) {
                        put(operand);
                    }
                });
                for_each_register(instruction, [&](Operand &operand) {
                    if (operand.defined) {
                        put(operand);
                    }
                });
                renamed.push_back(std::move(instruction));
            }
            code.code = std::move(renamed);
            if (code.end.kind == EndKind::kBranch && code.end.predicate.has_register()) {
                put(code.end.predicate);
            }
            if (code.end.kind == EndKind::kTable) {
                put(code.end.index);
            }
        }
    }

    Function &function_;
    Units units_;
    FlowGraph graph_;
    DominatorTree tree_;
    std::vector<Node> parents_;
    std::vector<std::uint32_t> unit_of_;
    std::vector<std::map<std::uint32_t, Node>> meetings_; ///< by block and unit
    std::vector<Node> current_;                           ///< by unit
    std::vector<std::vector<Node>> accesses_;             ///< by block, in the order in which they are visited
    std::vector<std::uint32_t> sizes_;                    ///< by group
    std::vector<std::uint8_t> words_;                     ///< by register, before the pass
    std::unordered_map<Node, std::pair<Register, unsigned>> given_; ///< by group: register, and its first word
};

} // namespace

void split_registers(Function &function) {
    Splitter(function).run();
}

} // namespace smsim::ptx::optimise
