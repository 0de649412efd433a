#include "ptx/machine/loop_level.h"

#include <algorithm>
#include <set>

namespace smsim::ptx::machine {

LoopLevel::LoopLevel(const Function &function, const FlowGraph &graph, LoopIndex loop)
    : graph_(graph), loop_(loop), blocks_(graph.blocks_of(loop)) {
    std::ranges::copy_if(blocks_, std::back_inserter(nodes_),
                         [&](BlockIndex block) { return node_of(block) == block; });
    end_ = static_cast<Node>(nodes_.size());
    ways_.assign(nodes_.size() + 1, {});
    blocks_of_.assign(nodes_.size() + 1, {});
    seen_.assign(nodes_.size() + 1, 0);
    for (const BlockIndex block : blocks_) {
        const BlockIndex own = node_of(block);
        const Node from = index_of(own);
        blocks_of_[from].push_back(block);
        for (const BlockIndex to : graph.successors[block]) {
            count_steps();
            const bool leaves = !graph.inside(to, loop);
            const bool back = loop != kNoLoop && to == graph.loops[loop].header;
            if (!leaves && !back && node_of(to) != own) {
                ways_[from].push_back(index_of(node_of(to)));
            }
        }
    }
    connect_ends(function);
    ipdom_ = dominators(reversed(ways_), end_);
}

BlockIndex LoopLevel::node_of(BlockIndex block) const {
    LoopIndex inner = graph_.loop_of[block];
    if (inner == loop_) {
        return block;
    }
    while (graph_.loops[inner].parent != loop_) {
        inner = graph_.loops[inner].parent;
    }
    return graph_.loops[inner].header;
}

LoopLevel::Node LoopLevel::index_of(BlockIndex node) const {
    const auto at = std::ranges::lower_bound(nodes_, graph_.position[node], {},
                                             [&](BlockIndex block) { return graph_.position[block]; });
    return static_cast<Node>(at - nodes_.begin());
}

BlockIndex LoopLevel::meeting(BlockIndex node) const {
    const Node found = ipdom_[index_of(node)];
    return found == end_ || found == kNoBlock ? kNoBlock : nodes_[found];
}

std::size_t LoopLevel::ways(BlockIndex node) const {
    std::set<Node> different;
    for (const Node to : ways_[index_of(node)]) {
        if (ipdom_[to] != kNoBlock) {
            different.insert(to);
        }
    }
    return different.size();
}

void LoopLevel::find_between(BlockIndex node, BlockIndex meeting, std::vector<BlockIndex> &found) {
    const Node stop = meeting == kNoBlock ? end_ : index_of(meeting);
    std::vector<Node> open = {index_of(node)};
    while (!open.empty()) {
        const Node at = open.back();
        open.pop_back();
        count_steps();
        if (at == stop || at == end_ || seen_[at] == meetings_) {
            continue;
        }
        seen_[at] = meetings_;
        found.insert(found.end(), blocks_of_[at].begin(), blocks_of_[at].end());
        open.insert(open.end(), ways_[at].begin(), ways_[at].end());
    }
}

/// The end of a round is the latch, that of a function its returns, where every way ends that can get there.
void LoopLevel::connect_ends(const Function &function) {
    if (loop_ != kNoLoop) {
        for (const BlockIndex latch : graph_.loops[loop_].latches) {
            ways_[index_of(node_of(latch))].push_back(end_);
        }
        return;
    }
    for (const BlockIndex block : blocks_) {
        if (graph_.successors[block].empty()) {
            ways_[index_of(node_of(block))].push_back(end_);
        }
    }
    // A way that threads leave only by guarded EXITs ends at the last of them; in other cases these do not count, like
    // a loop's ways out.
    std::vector<bool> ends(ways_.size(), false);
    const Graph back = reversed(ways_);
    spread(back, {end_}, ends);
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
        const auto &code = function.blocks[*block].code;
        const Node node = index_of(node_of(*block));
        if (!ends[node] && std::ranges::find(code, "EXIT", &Instruction::mnemonic) != code.end()) {
            ways_[node].push_back(end_);
            spread(back, {node}, ends);
        }
    }
}

} // namespace smsim::ptx::machine
