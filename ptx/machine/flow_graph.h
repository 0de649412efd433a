// The shape of a function's control flow: order, predecessors, dominators, loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ptx/machine/code.h"
#include "ptx/machine/steps.h"

namespace smsim::ptx::machine {

/// Edges of a graph by node, with blocks or loops as nodes.
using Graph = std::vector<std::vector<BlockIndex>>;

/// The immediate dominator of every node that can be reached from `entry`; the entry's is the entry itself, that of
/// others kNoBlock.
std::vector<BlockIndex> dominators(const Graph &graph, BlockIndex entry);

/// The graph with its edges reversed.
Graph reversed(const Graph &graph);

/// Nodes that can be reached from `entry`, in reverse postorder.
std::vector<BlockIndex> reverse_postorder(const Graph &graph, BlockIndex entry);

/// Marks the blocks `open`, and all that can be reached from them in `graph`, except blocks that were marked before
/// and those for which `enters` does not hold; the search does not continue beyond these.
template <typename Enters>
void spread(const Graph &graph, std::vector<BlockIndex> open, std::vector<bool> &marked, Enters enters) {
    while (!open.empty()) {
        const BlockIndex at = open.back();
        open.pop_back();
        count_steps();
        if (!marked[at] && enters(at)) {
            marked[at] = true;
            open.insert(open.end(), graph[at].begin(), graph[at].end());
        }
    }
}

/// The same without limits.
inline void spread(const Graph &graph, std::vector<BlockIndex> open, std::vector<bool> &marked) {
    spread(graph, std::move(open), marked, [](BlockIndex) { return true; });
}

/// Answers in constant time which node is an ancestor of which in trees.
class Forest {
  public:
    Forest() = default;
    /// By node, its parent: itself or 0xffffffff if it has none.
    explicit Forest(const std::vector<std::uint32_t> &parents);
    /// True when `node` is `above` or a descendant of it.
    bool holds(std::uint32_t above, std::uint32_t node) const {
        return first_[above] <= first_[node] && first_[node] < end_[above];
    }
    /// The numbers of a node and its descendants range from `first` to before `end`.
    std::uint32_t first(std::uint32_t node) const { return first_[node]; }
    std::uint32_t end(std::uint32_t node) const { return end_[node]; }

  private:
    std::vector<std::uint32_t> first_;
    std::vector<std::uint32_t> end_;
};

using LoopIndex = std::uint32_t;
inline constexpr LoopIndex kNoLoop = 0xffffffff;

/// A natural loop: one header, and the blocks that reach it again without leaving.
struct Loop {
    BlockIndex header = 0;
    std::vector<BlockIndex> latches; ///< blocks with an edge back to the header
    LoopIndex parent = kNoLoop;
    unsigned depth = 1;
};

struct FlowGraph {
    Graph successors;
    Graph predecessors;
    std::vector<BlockIndex> order;       ///< reverse postorder
    std::vector<std::uint32_t> position; ///< by block, its index in `order`; 0 if it is unreachable
    std::vector<BlockIndex> idom;
    std::vector<Loop> loops;
    std::vector<LoopIndex> loop_of; ///< innermost loop of each reachable block
    bool reducible = true;          ///< every loop is entered only at its header

    /// True when every way from the entry to `block` passes `above`.
    bool dominates(BlockIndex above, BlockIndex block) const { return dominance.holds(above, block); }
    /// True when `block` is in loop `loop` or in one inside it; every block is in kNoLoop.
    bool inside(BlockIndex block, LoopIndex loop) const { return encloses(loop, loop_of[block]); }
    /// True when loop `inner` is `outer` or inside it.
    bool encloses(LoopIndex outer, LoopIndex inner) const {
        return outer == kNoLoop || (inner != kNoLoop && nesting.holds(outer, inner));
    }
    /// The blocks that are in `loop`, in their order; for kNoLoop all reachable blocks. Takes time proportional to the
    /// number of blocks, except for sorting.
    std::vector<BlockIndex> blocks_of(LoopIndex loop) const;
    /// How much more often than the entry `block` is assumed to run: 8 times for each loop that it is in.
    double loop_weight(BlockIndex block) const;

    Forest dominance;                   ///< of `idom`
    Forest nesting;                     ///< of `loops`
    std::vector<BlockIndex> by_loop;    ///< blocks of loops, by the number of their innermost loop in `nesting`
    std::vector<std::size_t> loop_ends; ///< by that number, where they end in `by_loop`
};

FlowGraph analyse(const Function &function);

/// For each reachable block a number from 1 on: no edge leads to a lower number, and blocks that can reach one another
/// have the same. 0 for all others.
std::vector<std::uint32_t> numbers_along_ways(const FlowGraph &graph);

/// Removes unreachable blocks, branches between equal targets and empty blocks, and joins blocks that only follow one
/// another. In a kernel a branch to an end becomes a guarded EXIT.
void tidy(Function &function);

/// Redirects jumps to empty blocks to their final targets, once regions are written: only edges that the code of a
/// block does not write itself.
void thread_jumps(Function &function);

/// Gives every loop one latch, and a separate block before its header, so that paths that join at the header from
/// outside do so before it.
void normalise_loops(Function &function);

} // namespace smsim::ptx::machine
