#include "ptx/machine/flow_graph.h"

#include <algorithm>
#include <utility>

namespace smsim::ptx::machine {

namespace {

Graph successor_graph(const Function &function) {
    Graph graph;
    graph.reserve(function.blocks.size());
    for (const Block &block : function.blocks) {
        graph.push_back(successors(block));
    }
    return graph;
}

/// Nearest common dominator, by positions in reverse postorder.
BlockIndex meet(const std::vector<BlockIndex> &idom, const std::vector<std::uint32_t> &position, BlockIndex a,
                BlockIndex b) {
    while (a != b) {
        while (position[a] > position[b]) {
            a = idom[a];
        }
        while (position[b] > position[a]) {
            b = idom[b];
        }
    }
    return a;
}

class LoopFinder {
  public:
    explicit LoopFinder(FlowGraph &graph) : graph_(graph) {}

    void run() {
        std::vector<std::uint32_t> position(graph_.successors.size());
        for (std::uint32_t i = 0; i < graph_.order.size(); ++i) {
            position[graph_.order[i]] = i;
        }
        for (const BlockIndex from : graph_.order) {
            for (const BlockIndex to : graph_.successors[from]) {
                if (position[to] > position[from]) {
                    continue;
                }
                if (dominates(graph_.idom, to, from)) {
                    back_edge(from, to);
                } else {
                    graph_.reducible = false;
                }
            }
        }
        nest();
    }

  private:
    void back_edge(BlockIndex latch, BlockIndex header) {
        const auto known = std::ranges::find(graph_.loops, header, &Loop::header);
        const auto index = static_cast<std::size_t>(known - graph_.loops.begin());
        if (known == graph_.loops.end()) {
            graph_.loops.push_back({.header = header, .latches = {}});
            blocks_.emplace_back(graph_.successors.size(), false);
            blocks_.back()[header] = true;
        }
        graph_.loops[index].latches.push_back(latch);
        std::vector<BlockIndex> open = {latch};
        while (!open.empty()) {
            const BlockIndex block = open.back();
            open.pop_back();
            if (!blocks_[index][block]) {
                blocks_[index][block] = true;
                open.insert(open.end(), graph_.predecessors[block].begin(), graph_.predecessors[block].end());
            }
        }
    }

    /// Parents and innermost loops: of two loops with a common block, one holds the other.
    void nest() {
        const auto size = [&](LoopIndex loop) { return std::ranges::count(blocks_[loop], true); };
        std::vector<LoopIndex> by_size(graph_.loops.size());
        std::vector<std::ptrdiff_t> sizes;
        for (LoopIndex i = 0; i < by_size.size(); ++i) {
            by_size[i] = i;
            sizes.push_back(size(i));
        }
        std::ranges::stable_sort(by_size, [&](LoopIndex a, LoopIndex b) { return sizes[a] > sizes[b]; });
        for (const LoopIndex loop : by_size) { // outer ones first, inner ones write over them
            graph_.loops[loop].parent = graph_.loop_of[graph_.loops[loop].header];
            const LoopIndex parent = graph_.loops[loop].parent;
            graph_.loops[loop].depth = parent == kNoLoop ? 1 : graph_.loops[parent].depth + 1;
            for (BlockIndex block = 0; block < blocks_[loop].size(); ++block) {
                if (blocks_[loop][block]) {
                    graph_.loop_of[block] = loop;
                }
            }
        }
    }

