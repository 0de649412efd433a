#include "ptx/machine/divergence.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "ptx/machine/liveness.h"

namespace smsim::ptx::machine {

namespace {

bool is_any(const Instruction &instruction, std::span<const std::string_view> prefixes) {
    return std::ranges::any_of(prefixes, [&](std::string_view word) { return instruction.mnemonic.starts_with(word); });
}

/// True for instructions whose results differ between threads though their sources do not.
bool makes_different(const Instruction &instruction) {
    constexpr std::array<std::string_view, 7> kDifferent = {"LDG", "LDS", "LDL", "ATOM", "SHFL", "MOVM", "CALL"};
    constexpr std::array<std::string_view, 4> kOfLanes = {"VOTE", "MATCH", "REDUX", "B2R"};
    if (instruction.mnemonic.starts_with("S2R") || instruction.mnemonic.starts_with("CS2R")) {
        const std::string &name = instruction.operands[1].text;
        return name.starts_with("SR_TID") || name == "SR_LANEID" || name.ends_with("MASK") ||
               name.starts_with("SR_CLOCK") || name.starts_with("SR_GLOBALTIMER");
    }
    return is_any(instruction, kDifferent) || (is_any(instruction, kOfLanes) && !instruction.warp_wide) ||
           instruction.mnemonic.starts_with("BMOV");
}

/// Values by place, and the highest of a range of places.
class Highest {
  public:
    explicit Highest(std::size_t places) {
        while (leaves_ < places) {
            leaves_ *= 2;
        }
        values_.assign(2 * leaves_, 0);
    }
    void set(std::size_t place, std::uint32_t value) {
        std::size_t at = leaves_ + place;
        values_[at] = value;
        for (at /= 2; at > 0; at /= 2) {
            values_[at] = std::max(values_[2 * at], values_[2 * at + 1]);
        }
    }
    /// The highest value of the places from `first` to before `last`; 0 when there are none.
    std::uint32_t of(std::size_t first, std::size_t last) const {
        std::uint32_t highest = 0;
        for (first += leaves_, last += leaves_; first < last; first /= 2, last /= 2) {
            if (first % 2 == 1) {
                highest = std::max(highest, values_[first++]);
            }
            if (last % 2 == 1) {
                highest = std::max(highest, values_[--last]);
            }
        }
        return highest;
    }

