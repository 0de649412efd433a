// The shape of a function's control flow: order, predecessors, dominators, loops.
#pragma once

#include <utility>
#include <vector>

#include "ptx/machine/code.h"

namespace smsim::ptx::machine {

/// Edges of a graph by node; a graph of blocks or of loops as nodes.
using Graph = std::vector<std::vector<BlockIndex>>;

/// The immediate dominator of every node that can be reached from `entry`; of the entry itself the entry, of others
/// kNoBlock.
std::vector<BlockIndex> dominators(const Graph &graph, BlockIndex entry);

/// The graph with its edges turned round.
Graph reversed(const Graph &graph);

/// Nodes that can be reached from `entry`, in reverse postorder.
std::vector<BlockIndex> reverse_postorder(const Graph &graph, BlockIndex entry);

/// Marks the blocks `open`, and all that `graph` leads to from them, but for those marked before and those that
/// `enters` does not hold for, beyond which nothing is looked at either.
template <typename Enters>
void spread(const Graph &graph, std::vector<BlockIndex> open, std::vector<bool> &marked, Enters enters) {
    while (!open.empty()) {
        const BlockIndex at = open.back();
        open.pop_back();
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

/// True when every way from the entry to `block` leads over `above`.
bool dominates(const std::vector<BlockIndex> &idom, BlockIndex above, BlockIndex block);

using LoopIndex = std::uint32_t;
inline constexpr LoopIndex kNoLoop = 0xffffffff;

/// A natural loop: one header, the blocks that reach it again without leaving.
struct Loop {
    BlockIndex header = 0;
    std::vector<BlockIndex> latches; ///< blocks with an edge back to the header
    LoopIndex parent = kNoLoop;
    unsigned depth = 1;
};

struct FlowGraph {
    Graph successors;
    Graph predecessors;
    std::vector<BlockIndex> order; ///< reverse postorder
    std::vector<BlockIndex> idom;
    std::vector<Loop> loops;
    std::vector<LoopIndex> loop_of; ///< innermost loop of each block
    bool reducible = true;          ///< every loop is entered at its header only

    /// True when `block` is in loop `loop` or in one inside it; every block is in kNoLoop.
    bool inside(BlockIndex block, LoopIndex loop) const;
    /// True when loop `inner` is `outer` or inside it.
    bool encloses(LoopIndex outer, LoopIndex inner) const;
};

FlowGraph analyse(const Function &function);

/// Removes what cannot be reached, branches between equal targets and empty blocks, and joins blocks that follow one
/// another only. In a kernel a branch to an end becomes a guarded EXIT.
void tidy(Function &function);

/// Sends jumps to empty blocks to where these lead, once regions are written: of edges that the code of a block does
/// not write itself.
void thread_jumps(Function &function);

/// Gives every loop one latch, and a block of its own in front of its header, so that paths that join at the header
/// from outside do so before it.
void normalise_loops(Function &function);

} // namespace smsim::ptx::machine
