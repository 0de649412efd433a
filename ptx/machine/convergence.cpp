#include "ptx/machine/convergence.h"

#include <algorithm>
#include <map>
#include <set>

#include "ptx/machine/operands.h"

namespace smsim::ptx::machine {

namespace {

/// Where ways that part at `sites` meet again.
struct Region {
    BlockIndex join = kNoBlock;
    std::vector<BlockIndex> sites; ///< blocks with the BSSY, at their end
    std::vector<bool> blocks;      ///< between sites and join
    unsigned number = 0;           ///< of its barrier
};

/// The body of one loop, or the whole function, with inner loops as single nodes.
class Level {
  public:
    Level(const Function &function, const FlowGraph &graph, LoopIndex loop) : graph_(graph), loop_(loop) {
        const auto blocks = static_cast<BlockIndex>(graph.successors.size());
        end_ = blocks;
        ways_.assign(blocks + 1, {});
        for (const BlockIndex block : graph.order) {
            if (!graph.inside(block, loop)) {
                continue;
            }
            const BlockIndex from = node_of(block);
            for (const BlockIndex to : graph.successors[block]) {
                const bool leaves = !graph.inside(to, loop);
                const bool back = loop != kNoLoop && to == graph.loops[loop].header;
                if (!leaves && !back && node_of(to) != from) {
                    ways_[from].push_back(node_of(to));
                }
            }
        }
        connect_ends(function);
        ipdom_ = dominators(reversed(ways_), end_);
    }

    /// The block that stands for `block`: itself, or the header of the loop of the next level that holds it.
    BlockIndex node_of(BlockIndex block) const {
        LoopIndex inner = graph_.loop_of[block];
        if (inner == loop_) {
            return block;
        }
        while (graph_.loops[inner].parent != loop_) {
            inner = graph_.loops[inner].parent;
        }
        return graph_.loops[inner].header;
    }

    /// True when `block` is part of this level.
    bool holds(BlockIndex block) const { return graph_.inside(block, loop_); }

    /// Where the ways from a node meet; kNoBlock when they do not.
    BlockIndex join(BlockIndex node) const {
        const BlockIndex found = ipdom_[node];
        return found == end_ ? kNoBlock : found;
    }

    /// Ways from a node to others of this level that lead to its end.
    std::size_t ways(BlockIndex node) const {
        std::set<BlockIndex> different;
        for (const BlockIndex to : ways_[node]) {
            if (ipdom_[to] != kNoBlock) {
                different.insert(to);
            }
        }
        return different.size();
    }

    /// Nodes from `node` on before `join`, `node` among them.
    std::vector<bool> between(BlockIndex node, BlockIndex join) const {
        std::vector<bool> seen(ways_.size(), false);
        std::vector<BlockIndex> open = {node};
        while (!open.empty()) {
            const BlockIndex at = open.back();
            open.pop_back();
            if (at == join || at == end_ || seen[at]) {
                continue;
            }
            seen[at] = true;
            open.insert(open.end(), ways_[at].begin(), ways_[at].end());
        }
        return seen;
    }

  private:
    /// The end of a round is the latch, that of a function its returns, where every way ends that can get there.
    void connect_ends(const Function &function) {
        if (loop_ != kNoLoop) {
            for (const BlockIndex latch : graph_.loops[loop_].latches) {
                ways_[node_of(latch)].push_back(end_);
            }
            return;
        }
        for (const BlockIndex block : graph_.order) {
            if (graph_.successors[block].empty()) {
                ways_[node_of(block)].push_back(end_);
            }
        }
        // A way that threads leave by guarded EXITs only ends there; elsewhere those count no more than a loop's ways
        // out.
        const std::vector<BlockIndex> known = reverse_postorder(reversed(ways_), end_);
        for (const BlockIndex block : graph_.order) {
            const auto &code = function.blocks[block].code;
            const bool exits = std::ranges::any_of(
                code, [](const Instruction &instruction) { return instruction.mnemonic == "EXIT"; });
            if (exits && std::ranges::find(known, node_of(block)) == known.end()) {
                ways_[node_of(block)].push_back(end_);
            }
        }
    }

    const FlowGraph &graph_;
    LoopIndex loop_;
    BlockIndex end_ = 0;
    Graph ways_;
    std::vector<BlockIndex> ipdom_;
};

class Insertion {
  public:
    Insertion(Function &function, const Divergence &divergence)
        : function_(function), divergence_(divergence), graph_(analyse(function)) {}

