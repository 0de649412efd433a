#include "ptx/machine/regions.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "ptx/machine/loop_level.h"
#include "ptx/machine/waiting_loops.h"

namespace smsim::ptx::machine {

namespace {

class Finder {
  public:
    Finder(const Function &function, const Divergence &divergence) : function_(function), divergence_(divergence) {
        found_.graph = analyse(function);
        regions_at_.resize(function.blocks.size());
    }

    Regions run() {
        loops();
        branches();
        if (graph_.reducible) {
            level(kNoLoop);
            for (LoopIndex loop = 0; loop < graph_.loops.size(); ++loop) {
                level(loop);
            }
        } else {
            whole_function();
        }
        drop_covered_entries();
        nest();
        ways_out();
        calls();
        return std::move(found_);
    }

  private:
    // --- loops and branches ----------------------------------------------------------------------------------------

    void loops() {
        const std::vector<LoopWait> waiting = find_waiting_loops(function_, graph_);
        const std::vector<BlockIndex> meetings = post_dominators(false);
        found_.loops.resize(graph_.loops.size());
        for (const LoopIndex loop : inner_loops_first()) {
            LoopExits &exits = found_.loops[loop];
            exits.waits = waiting[loop].may;
            exits.stalls = waiting[loop].stalls;
            exits.divergent = graph_.reducible ? left_in_different_rounds(loop) : is_left(loop, meetings);
            if (exits.stalls && (exits.divergent || threads_end_apart(loop))) {
                found_.needs_progress = std::min(found_.needs_progress, graph_.loops[loop].header);
            }
        }
        if (!graph_.reducible) {
            waits_in_circles();
        }
    }

    std::vector<LoopIndex> inner_loops_first() const {
        std::vector<LoopIndex> order(graph_.loops.size());
        std::iota(order.begin(), order.end(), LoopIndex{0});
        std::ranges::stable_sort(order, std::greater<>(), [&](LoopIndex loop) { return graph_.loops[loop].depth; });
        return order;
    }

    /// True when some threads of a warp may come to a way out of the loop in a round in which others pass it by, or
    /// take it while others do not: it lies at a divergent branch of the loop's body, or at an inner loop that threads
    /// leave in different rounds, or behind these before the ways have met.
    bool left_in_different_rounds(LoopIndex loop) const {
        const LoopLevel level(function_, graph_, loop);
        const auto parts = [&](BlockIndex block) {
            const LoopIndex inner = graph_.loop_of[block];
            return inner == loop ? divergence_.branches[block]
                                 : graph_.loops[inner].parent == loop && graph_.loops[inner].header == block &&
                                       found_.loops[inner].divergent;
        };
        for (const BlockIndex block : graph_.order) {
            if (!graph_.inside(block, loop) || !parts(block)) {
                continue;
            }
            const std::vector<BlockIndex> apart = level.between(block, level.meeting(block));
            if (std::ranges::any_of(apart, [&](BlockIndex from) { return leaves(from, loop); })) {
                return true;
            }
        }
        return false;
    }

    bool leaves(BlockIndex from, LoopIndex loop) const {
        return std::ranges::any_of(graph_.successors[from], [&](BlockIndex to) { return !graph_.inside(to, loop); });
    }

    /// Where loops are no levels: any branch in the loop counts whose ways do not meet in it.
    bool is_left(LoopIndex loop, const std::vector<BlockIndex> &meetings) const {
        return std::ranges::any_of(graph_.order, [&](BlockIndex block) {
            return divergence_.branches[block] && graph_.inside(block, loop) &&
                   (meetings[block] == kNoBlock || !graph_.inside(meetings[block], loop));
        });
    }

    /// True when some threads of a warp may end in the loop while others stay.
    bool threads_end_apart(LoopIndex loop) const {
        return std::ranges::any_of(graph_.order, [&](BlockIndex block) {
            return graph_.inside(block, loop) &&
                   std::ranges::any_of(function_.blocks[block].code, [&](const Instruction &instruction) {
                       return instruction.mnemonic == "EXIT" && instruction.guard.has_register() &&
                              divergence_.registers[instruction.guard.reg];
                   });
        });
    }

    /// Circles with several entries are no loops; those that stall may keep threads back all the same.
    void waits_in_circles() {
        std::vector<bool> known(function_.blocks.size(), false);
        const Graph back = reversed(graph_.successors);
        for (const BlockIndex block : graph_.order) {
            if (known[block] || std::ranges::none_of(function_.blocks[block].code, &Instruction::spins)) {
                continue;
            }
            std::vector<bool> circle = reached(graph_.successors, block);
            const std::vector<bool> before = reached(back, block);
            for (BlockIndex at = 0; at < circle.size(); ++at) {
                circle[at] = circle[at] && before[at];
                known[at] = known[at] || circle[at];
            }
            if (circle[block] && stalls_in_circle(function_, graph_, circle)) {
                found_.needs_progress = std::min(found_.needs_progress, block);
            }
        }
    }

