#include "ptx/machine/divergence.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <unordered_set>

#include "ptx/machine/liveness.h"

namespace smsim::ptx::machine {

namespace {

bool is_any(const Instruction &instruction, std::span<const std::string_view> prefixes) {
    return std::ranges::any_of(prefixes, [&](std::string_view word) { return instruction.mnemonic.starts_with(word); });
}

/// True for instructions whose results differ between threads though their sources do not.
bool makes_different(const Instruction &instruction) {
    constexpr std::array<std::string_view, 6> kDifferent = {"LDG", "LDS", "LDL", "ATOM", "SHFL", "CALL"};
    constexpr std::array<std::string_view, 4> kOfLanes = {"VOTE", "MATCH", "REDUX", "B2R"};
    if (instruction.mnemonic.starts_with("S2R") || instruction.mnemonic.starts_with("CS2R")) {
        const std::string &name = instruction.operands[1].text;
        return name.starts_with("SR_TID") || name == "SR_LANEID" || name.ends_with("MASK") ||
               name.starts_with("SR_CLOCK") || name.starts_with("SR_GLOBALTIMER");
    }
    return is_any(instruction, kDifferent) || (is_any(instruction, kOfLanes) && !instruction.warp_wide) ||
           instruction.mnemonic.starts_with("BMOV");
}

class Analysis {
  public:
    Analysis(const Function &function, const FlowGraph &graph)
        : function_(function), graph_(graph), units_(function), in_(live_in(function, graph, units_)) {
        result_.registers.assign(function.registers.size(), false);
        result_.branches.assign(function.blocks.size(), false);
        left_.assign(graph.loops.size(), false);
        seen_.assign(function.blocks.size(), false);
        post_dominators();
        collect_definitions();
    }

    Divergence run() {
        for (const Register reg : incoming()) {
            mark(reg);
        }
        do {
            changed_ = false;
            for (const BlockIndex block : graph_.order) {
                for (const Instruction &instruction : function_.blocks[block].code) {
                    flow(instruction);
                }
                end(block);
            }
        } while (changed_);
        return std::move(result_);
    }

  private:
    /// Registers that hold something where a function begins.
    std::vector<Register> incoming() const {
        std::vector<Register> found;
        if (!function_.kernel) {
            in_[0].for_each([&](std::uint32_t unit) { found.push_back(units_.owner[unit]); });
        }
        return found;
    }

    void post_dominators() {
        // One more node stands behind all ends.
        Graph graph = graph_.successors;
        const auto end = static_cast<BlockIndex>(graph.size());
        graph.emplace_back();
        for (BlockIndex block = 0; block < end; ++block) {
            if (graph[block].empty()) {
                graph[block].push_back(end);
            }
        }
        ipdom_ = dominators(reversed(graph), end);
    }

    void collect_definitions() {
        defined_in_.assign(function_.blocks.size(), {});
        for (BlockIndex block = 0; block < function_.blocks.size(); ++block) {
            for (const Instruction &instruction : function_.blocks[block].code) {
                for (const Operand &operand : instruction.operands) {
                    if (operand.defined && operand.has_register()) {
                        defined_in_[block].push_back(operand.reg);
                    }
                }
                for (const Register reg : instruction.defines) {
                    defined_in_[block].push_back(reg);
                }
            }
        }
    }

    void mark(Register reg) {
        if (!result_.registers[reg]) {
            result_.registers[reg] = true;
            changed_ = true;
        }
    }

    void flow(const Instruction &instruction) {
        if (instruction.mnemonic == kUndefined) {
            return;
        }
        bool different = makes_different(instruction);
        for_each_register(instruction, [&](const Operand &operand) {
            different |= !operand.defined && result_.registers[operand.reg];
        });
        if (!different) {
            return;
        }
        for_each_register(instruction, [&](const Operand &operand) {
            if (operand.defined) {
                mark(operand.reg);
            }
        });
        for (const Register reg : instruction.defines) {
            mark(reg);
        }
    }

    void end(BlockIndex block) {
        const End &end = function_.blocks[block].end;
        const Operand *decides = end.kind == EndKind::kBranch  ? &end.predicate
                                 : end.kind == EndKind::kTable ? &end.index
                                                               : nullptr;
        if (decides == nullptr || end.uniform || !decides->has_register() || !result_.registers[decides->reg] ||
            graph_.successors[block].size() < 2) {
            return;
        }
        if (!result_.branches[block]) {
            result_.branches[block] = true;
            changed_ = true;
            parted(block);
        }
    }