    unsigned run() {
        if (graph_.reducible) {
            level(kNoLoop);
            for (LoopIndex loop = 0; loop < graph_.loops.size(); ++loop) {
                level(loop);
            }
        } else {
            whole_function();
        }
        unsigned used = number_regions();
        used = std::max(used, insert_around_calls());
        insert_breaks(); // looks at edges, so before blocks change
        for (const Region &region : regions_) {
            insert(region);
        }
        return used;
    }

  private:
    /// True when threads may leave `loop` in different rounds: some branch that leads out of it diverges.
    bool leaves_divergently(LoopIndex loop) const {
        for (const BlockIndex block : graph_.order) {
            if (divergence_.branches[block] && graph_.inside(block, loop) &&
                std::ranges::any_of(graph_.successors[block],
                                    [&](BlockIndex to) { return !graph_.inside(to, loop); })) {
                return true;
            }
        }
        return false;
    }

    /// Regions of the body of `loop`: divergent branches, and inner loops as a whole.
    void level(LoopIndex loop) {
        const Level level(function_, graph_, loop);
        for (const BlockIndex block : graph_.order) {
            if (graph_.loop_of[block] == loop && divergence_.branches[block] && level.ways(block) > 1) {
                add(level, block, block);
            }
        }
        for (LoopIndex inner = 0; inner < graph_.loops.size(); ++inner) {
            if (graph_.loops[inner].parent == loop && leaves_divergently(inner)) {
                const BlockIndex header = graph_.loops[inner].header;
                for (const BlockIndex front : graph_.predecessors[header]) {
                    if (!graph_.inside(front, inner)) {
                        add(level, header, front);
                    }
                }
            }
        }
    }

    /// Control flow without structure: where all ways to the end meet, and a BSSY at each divergent branch.
    void whole_function() {
        Graph ways = graph_.successors;
        const auto end = static_cast<BlockIndex>(ways.size());
        ways.emplace_back();
        for (BlockIndex block = 0; block < end; ++block) {
            if (ways[block].empty()) {
                ways[block].push_back(end);
            }
        }
        const std::vector<BlockIndex> ipdom = dominators(reversed(ways), end);
        for (const BlockIndex block : graph_.order) {
            const BlockIndex join = ipdom[block];
            if (divergence_.branches[block] && join != end && join != kNoBlock) {
                std::vector<bool> blocks(function_.blocks.size(), false);
                std::vector<BlockIndex> open = graph_.successors[block];
                while (!open.empty()) {
                    const BlockIndex at = open.back();
                    open.pop_back();
                    if (at != join && !blocks[at]) {
                        blocks[at] = true;
                        open.insert(open.end(), graph_.successors[at].begin(), graph_.successors[at].end());
                    }
                }
                join_region(join, block, std::move(blocks));
            }
        }
    }

    void add(const Level &level, BlockIndex node, BlockIndex site) {
        const BlockIndex join = level.join(node);
        if (join == kNoBlock || ends_at_once(join)) {
            return;
        }
        const std::vector<bool> nodes = level.between(node, join);
        std::vector<bool> blocks(function_.blocks.size(), false);
        for (const BlockIndex block : graph_.order) {
            blocks[block] = level.holds(block) && nodes[level.node_of(block)];
        }
        join_region(join, site, std::move(blocks));
    }

    /// Nothing is gained by meeting before an end.
    bool ends_at_once(BlockIndex join) const {
        const Block &block = function_.blocks[join];
        return block.code.empty() && block.end.kind == EndKind::kExit;
    }

    void join_region(BlockIndex join, BlockIndex site, std::vector<bool> blocks) {
        for (Region &region : regions_) {
            if (region.join != join) {
                continue;
            }
            // The threads are in a region with this join already.
            if (!region.blocks[site]) {
                region.sites.push_back(site);
            }
            for (std::size_t i = 0; i < blocks.size(); ++i) {
                region.blocks[i] = region.blocks[i] || blocks[i];
            }
            return;
        }
        regions_.push_back({.join = join, .sites = {site}, .blocks = std::move(blocks)});
    }

