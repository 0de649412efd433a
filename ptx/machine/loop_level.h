// One level of a function's loops: the body of a loop, or the whole function, with the loops inside as single nodes.
// Ways out of the loop do not count here, so that ways that meet in a level meet in every round.
#pragma once

#include <vector>

#include "ptx/machine/flow_graph.h"

namespace smsim::ptx::machine {

class LoopLevel {
  public:
    /// The body of `loop`; kNoLoop: the function. The graph must be reducible, and must outlive the level. Time and
    /// memory are proportional to the number of blocks of the loop.
    LoopLevel(const Function &function, const FlowGraph &graph, LoopIndex loop);

    /// The block that represents `block`: itself, or the header of the loop of the next level that contains it.
    BlockIndex node_of(BlockIndex block) const;
    /// True when `block` is part of this level.
    bool holds(BlockIndex block) const { return graph_.inside(block, loop_); }
    /// The blocks of this level, in the order of the graph.
    const std::vector<BlockIndex> &blocks() const { return blocks_; }
    /// Where the ways from a node meet before the end of the round or function; kNoBlock when they do not.
    BlockIndex meeting(BlockIndex node) const;
    /// Ways from a node to others of this level that lead to its end.
    std::size_t ways(BlockIndex node) const;
    /// Adds to `found` the blocks represented by the nodes from `node` on before `meeting`, including `node`; except
    /// those that earlier calls since `begin` have found, which must have had the same meeting.
    void find_between(BlockIndex node, BlockIndex meeting, std::vector<BlockIndex> &found);
    /// Starts a search for another meeting.
    void begin() { ++meetings_; }

  private:
    using Node = BlockIndex; ///< in the order of the graph

    Node index_of(BlockIndex node) const;
    void connect_ends(const Function &function);

    const FlowGraph &graph_;
    LoopIndex loop_;
    std::vector<BlockIndex> blocks_;
    std::vector<BlockIndex> nodes_; ///< the blocks that represent others and themselves
    Node end_ = 0;                  ///< one more node, after the round or function
    Graph ways_;                    ///< by node, as all below
    std::vector<Node> ipdom_;
    std::vector<std::vector<BlockIndex>> blocks_of_;
    std::vector<std::uint32_t> seen_; ///< for which meeting, counted by `meetings_`
    std::uint32_t meetings_ = 1;
};

} // namespace smsim::ptx::machine