    /// Blocks that `from` leads to, itself only where it comes back.
    static std::vector<bool> reached(const Graph &graph, BlockIndex from) {
        std::vector<bool> seen(graph.size(), false);
        spread(graph, graph[from], seen);
        return seen;
    }

    void branches() {
        const std::vector<BlockIndex> meetings = post_dominators(true);
        branch_at_.assign(function_.blocks.size(), kNoBranch);
        for (BlockIndex block = 0; block < function_.blocks.size(); ++block) {
            if (graph_.successors[block].size() > 1) {
                branch_at_[block] = found_.branches.size();
                found_.branches.push_back(
                    {.block = block, .divergent = divergence_.branches[block], .meeting = meetings[block]});
            }
        }
    }

    /// What every way from the end of each block to the end of the function comes to first. A block is two nodes here:
    /// between them threads leave by EXITs, where these count.
    std::vector<BlockIndex> post_dominators(bool with_exits) const {
        const auto blocks = static_cast<BlockIndex>(function_.blocks.size());
        const BlockIndex end = 2 * blocks;
        Graph ways(2 * blocks + 1);
        for (BlockIndex block = 0; block < blocks; ++block) {
            ways[block].push_back(blocks + block);
            if (with_exits && std::ranges::find(function_.blocks[block].code, "EXIT", &Instruction::mnemonic) !=
                                  function_.blocks[block].code.end()) {
                ways[block].push_back(end);
            }
            ways[blocks + block] = graph_.successors[block];
            if (graph_.successors[block].empty()) {
                ways[blocks + block].push_back(end);
            }
        }
        const std::vector<BlockIndex> idom = dominators(reversed(ways), end);
        std::vector<BlockIndex> found;
        for (BlockIndex block = 0; block < blocks; ++block) {
            const BlockIndex meeting = idom[blocks + block];
            found.push_back(meeting == end ? kNoBlock : meeting);
        }
        return found;
    }

    // --- regions ---------------------------------------------------------------------------------------------------

    /// Regions of the body of `loop`: divergent branches, and inner loops as a whole.
    void level(LoopIndex loop) {
        const LoopLevel level(function_, graph_, loop);
        for (const BlockIndex block : graph_.order) {
            if (graph_.loop_of[block] == loop && divergence_.branches[block] && level.ways(block) > 1) {
                found_.branches[branch_at_[block]].region = add(level, block, block);
            }
        }
        for (LoopIndex inner = 0; inner < graph_.loops.size(); ++inner) {
            if (graph_.loops[inner].parent != loop) {
                continue;
            }
            const BlockIndex header = graph_.loops[inner].header;
            found_.loops[inner].meeting = level.meeting(header);
            for (const BlockIndex front : graph_.predecessors[header]) {
                if (found_.loops[inner].divergent && !graph_.inside(front, inner)) {
                    found_.loops[inner].region = add(level, header, front);
                }
            }
        }
    }

    /// Control flow without structure: where all ways to the end meet, and an entry at each divergent branch.
    void whole_function() {
        const std::vector<BlockIndex> meetings = post_dominators(false);
        for (const BlockIndex block : graph_.order) {
            const BlockIndex meeting = meetings[block];
            if (divergence_.branches[block] && meeting != kNoBlock) {
                std::vector<bool> seen(function_.blocks.size(), false);
                spread(graph_.successors, graph_.successors[block], seen, [&](BlockIndex at) { return at != meeting; });
                std::vector<BlockIndex> blocks;
                for (BlockIndex at = 0; at < seen.size(); ++at) {
                    if (seen[at]) {
                        blocks.push_back(at);
                    }
                }
                found_.branches[branch_at_[block]].region = join_region(meeting, block, blocks);
            }
        }
    }

    RegionIndex add(const LoopLevel &level, BlockIndex node, BlockIndex entry) {
        const BlockIndex meeting = level.meeting(node);
        if (meeting == kNoBlock || ends_at_once(meeting)) {
            return kNoRegion;
        }
        return join_region(meeting, entry, level.between(node, meeting));
    }

    /// Nothing is gained by meeting before an end.
    bool ends_at_once(BlockIndex meeting) const {
        const Block &block = function_.blocks[meeting];
        return block.code.empty() && block.end.kind == EndKind::kExit;
    }

    RegionIndex join_region(BlockIndex meeting, BlockIndex entry, const std::vector<BlockIndex> &blocks) {
        RegionIndex &index = region_with_.try_emplace(meeting, kNoRegion).first->second;
        if (index == kNoRegion) {
            index = static_cast<RegionIndex>(found_.regions.size());
            found_.regions.push_back(
                {.meeting = meeting, .entries = {entry}, .blocks = std::vector<bool>(function_.blocks.size(), false)});
        } else if (!found_.regions[index].blocks[entry]) { // else the threads are in a region with this meeting already
            found_.regions[index].entries.push_back(entry);
        }
        for (const BlockIndex block : blocks) {
            if (!found_.regions[index].blocks[block]) {
                found_.regions[index].blocks[block] = true;
                regions_at_[block].push_back(index);
            }
        }
        return index;
    }