    /// A region inside another one, or beginning in it, gets a higher number.
    unsigned number_regions() {
        // A site in a region's own blocks, which came in through another site, is part of it.
        for (Region &region : regions_) {
            std::vector<BlockIndex> kept;
            for (const BlockIndex site : region.sites) {
                const bool covered = std::ranges::any_of(region.sites, [&](BlockIndex other) {
                    return other != site && dominates(graph_.idom, other, site) && region.blocks[site] &&
                           graph_.loop_of[other] == graph_.loop_of[site];
                });
                if (!covered) {
                    kept.push_back(site);
                }
            }
            region.sites = kept;
        }
        unsigned used = 0;
        bool changed = true;
        for (std::size_t rounds = 0; changed && rounds <= regions_.size(); ++rounds) {
            changed = false;
            for (Region &region : regions_) {
                for (const Region &outer : regions_) {
                    const bool inside = outer.join != region.join && begins_inside(region, outer) &&
                                        !(begins_inside(outer, region) && outer.join > region.join);
                    // Higher numbers have no barrier, see assign_barriers.
                    if (inside && region.number <= outer.number && region.number < 2 * kBarriers) {
                        region.number = outer.number + 1;
                        changed = true;
                    }
                }
                used = std::max(used, region.number + 1);
            }
        }
        return used;
    }

    static bool begins_inside(const Region &region, const Region &outer) {
        return std::ranges::any_of(region.sites, [&](BlockIndex site) { return outer.blocks[site]; });
    }

    /// Tells calls what is in use around them. Where a pointer may send threads to different functions, they meet
    /// again behind the call. Returns the number of barriers in use at the same time.
    unsigned insert_around_calls() {
        unsigned used = 0;
        for (BlockIndex block = 0; block < function_.blocks.size(); ++block) {
            unsigned around = 0;
            for (const Region &region : regions_) {
                around = region.blocks[block] ? std::max(around, region.number + 1) : around;
            }
            std::vector<Instruction> code;
            for (Instruction &instruction : function_.blocks[block].code) {
                const bool call = instruction.mnemonic == "CALL";
                const bool parts = call && instruction.callee < 0 && divergence_.registers[instruction.operands[0].reg];
                const std::uint32_t line = instruction.line;
                if (parts) {
                    code.push_back({.mnemonic = "BSSY", .operands = {barrier(around)}, .line = line});
                }
                instruction.barriers = parts ? around + 1 : around;
                used = call ? std::max(used, instruction.barriers) : used;
                code.push_back(std::move(instruction));
                if (parts) {
                    code.push_back({.mnemonic = "BSYNC", .operands = {barrier(around)}, .line = line});
                }
            }
            function_.blocks[block].code = std::move(code);
        }
        return used;
    }

    /// On each edge that leaves a region elsewhere than at its join.
    void insert_breaks() {
        const auto blocks = static_cast<BlockIndex>(function_.blocks.size());
        for (BlockIndex from = 0; from < blocks; ++from) {
            for (const BlockIndex to : graph_.successors[from]) {
                std::vector<unsigned> left;
                for (const Region &region : regions_) {
                    if (region.blocks[from] && to != region.join && !region.blocks[to]) {
                        left.push_back(region.number);
                    }
                }
                if (!left.empty()) {
                    break_on(from, to, left);
                }
            }
        }
    }

    void break_on(BlockIndex from, BlockIndex to, std::vector<unsigned> &left) {
        std::ranges::sort(left, std::greater<>());
        const BlockIndex edge = function_.add_block();
        for (const unsigned number : left) {
            function_.blocks[edge].code.push_back(
                {.mnemonic = "BREAK", .operands = {barrier(number)}, .line = function_.blocks[from].end.line});
        }
        function_.blocks[edge].end.next = to;
        function_.blocks[edge].end.line = function_.blocks[from].end.line;
        for_each_edge(function_.blocks[from], [&](BlockIndex &next) { next = next == to ? edge : next; });
    }

    void insert(const Region &region) {
        for (const BlockIndex site : region.sites) {
            Block &block = function_.blocks[site];
            block.code.push_back(
                {.mnemonic = "BSSY", .operands = {barrier(region.number), label(region.join)}, .line = block.end.line});
        }
        auto &code = function_.blocks[region.join].code;
        code.insert(code.begin(), {.mnemonic = "BSYNC",
                                   .operands = {barrier(region.number)},
                                   .line = code.empty() ? function_.blocks[region.join].end.line : code.front().line});
    }

