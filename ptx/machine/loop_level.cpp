#include "ptx/machine/loop_level.h"

#include <algorithm>
#include <set>

namespace smsim::ptx::machine {

LoopLevel::LoopLevel(const Function &function, const FlowGraph &graph, LoopIndex loop) : graph_(graph), loop_(loop) {
    const auto blocks = static_cast<BlockIndex>(graph.successors.size());
    end_ = blocks;
    ways_.assign(blocks + 1, {});
    blocks_of_.assign(blocks + 1, {});
    seen_.assign(blocks + 1, false);
    for (const BlockIndex block : graph.order) {
        if (!graph.inside(block, loop)) {
            continue;
        }
        const BlockIndex from = node_of(block);
        blocks_of_[from].push_back(block);
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

BlockIndex LoopLevel::meeting(BlockIndex node) const {
    const BlockIndex found = ipdom_[node];
    return found == end_ ? kNoBlock : found;
}

std::size_t LoopLevel::ways(BlockIndex node) const {
    std::set<BlockIndex> different;
    for (const BlockIndex to : ways_[node]) {
        if (ipdom_[to] != kNoBlock) {
            different.insert(to);
        }
    }
    return different.size();
}

std::vector<BlockIndex> LoopLevel::between(BlockIndex node, BlockIndex meeting) const {
    std::vector<BlockIndex> nodes;
    std::vector<BlockIndex> open = {node};
    while (!open.empty()) {
        const BlockIndex at = open.back();
        open.pop_back();
        if (at == meeting || at == end_ || seen_[at]) {
            continue;
        }
        seen_[at] = true;
        nodes.push_back(at);
        open.insert(open.end(), ways_[at].begin(), ways_[at].end());
    }
    std::vector<BlockIndex> blocks;
    for (const BlockIndex at : nodes) {
        seen_[at] = false;
        blocks.insert(blocks.end(), blocks_of_[at].begin(), blocks_of_[at].end());
    }
    return blocks;
}

/// The end of a round is the latch, that of a function its returns, where every way ends that can get there.
void LoopLevel::connect_ends(const Function &function) {
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
    // A way that threads leave by guarded EXITs only ends at the last of them; elsewhere these count no more than a
    // loop's ways out.
    std::vector<bool> ends(ways_.size(), false);
    const Graph back = reversed(ways_);
    const auto mark = [&](BlockIndex from) {
        for (const BlockIndex node : reverse_postorder(back, from)) {
            ends[node] = true;
        }
    };
    mark(end_);
    for (auto block = graph_.order.rbegin(); block != graph_.order.rend(); ++block) {
        const auto &code = function.blocks[*block].code;
        if (!ends[node_of(*block)] && std::ranges::find(code, "EXIT", &Instruction::mnemonic) != code.end()) {
            ways_[node_of(*block)].push_back(end_);
            mark(node_of(*block));
        }
    }
}

} // namespace smsim::ptx::machine