    /// An entry in a region's own blocks, which came in through another entry, is part of it.
    void drop_covered_entries() {
        for (Region &region : found_.regions) {
            std::vector<BlockIndex> kept;
            for (const BlockIndex entry : region.entries) {
                const bool covered = std::ranges::any_of(region.entries, [&](BlockIndex other) {
                    return other != entry && dominates(graph_.idom, other, entry) && region.blocks[entry] &&
                           graph_.loop_of[other] == graph_.loop_of[entry];
                });
                if (!covered) {
                    kept.push_back(entry);
                }
            }
            region.entries = kept;
        }
    }

    static bool begins_inside(const Region &region, const Region &outer) {
        return std::ranges::any_of(region.entries, [&](BlockIndex entry) { return outer.blocks[entry]; });
    }

    /// True when `region` is one inside `outer`, or begins in it.
    static bool is_inside(const Region &region, const Region &outer) {
        return outer.meeting != region.meeting && begins_inside(region, outer) &&
               !(begins_inside(outer, region) && outer.meeting > region.meeting);
    }

    /// Regions that `region` is inside of, in rising order.
    std::vector<RegionIndex> around(const Region &region) const {
        std::vector<RegionIndex> found;
        for (const BlockIndex entry : region.entries) {
            for (const RegionIndex outer : regions_at_[entry]) {
                if (is_inside(region, found_.regions[outer])) {
                    found.push_back(outer);
                }
            }
        }
        std::ranges::sort(found);
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    }

    /// Depths and parents.
    void nest() {
        std::vector<std::vector<RegionIndex>> outer_ones;
        for (const Region &region : found_.regions) {
            outer_ones.push_back(around(region));
        }
        bool changed = true;
        for (std::size_t rounds = 0; changed && rounds <= found_.regions.size(); ++rounds) {
            changed = false;
            for (RegionIndex index = 0; index < found_.regions.size(); ++index) {
                Region &region = found_.regions[index];
                for (const RegionIndex outer : outer_ones[index]) {
                    const unsigned depth = found_.regions[outer].depth;
                    if (region.depth <= depth && region.depth < kMostDepth) {
                        region.depth = depth + 1;
                        changed = true;
                    }
                }
            }
        }
        for (RegionIndex index = 0; index < found_.regions.size(); ++index) {
            Region &region = found_.regions[index];
            const auto parent = std::ranges::find_if(
                outer_ones[index], [&](RegionIndex outer) { return found_.regions[outer].depth + 1 == region.depth; });
            if (parent != outer_ones[index].end()) {
                region.parent = *parent;
            }
        }
    }

    /// The regions that hold a block and for which `open` holds, the innermost first.
    template <typename Open> std::vector<RegionIndex> regions_where(BlockIndex block, Open open) const {
        std::vector<RegionIndex> found;
        for (const RegionIndex index : regions_at_[block]) {
            if (open(found_.regions[index])) {
                found.push_back(index);
            }
        }
        std::ranges::sort(found);
        std::ranges::stable_sort(found, std::greater<>(),
                                 [&](RegionIndex index) { return found_.regions[index].depth; });
        return found;
    }

    // --- what leaves them ------------------------------------------------------------------------------------------

    void ways_out() {
        for (BlockIndex from = 0; from < function_.blocks.size(); ++from) {
            for (const BlockIndex to : graph_.successors[from]) {
                WayOut way{.from = from, .to = to};
                way.regions = regions_where(
                    from, [&](const Region &region) { return to != region.meeting && !region.blocks[to]; });
                if (!way.regions.empty()) {
                    found_.ways_out.push_back(std::move(way));
                }
            }
        }
    }

    // --- what the code holds ---------------------------------------------------------------------------------------

    void calls() {
        for (BlockIndex block = 0; block < function_.blocks.size(); ++block) {
            const std::vector<Instruction> &code = function_.blocks[block].code;
            unsigned depth = 0;
            for (const RegionIndex region : regions_at_[block]) {
                depth = std::max(depth, found_.regions[region].depth + 1);
            }
            for (std::size_t i = 0; i < code.size(); ++i) {
                if (code[i].mnemonic == "CALL") {
                    const bool divergent = code[i].callee < 0 && divergence_.registers[code[i].operands[0].reg];
                    found_.calls.push_back({.block = block, .index = i, .divergent = divergent, .depth = depth});
                }
            }
        }
    }

    static constexpr std::size_t kNoBranch = ~std::size_t{0};

    const Function &function_;
    const Divergence &divergence_;
    Regions found_;
    const FlowGraph &graph_ = found_.graph;
    std::vector<std::size_t> branch_at_;                      ///< by block: index into branches
    std::unordered_map<BlockIndex, RegionIndex> region_with_; ///< by meeting
    std::vector<std::vector<RegionIndex>> regions_at_;        ///< by block: those that hold it
};

} // namespace

Regions find_regions(const Function &function, const Divergence &divergence) {
    return Finder(function, divergence).run();
}

} // namespace smsim::ptx::machine