    Function &function_;
    const Divergence &divergence_;
    FlowGraph graph_;
    std::vector<Region> regions_;
};

/// Loops that wait for what other threads write.
class SpinLoops {
  public:
    explicit SpinLoops(Function &function) : function_(function), graph_(analyse(function)) {}

    void run() {
        for (LoopIndex loop = 0; loop < graph_.loops.size(); ++loop) {
            if (!waits(loop)) {
                continue;
            }
            for (const BlockIndex latch : graph_.loops[loop].latches) {
                Block &block = function_.blocks[latch];
                block.code.push_back({.mnemonic = "YIELD", .line = block.end.line});
            }
        }
    }

  private:
    template <typename Visit> void for_each_instruction(LoopIndex loop, Visit visit) const {
        for (const BlockIndex block : graph_.order) {
            if (graph_.inside(block, loop)) {
                for (const Instruction &instruction : function_.blocks[block].code) {
                    visit(instruction);
                }
            }
        }
    }

    /// True when the condition under which the loop ends comes from memory that others write.
    bool waits(LoopIndex loop) const {
        bool any = false;
        for_each_instruction(
            loop, [&](const Instruction &instruction) { any |= instruction.spins || instruction.mnemonic == "CALL"; });
        if (!any) {
            return false;
        }
        std::set<Register> wanted;
        for (const BlockIndex block : graph_.order) {
            const End &end = function_.blocks[block].end;
            if (!graph_.inside(block, loop) ||
                std::ranges::all_of(graph_.successors[block], [&](BlockIndex to) { return graph_.inside(to, loop); })) {
                continue;
            }
            wanted.insert(end.kind == EndKind::kTable ? end.index.reg : end.predicate.reg);
        }
        for_each_instruction(loop, [&](const Instruction &instruction) {
            if (instruction.mnemonic == "EXIT") {
                wanted.insert(instruction.guard.reg);
            }
        });
        return comes_from_memory(loop, wanted);
    }

    bool comes_from_memory(LoopIndex loop, std::set<Register> &wanted) const {
        bool found = false;
        for (std::size_t before = 0; before != wanted.size() && !found;) {
            before = wanted.size();
            for_each_instruction(loop, [&](const Instruction &instruction) {
                const auto is_wanted = [&](Register reg) { return wanted.contains(reg); };
                bool defines = std::ranges::any_of(instruction.defines, is_wanted);
                for_each_register(
                    instruction, [&](const Operand &operand) { defines |= operand.defined && is_wanted(operand.reg); });
                if (!defines || instruction.mnemonic == kUndefined) {
                    return;
                }
                // A value that went through memory of the thread's own may be what was read.
                found |= instruction.spins || instruction.mnemonic == "CALL" || instruction.mnemonic.starts_with("LD");
                for_each_register(instruction, [&](const Operand &operand) { wanted.insert(operand.reg); });
            });
        }
        return found;
    }

    Function &function_;
    FlowGraph graph_;
};

} // namespace

unsigned insert_convergence(Function &function, const Divergence &divergence) {
    SpinLoops(function).run();
    return Insertion(function, divergence).run();
}

void assign_barriers(Function &function, unsigned base) {
    std::map<unsigned, Register> kept; // what a barrier that is taken again held, by number
    for (Block &block : function.blocks) {
        std::vector<Instruction> code;
        for (Instruction &instruction : block.code) {
            const bool joins = instruction.mnemonic == "BSSY";
            const bool leaves = instruction.mnemonic == "BSYNC";
            if (!joins && !leaves && instruction.mnemonic != "BREAK") {
                code.push_back(std::move(instruction));
                continue;
            }
            const auto number = static_cast<unsigned>(instruction.operands[0].value) + base;
            if (number >= 2 * kBarriers) {
                continue;
            }
            instruction.operands[0].value = number % kBarriers;
            const Operand physical = instruction.operands[0];
            const std::uint32_t line = instruction.line;
            const bool again = number >= kBarriers;
            if (again && !kept.contains(number)) {
                kept[number] = function.add(RegisterClass::kGeneral);
            }
            if (again && joins) {
                code.push_back({.mnemonic = "BMOV", .operands = {define(kept[number]), physical}, .line = line});
            }
            code.push_back(std::move(instruction));
            if (again && leaves) {
                code.push_back({.mnemonic = "BMOV", .operands = {physical, use(kept[number])}, .line = line});
            }
        }
        block.code = std::move(code);
    }
}

} // namespace smsim::ptx::machine