    /// Blocks on the ways from `from` to `stop`, `from` among them.
    std::vector<BlockIndex> reach(BlockIndex from, BlockIndex stop) {
        std::vector<BlockIndex> found;
        std::vector<BlockIndex> open = {from};
        while (!open.empty()) {
            const BlockIndex block = open.back();
            open.pop_back();
            if (block == stop || seen_[block]) {
                continue;
            }
            seen_[block] = true;
            found.push_back(block);
            open.insert(open.end(), graph_.successors[block].begin(), graph_.successors[block].end());
        }
        for (const BlockIndex block : found) {
            seen_[block] = false;
        }
        return found;
    }

    /// A divergent branch: what its ways define differs where they meet, and behind the loops that it leaves.
    void parted(BlockIndex branch) {
        const BlockIndex stop = ipdom_[branch];
        std::vector<BlockIndex> passed; // once for each way that comes by
        for (const BlockIndex to : graph_.successors[branch]) {
            const std::vector<BlockIndex> way = reach(to, stop);
            passed.insert(passed.end(), way.begin(), way.end());
        }
        std::ranges::sort(passed);
        std::unordered_set<Register> defined;
        std::vector<BlockIndex> joins;
        for (std::size_t i = 0; i < passed.size(); ++i) {
            const BlockIndex block = passed[i];
            if (i > 0 && passed[i - 1] == block) {
                if (graph_.predecessors[block].size() > 1 && (joins.empty() || joins.back() != block)) {
                    joins.push_back(block);
                }
                continue;
            }
            defined.insert(defined_in_[block].begin(), defined_in_[block].end());
        }
        if (stop < function_.blocks.size()) {
            joins.push_back(stop);
        }
        for (const BlockIndex block : joins) {
            differ_at(block, defined);
        }
        for (LoopIndex loop = graph_.loop_of[branch]; loop != kNoLoop; loop = graph_.loops[loop].parent) {
            leaves(branch, loop);
        }
    }

    /// Registers that live into `block` and are among `defined` differ there.
    void differ_at(BlockIndex block, const std::unordered_set<Register> &defined) {
        for (const Register reg : defined) {
            const unsigned words = function_.registers[reg].words;
            for (unsigned word = 0; word < words; ++word) {
                if (in_[block].has(units_.first[reg] + word)) {
                    mark(reg);
                }
            }
        }
    }

    /// When the branch decides whether a round is the last one of `loop`, rounds end at different times.
    void leaves(BlockIndex branch, LoopIndex loop) {
        // A branch whose ways join inside the loop leaves the number of rounds alone.
        const BlockIndex join = ipdom_[branch];
        if (left_[loop] || (join < graph_.loop_of.size() && graph_.inside(join, loop))) {
            return;
        }
        left_[loop] = true;
        std::unordered_set<Register> defined;
        std::vector<BlockIndex> targets;
        for (BlockIndex block = 0; block < function_.blocks.size(); ++block) {
            if (graph_.loop_of[block] == kNoLoop || !graph_.inside(block, loop)) {
                continue;
            }
            defined.insert(defined_in_[block].begin(), defined_in_[block].end());
            for (const BlockIndex to : graph_.successors[block]) {
                if (!graph_.inside(to, loop)) {
                    targets.push_back(to);
                }
            }
        }
        for (const BlockIndex to : targets) {
            differ_at(to, defined);
        }
    }

    const Function &function_;
    const FlowGraph &graph_;
    Units units_;
    std::vector<SmallUnitSet> in_;
    std::vector<BlockIndex> ipdom_;
    std::vector<std::vector<Register>> defined_in_;
    std::vector<bool> seen_; ///< scratch of `reach`: nothing outside of it
    std::vector<bool> left_; ///< loops that end at different times, which is found out once
    Divergence result_;
    bool changed_ = false;
};

} // namespace

Divergence find_divergence(const Function &function, const FlowGraph &graph) {
    return Analysis(function, graph).run();
}

} // namespace smsim::ptx::machine