  private:
    std::size_t leaves_ = 1;
    std::vector<std::uint32_t> values_; ///< a tree, with the root at 1
};

class Analysis {
  public:
    Analysis(const Function &function, const FlowGraph &graph)
        : function_(function), graph_(graph), units_(function), in_(live_in(function, graph, units_)) {
        result_.registers.assign(function.registers.size(), false);
        result_.branches.assign(function.blocks.size(), false);
        left_.assign(graph.loops.size(), false);
        ways_.resize(function.blocks.size());
        defined_by_.assign(function.registers.size(), 0);
        post_dominators();
        collect_definitions();
        find_open();
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
        // An additional node follows all ends.
        Graph graph = graph_.successors;
        const auto end = static_cast<BlockIndex>(graph.size());
        graph.emplace_back();
        for (BlockIndex block = 0; block < end; ++block) {
            if (graph[block].empty()) {
                graph[block].push_back(end);
            }
        }
        ipdom_ = dominators(reversed(graph), end);
        post_dominance_ = Forest(ipdom_);
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

    // --- definitions that a divergent branch may concern -----------------------------------------------------------

    /// A register is open while it is not known to differ, but lives into a block where ways meet. A branch whose ways
    /// pass no definition of an open register changes nothing; most branches need no further examination.
    void find_open() {
        numbers_ = numbers_along_ways(graph_);
        std::vector<bool> is_open(function_.registers.size(), false);
        std::vector<bool> meets(ipdom_.size(), false);
        for (BlockIndex block = 0; block < function_.blocks.size(); ++block) {
            meets[block] = meets[block] || graph_.predecessors[block].size() > 1;
            if (graph_.successors[block].size() > 1 && ipdom_[block] != kNoBlock) {
                meets[ipdom_[block]] = true;
            }
        }
        for (BlockIndex block = 0; block < function_.blocks.size(); ++block) {
            if (meets[block]) {
                in_[block].for_each([&](std::uint32_t unit) { is_open[units_.owner[unit]] = true; });
            }
        }
        open_in_.assign(function_.blocks.size(), 0);
        blocks_defining_.resize(function_.registers.size());
        for (BlockIndex block = 0; block < function_.blocks.size(); ++block) {
            for (const Register reg : defined_in_[block]) {
                if (is_open[reg]) {
                    blocks_defining_[reg].push_back(block);
                    ++open_in_[block];
                }
            }
        }
        highest_open_ = Highest(ipdom_.size());
        for (BlockIndex block = 0; block < function_.blocks.size(); ++block) {
            if (open_in_[block] != 0) {
                highest_open_.set(post_dominance_.first(block), numbers_[block]);
                open_without_end_ += ipdom_[block] == kNoBlock ? 1 : 0;
            }
        }
    }

    void close(Register reg) {
        for (const BlockIndex block : blocks_defining_[reg]) {
            if (--open_in_[block] == 0) {
                highest_open_.set(post_dominance_.first(block), 0);
                open_without_end_ -= ipdom_[block] == kNoBlock ? 1 : 0;
            }
        }
        blocks_defining_[reg].clear();
    }

    /// False when certainly no open register is defined on the ways from `branch` to `stop`: what is on them has
    /// `stop` after it on every way to the end, or leads to none, and no lower number than the branch.
    bool may_matter(BlockIndex branch, BlockIndex stop) const {
        count_steps();
        return stop == kNoBlock || open_without_end_ != 0 ||
               highest_open_.of(post_dominance_.first(stop), post_dominance_.end(stop)) >= numbers_[branch];
    }

    void mark(Register reg) {
        if (!result_.registers[reg]) {
            result_.registers[reg] = true;
            changed_ = true;
            close(reg);
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

    /// The next stamp; equal stamps mark what belongs together.
    std::uint32_t new_stamp() { return ++stamp_; }

    /// Fills `passed_` with the blocks on the ways from `branch` to `stop`, each once, and records which of them
    /// several ways pass. Two ways to a block give as much information as any number.
    void pass(BlockIndex branch, BlockIndex stop) {
        const std::uint32_t stamp = new_stamp();
        passed_.clear();
        std::vector<std::pair<BlockIndex, BlockIndex>> open; // with the side of the branch at which the way begins
        for (const BlockIndex side : graph_.successors[branch]) {
            open.emplace_back(side, side);
        }
        while (!open.empty()) {
            const auto [block, side] = open.back();
            open.pop_back();
            count_steps();
            Passed &known = ways_[block];
            const bool is_first = known.stamp != stamp;
            if (block == stop || (!is_first && (known.side == side || known.by_several))) {
                continue;
            }
            if (is_first) {
                known = {stamp, side, false};
                passed_.push_back(block);
            } else {
                known.by_several = true;
            }
            for (const BlockIndex to : graph_.successors[block]) {
                open.emplace_back(to, side);
            }
        }
    }

    void stamp_definitions(BlockIndex block, std::uint32_t stamp) {
        count_steps(defined_in_[block].size());
        for (const Register reg : defined_in_[block]) {
            defined_by_[reg] = stamp;
        }
    }

    /// A divergent branch: what its ways define differs where they meet, and after the loops that it leaves.
    void parted(BlockIndex branch) {
        const BlockIndex stop = ipdom_[branch];
        if (may_matter(branch, stop)) {
            meet(branch, stop);
        }
        for (LoopIndex loop = graph_.loop_of[branch]; loop != kNoLoop; loop = graph_.loops[loop].parent) {
            leaves(branch, loop);
        }
    }

    void meet(BlockIndex branch, BlockIndex stop) {
        pass(branch, stop);
        const std::uint32_t stamp = new_stamp();
        for (const BlockIndex block : passed_) {
            stamp_definitions(block, stamp);
        }
        for (const BlockIndex block : passed_) {
            if (ways_[block].by_several && graph_.predecessors[block].size() > 1) {
                differ_at(block, stamp);
            }
        }
        if (stop < function_.blocks.size()) {
            differ_at(stop, stamp);
        }
    }

    /// Stamped registers that live into `block` differ there.
    void differ_at(BlockIndex block, std::uint32_t stamp) {
        in_[block].for_each([&](std::uint32_t unit) {
            count_steps();
            if (const Register reg = units_.owner[unit]; defined_by_[reg] == stamp) {
                mark(reg);
            }
        });
    }

    /// When the branch decides whether a round of `loop` is the last, rounds end at different times.
    void leaves(BlockIndex branch, LoopIndex loop) {
        // A branch whose ways join inside the loop does not affect the number of rounds.
        const BlockIndex join = ipdom_[branch];
        if (left_[loop] || (join < graph_.loop_of.size() && graph_.inside(join, loop))) {
            return;
        }
        left_[loop] = true;
        const std::uint32_t stamp = new_stamp();
        const std::vector<BlockIndex> blocks = graph_.blocks_of(loop);
        for (const BlockIndex block : blocks) {
            stamp_definitions(block, stamp);
        }
        for (const BlockIndex block : blocks) {
            for (const BlockIndex to : graph_.successors[block]) {
                if (!graph_.inside(to, loop)) {
                    differ_at(to, stamp);
                }
            }
        }
    }

    const Function &function_;
    const FlowGraph &graph_;
    Units units_;
    std::vector<SmallUnitSet> in_;
    std::vector<BlockIndex> ipdom_;
    std::vector<std::vector<Register>> defined_in_;
    Forest post_dominance_;
    std::uint32_t stamp_ = 0;
    struct Passed {
        std::uint32_t stamp = 0;
        BlockIndex side = kNoBlock; ///< the side on which the first way to the block begins
        bool by_several = false;
    };
    std::vector<Passed> ways_;                             ///< by block: of the last branch that passed it
    std::vector<BlockIndex> passed_;                       ///< on the ways of the current branch
    std::vector<std::uint32_t> defined_by_;                ///< by register: the last stamp
    std::vector<bool> left_;                               ///< loops that end at different times; computed only once
    std::vector<std::uint32_t> numbers_;                   ///< as `numbers_along_ways`
    std::vector<std::uint32_t> open_in_;                   ///< by block: definitions of open registers
    std::vector<std::vector<BlockIndex>> blocks_defining_; ///< by open register
    Highest highest_open_{0}; ///< numbers of blocks that define open registers, by their place in `post_dominance_`
    std::size_t open_without_end_ = 0; ///< blocks that define open registers, and from which no way leads to an end
    Divergence result_;
    bool changed_ = false;
};

} // namespace

Divergence find_divergence(const Function &function, const FlowGraph &graph) {
    return Analysis(function, graph).run();
}

} // namespace smsim::ptx::machine