    FlowGraph &graph_;
    std::vector<std::vector<bool>> blocks_; ///< by loop
};

/// Where a jump to `block` ends when empty blocks are passed over.
BlockIndex final_target(const Function &function, BlockIndex block) {
    for (std::size_t steps = 0; steps < function.blocks.size(); ++steps) {
        const Block &at = function.blocks[block];
        if (!at.code.empty() || at.end.kind != EndKind::kFall || at.end.next == block) {
            break;
        }
        block = at.end.next;
    }
    return block;
}

bool is_plain_exit(const Block &block) {
    return block.code.empty() && block.end.kind == EndKind::kExit;
}

void guarded_exit(Block &block, const Operand &predicate, BlockIndex next) {
    block.code.push_back({.mnemonic = "EXIT", .guard = predicate, .line = block.end.line});
    block.end.kind = EndKind::kFall;
    block.end.next = next;
}

void simplify_ends(Function &function) {
    std::vector<std::uint32_t> position(function.blocks.size(), 0);
    const std::vector<BlockIndex> order = reverse_postorder(successor_graph(function), 0);
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        position[order[i]] = i;
    }
    for (BlockIndex index = 0; index < function.blocks.size(); ++index) {
        Block &block = function.blocks[index];
        for_each_edge(block, [&](BlockIndex &to) { to = final_target(function, to); });
        End &end = block.end;
        if (end.kind == EndKind::kBranch && end.taken == end.next) {
            end.kind = EndKind::kFall;
        }
        // A round of a loop ends with one branch rather than with an EXIT and a jump.
        const bool forward = end.kind == EndKind::kBranch && position[end.taken] > position[index] &&
                             position[end.next] > position[index];
        if (forward && is_plain_exit(function.blocks[end.taken])) {
            guarded_exit(block, end.predicate, end.next);
        } else if (forward && is_plain_exit(function.blocks[end.next])) {
            Operand opposite = end.predicate;
            opposite.negated = !opposite.negated;
            guarded_exit(block, opposite, end.taken);
        }
        if (end.kind == EndKind::kFall && is_plain_exit(function.blocks[end.next])) {
            end.kind = EndKind::kExit;
        }
    }
}

void drop_unreachable(Function &function) {
    const std::vector<BlockIndex> order = reverse_postorder(successor_graph(function), 0);
    std::vector<BlockIndex> renamed(function.blocks.size(), kNoBlock);
    std::vector<bool> reached(function.blocks.size(), false);
    for (const BlockIndex block : order) {
        reached[block] = true;
    }
    std::vector<Block> kept;
    for (BlockIndex block = 0; block < function.blocks.size(); ++block) {
        if (reached[block]) {
            renamed[block] = static_cast<BlockIndex>(kept.size());
            kept.push_back(std::move(function.blocks[block]));
        }
    }
    function.blocks = std::move(kept);
    for (Block &block : function.blocks) {
        for_each_edge(block, [&](BlockIndex &to) { to = renamed[to]; });
    }
}

void join_chains(Function &function) {
    const Graph before = reversed(successor_graph(function));
    std::vector<bool> gone(function.blocks.size(), false);
    for (BlockIndex block = 0; block < function.blocks.size(); ++block) {
        while (!gone[block] && function.blocks[block].end.kind == EndKind::kFall) {
            const BlockIndex next = function.blocks[block].end.next;
            if (next == 0 || next == block || before[next].size() != 1) {
                break;
            }
            Block taken = std::move(function.blocks[next]);
            function.blocks[next] = {.code = {}, .end = {.kind = EndKind::kStop}};
            gone[next] = true;
            auto &code = function.blocks[block].code;
            std::ranges::move(taken.code, std::back_inserter(code));
            function.blocks[block].end = std::move(taken.end);
        }
    }
}

/// Sends the edges from the blocks `from` to `header` to a new block in front of it.
BlockIndex put_in_front(Function &function, BlockIndex header, const std::vector<BlockIndex> &from) {
    const BlockIndex front = function.add_block();
    function.blocks[front].end.next = header;
    function.blocks[front].end.line = function.blocks[header].end.line;
    for (const BlockIndex block : from) {
        for_each_edge(function.blocks[block], [&](BlockIndex &to) {
            if (to == header) {
                to = front;
            }
        });
    }
    return front;
}

} // namespace

Graph reversed(const Graph &graph) {
    Graph result(graph.size());
    for (BlockIndex from = 0; from < graph.size(); ++from) {
        for (const BlockIndex to : graph[from]) {
            result[to].push_back(from);
        }
    }
    return result;
}

