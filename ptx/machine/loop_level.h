// One level of a function's loops: the body of a loop, or the whole function, with the loops inside as single nodes.
// Ways out of the loop do not count here, so that what meets in a level meets in every round.
#pragma once

#include <vector>

#include "ptx/machine/flow_graph.h"

namespace smsim::ptx::machine {

class LoopLevel {
  public:
    /// The body of `loop`; kNoLoop: the function. The graph must be reducible, and outlive the level.
    LoopLevel(const Function &function, const FlowGraph &graph, LoopIndex loop);

    /// The block that stands for `block`: itself, or the header of the loop of the next level that holds it.
    BlockIndex node_of(BlockIndex block) const;
    /// True when `block` is part of this level.
    bool holds(BlockIndex block) const { return graph_.inside(block, loop_); }
    /// Where the ways from a node meet before the end of the round or function; kNoBlock when they do not.
    BlockIndex meeting(BlockIndex node) const;
    /// Ways from a node to others of this level that lead to its end.
    std::size_t ways(BlockIndex node) const;
    /// Blocks that the nodes from `node` on before `meeting` stand for, `node` among them; each once.
    std::vector<BlockIndex> between(BlockIndex node, BlockIndex meeting) const;

  private:
    void connect_ends(const Function &function);

    const FlowGraph &graph_;
    LoopIndex loop_;
    BlockIndex end_ = 0; ///< one more node, behind the round or function
    Graph ways_;
    std::vector<BlockIndex> ipdom_;
    std::vector<std::vector<BlockIndex>> blocks_of_; ///< by node, of this level
    mutable std::vector<bool> seen_;                 ///< scratch of `between`: nothing outside of it
};

} // namespace smsim::ptx::machine