std::vector<BlockIndex> reverse_postorder(const Graph &graph, BlockIndex entry) {
    std::vector<BlockIndex> order;
    std::vector<bool> seen(graph.size(), false);
    std::vector<std::pair<BlockIndex, std::size_t>> open = {{entry, 0}};
    seen[entry] = true;
    while (!open.empty()) {
        auto &[block, next] = open.back();
        if (next < graph[block].size()) {
            const BlockIndex to = graph[block][next++];
            if (!seen[to]) {
                seen[to] = true;
                open.emplace_back(to, 0);
            }
        } else {
            order.push_back(block);
            open.pop_back();
        }
    }
    std::ranges::reverse(order);
    return order;
}

std::vector<BlockIndex> dominators(const Graph &graph, BlockIndex entry) {
    const std::vector<BlockIndex> order = reverse_postorder(graph, entry);
    const Graph before = reversed(graph);
    std::vector<std::uint32_t> position(graph.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        position[order[i]] = i;
    }
    std::vector<BlockIndex> idom(graph.size(), kNoBlock);
    idom[entry] = entry;
    for (bool changed = true; changed;) {
        changed = false;
        for (const BlockIndex block : order) {
            BlockIndex nearest = kNoBlock;
            for (const BlockIndex from : before[block]) {
                if (idom[from] != kNoBlock) {
                    nearest = nearest == kNoBlock ? from : meet(idom, position, from, nearest);
                }
            }
            if (block != entry && nearest != idom[block]) {
                idom[block] = nearest;
                changed = true;
            }
        }
    }
    return idom;
}

bool dominates(const std::vector<BlockIndex> &idom, BlockIndex above, BlockIndex block) {
    while (block != above && idom[block] != block && idom[block] != kNoBlock) {
        block = idom[block];
    }
    return block == above;
}

bool FlowGraph::encloses(LoopIndex outer, LoopIndex inner) const {
    while (inner != outer && inner != kNoLoop) {
        inner = loops[inner].parent;
    }
    return inner == outer;
}

bool FlowGraph::inside(BlockIndex block, LoopIndex loop) const {
    return encloses(loop, loop_of[block]);
}

FlowGraph analyse(const Function &function) {
    FlowGraph graph;
    graph.successors = successor_graph(function);
    graph.predecessors = reversed(graph.successors);
    graph.order = reverse_postorder(graph.successors, 0);
    graph.idom = dominators(graph.successors, 0);
    graph.loop_of.assign(function.blocks.size(), kNoLoop);
    LoopFinder(graph).run();
    return graph;
}

void tidy(Function &function) {
    simplify_ends(function);
    drop_unreachable(function);
    join_chains(function);
    simplify_ends(function);
    drop_unreachable(function);
}

void thread_jumps(Function &function) {
    for (Block &block : function.blocks) {
        End &end = block.end;
        if ((end.kind == EndKind::kBranch || end.kind == EndKind::kFall) && !end.next_written) {
            end.next = final_target(function, end.next);
        }
        if (end.kind == EndKind::kBranch && !end.taken_written) {
            end.taken = final_target(function, end.taken);
        }
    }
}

void normalise_loops(Function &function) {
    const FlowGraph graph = analyse(function);
    for (const Loop &loop : graph.loops) {
        std::vector<BlockIndex> outside;
        for (const BlockIndex from : graph.predecessors[loop.header]) {
            if (std::ranges::find(loop.latches, from) == loop.latches.end()) {
                outside.push_back(from);
            }
        }
        const bool direct = outside.size() == 1 && graph.successors[outside[0]].size() == 1;
        if (!direct && loop.header != 0) {
            put_in_front(function, loop.header, outside);
        }
        const bool one_latch = loop.latches.size() == 1 && graph.successors[loop.latches[0]].size() == 1;
        if (!one_latch) {
            put_in_front(function, loop.header, loop.latches);
        }
    }
}

} // namespace smsim::ptx::machine
