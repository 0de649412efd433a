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
        last_inside_.resize(function.blocks.size(), kNoRegion);
    }

    Regions run() {
        loops();
        branches();
        if (graph_.reducible) {
            std::vector<std::vector<LoopIndex>> inner(graph_.loops.size() + 1); // by loop, the whole function last
            for (LoopIndex loop = 0; loop < graph_.loops.size(); ++loop) {
                inner[std::min<std::size_t>(graph_.loops[loop].parent, graph_.loops.size())].push_back(loop);
            }
            level(kNoLoop, inner.back());
            for (LoopIndex loop = 0; loop < graph_.loops.size(); ++loop) {
                level(loop, inner[loop]);
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

    /// True when some threads of a warp may reach a way out of the loop in a round in which others bypass it, or take
    /// it while others do not: it lies at a divergent branch of the loop's body, or at an inner loop that threads
    /// leave in different rounds, or after these before the ways have met.
    bool left_in_different_rounds(LoopIndex loop) const {
        LoopLevel level(function_, graph_, loop);
        std::vector<std::pair<BlockIndex, BlockIndex>> parting; // where its ways meet, and the node
        for (const BlockIndex block : level.blocks()) {
            const LoopIndex inner = graph_.loop_of[block];
            const bool parts = inner == loop ? divergence_.branches[block]
                                             : graph_.loops[inner].parent == loop &&
                                                   graph_.loops[inner].header == block && found_.loops[inner].divergent;
            if (parts) {
                parting.emplace_back(level.meeting(block), block);
            }
        }
        std::ranges::sort(parting);
        std::vector<BlockIndex> apart;
        for (std::size_t i = 0; i < parting.size(); ++i) {
            if (i > 0 && parting[i].first != parting[i - 1].first) {
                level.begin();
            }
            apart.clear();
            level.find_between(parting[i].second, parting[i].first, apart);
            if (std::ranges::any_of(apart, [&](BlockIndex from) { return leaves(from, loop); })) {
                return true;
            }
        }
        return false;
    }

    bool leaves(BlockIndex from, LoopIndex loop) const {
        return std::ranges::any_of(graph_.successors[from], [&](BlockIndex to) { return !graph_.inside(to, loop); });
    }

    /// Where loops are not levels: any branch in the loop counts whose ways do not meet in it.
    bool is_left(LoopIndex loop, const std::vector<BlockIndex> &meetings) const {
        return std::ranges::any_of(graph_.blocks_of(loop), [&](BlockIndex block) {
            return divergence_.branches[block] &&
                   (meetings[block] == kNoBlock || !graph_.inside(meetings[block], loop));
        });
    }

    /// True when some threads of a warp may end in the loop while others stay.
    bool threads_end_apart(LoopIndex loop) const {
        return std::ranges::any_of(graph_.blocks_of(loop), [&](BlockIndex block) {
            return std::ranges::any_of(function_.blocks[block].code, [&](const Instruction &instruction) {
                return instruction.mnemonic == "EXIT" && instruction.guard.has_register() &&
                       divergence_.registers[instruction.guard.reg];
            });
        });
    }

    /// Circles with several entries are not loops; those that stall may hold threads back anyway.
    void waits_in_circles() {
        const std::vector<std::uint32_t> numbers = numbers_along_ways(graph_);
        std::vector<std::vector<BlockIndex>> with_number(graph_.order.size() + 1);
        for (const BlockIndex block : graph_.order) {
            with_number[numbers[block]].push_back(block);
        }
        for (const BlockIndex block : graph_.order) {
            std::vector<BlockIndex> &circle = with_number[numbers[block]]; // empty: already examined
            if (circle.empty() || std::ranges::none_of(function_.blocks[block].code, &Instruction::spins)) {
                continue;
            }
            const std::vector<BlockIndex> &next = graph_.successors[block];
            const bool comes_back = circle.size() > 1 || std::ranges::find(next, block) != next.end();
            if (comes_back && stalls_in_circle(function_, graph_, circle, numbers)) {
                found_.needs_progress = std::min(found_.needs_progress, block);
            }
            circle.clear();
        }
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

    /// What every way from the end of each block to the end of the function reaches first. A block is two nodes here:
    /// between them threads leave by EXITs, if these count.
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

    /// A way into a region: at the end of `entry`; what `node` leads to before the meeting is inside.
    struct WayIn {
        BlockIndex node = kNoBlock;
        BlockIndex entry = kNoBlock;
    };

    /// Regions of the body of `loop`: divergent branches, and the loops `inner_ones` in it as a whole.
    void level(LoopIndex loop, const std::vector<LoopIndex> &inner_ones) {
        LoopLevel level(function_, graph_, loop);
        for (const BlockIndex block : level.blocks()) {
            if (graph_.loop_of[block] == loop && divergence_.branches[block] && level.ways(block) > 1) {
                found_.branches[branch_at_[block]].region = add(level, block, block);
            }
        }
        for (const LoopIndex inner : inner_ones) {
            const BlockIndex header = graph_.loops[inner].header;
            found_.loops[inner].meeting = level.meeting(header);
            for (const BlockIndex front : graph_.predecessors[header]) {
                if (found_.loops[inner].divergent && !graph_.inside(front, inner)) {
                    found_.loops[inner].region = add(level, header, front);
                }
            }
        }
        BlockIndex last = kNoBlock;
        fill([&](const WayIn &way, BlockIndex meeting, std::vector<BlockIndex> &blocks) {
            if (std::exchange(last, meeting) != meeting) {
                level.begin();
            }
            level.find_between(way.node, meeting, blocks);
        });
    }

    /// Unstructured control flow: where all ways to the end meet, with an entry at each divergent branch.
    void whole_function() {
        const std::vector<BlockIndex> meetings = post_dominators(false);
        for (const BlockIndex block : graph_.order) {
            if (divergence_.branches[block] && meetings[block] != kNoBlock) {
                found_.branches[branch_at_[block]].region = region_to(meetings[block], {block, block});
            }
        }
        fill([&](const WayIn &way, BlockIndex meeting, std::vector<BlockIndex> &blocks) {
            std::vector<BlockIndex> open = graph_.successors[way.node];
            while (!open.empty()) {
                const BlockIndex at = open.back();
                open.pop_back();
                count_steps();
                if (at != meeting && put_inside(at)) {
                    blocks.push_back(at);
                    open.insert(open.end(), graph_.successors[at].begin(), graph_.successors[at].end());
                }
            }
        });
    }

    RegionIndex add(const LoopLevel &level, BlockIndex node, BlockIndex entry) {
        const BlockIndex meeting = level.meeting(node);
        if (meeting == kNoBlock || ends_at_once(meeting)) {
            return kNoRegion;
        }
        return region_to(meeting, {node, entry});
    }

    /// Meeting just before an end gains nothing.
    bool ends_at_once(BlockIndex meeting) const {
        const Block &block = function_.blocks[meeting];
        return block.code.empty() && block.end.kind == EndKind::kExit;
    }

    /// The region that meets at `meeting`, a block of only one level, with one more way in.
    RegionIndex region_to(BlockIndex meeting, const WayIn &way) {
        const auto [at, is_new] = region_with_.try_emplace(meeting, static_cast<RegionIndex>(found_.regions.size()));
        if (is_new) {
            found_.regions.push_back({.meeting = meeting});
            ways_in_.emplace_back();
        }
        ways_in_[at->second].push_back(way);
        return at->second;
    }

    /// Finds the blocks of the regions that are new since the last call. `find` adds what a way in leads to; from
    /// where others have been before it leads to nothing new.
    template <typename Find> void fill(Find find) {
        for (; filled_ < found_.regions.size(); ++filled_) {
            Region &region = found_.regions[filled_];
            std::vector<BlockIndex> blocks;
            std::size_t known = 0;
            begin(filled_);
            for (const WayIn &way : ways_in_[filled_]) {
                if (!is_in_work(way.entry)) { // otherwise the threads are already in a region with this meeting
                    region.entries.push_back(way.entry);
                }
                find(way, region.meeting, blocks);
                for (; known < blocks.size(); ++known) {
                    put_inside(blocks[known]);
                }
            }
            for (const BlockIndex block : blocks) {
                regions_at_[block].push_back(static_cast<RegionIndex>(filled_));
            }
            region.blocks = BlockSet(std::move(blocks));
        }
    }

    /// An entry in a region's own blocks, which are reached through another entry, is part of it.
    void drop_covered_entries() {
        std::unordered_map<LoopIndex, unsigned> open; // entries above the current one, by loop
        for (Region &region : found_.regions) {
            std::vector<BlockIndex> downwards = region.entries;
            std::ranges::sort(downwards, {}, [&](BlockIndex entry) { return graph_.dominance.first(entry); });
            std::vector<BlockIndex> above;
            std::vector<BlockIndex> covered;
            open.clear();
            for (const BlockIndex entry : downwards) {
                while (!above.empty() && !graph_.dominates(above.back(), entry)) {
                    --open[graph_.loop_of[above.back()]];
                    above.pop_back();
                }
                unsigned &in_loop = open[graph_.loop_of[entry]];
                if (in_loop != 0 && region.blocks.has(entry)) {
                    covered.push_back(entry);
                }
                ++in_loop;
                above.push_back(entry);
            }
            std::ranges::sort(covered);
            std::erase_if(region.entries, [&](BlockIndex entry) { return std::ranges::binary_search(covered, entry); });
        }
    }

    /// By region, the regions that it is inside of, in ascending order: it begins in them. If two begin in one
    /// another, the one that meets later in the code is the outer one.
    std::vector<std::vector<RegionIndex>> regions_around() const {
        std::vector<std::vector<RegionIndex>> entered_at(function_.blocks.size());
        for (RegionIndex index = 0; index < found_.regions.size(); ++index) {
            for (const BlockIndex entry : found_.regions[index].entries) {
                entered_at[entry].push_back(index);
            }
        }
        std::vector<RegionIndex> begins_in(found_.regions.size(), kNoRegion); // by region: the last one found
        std::vector<std::vector<RegionIndex>> all(found_.regions.size());
        for (RegionIndex index = 0; index < found_.regions.size(); ++index) {
            const Region &region = found_.regions[index];
            for (const BlockIndex block : region.blocks) {
                count_steps();
                for (const RegionIndex inner : entered_at[block]) {
                    begins_in[inner] = index;
                }
            }
            std::vector<RegionIndex> &around = all[index];
            for (const BlockIndex entry : region.entries) {
                for (const RegionIndex outer : regions_at_[entry]) {
                    count_steps();
                    const BlockIndex meeting = found_.regions[outer].meeting;
                    if (meeting != region.meeting && !(begins_in[outer] == index && meeting > region.meeting)) {
                        around.push_back(outer);
                    }
                }
            }
            std::ranges::sort(around);
            around.erase(std::unique(around.begin(), around.end()), around.end());
        }
        return all;
    }

    /// Depths and parents.
    void nest() {
        const std::vector<std::vector<RegionIndex>> outer_ones = regions_around();
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

    /// The regions that contain a block and for which `open` holds, the innermost first.
    template <typename Open> std::vector<RegionIndex> regions_where(BlockIndex block, Open open) const {
        std::vector<RegionIndex> found;
        for (const RegionIndex index : regions_at_[block]) {
            count_steps();
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
                    from, [&](const Region &region) { return to != region.meeting && !region.blocks.has(to); });
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

    // --- the blocks of the region in work --------------------------------------------------------------------------

    void begin(std::size_t region) { in_work_ = static_cast<RegionIndex>(region); }
    bool is_in_work(BlockIndex block) const { return last_inside_[block] == in_work_; }
    /// False when it was already inside.
    bool put_inside(BlockIndex block) { return std::exchange(last_inside_[block], in_work_) != in_work_; }

    static constexpr std::size_t kNoBranch = ~std::size_t{0};

    const Function &function_;
    const Divergence &divergence_;
    Regions found_;
    const FlowGraph &graph_ = found_.graph;
    std::vector<std::size_t> branch_at_;                      ///< by block: index into branches
    std::unordered_map<BlockIndex, RegionIndex> region_with_; ///< by meeting
    std::vector<std::vector<RegionIndex>> regions_at_;        ///< by block: those that contain it
    std::vector<std::vector<WayIn>> ways_in_;                 ///< by region
    std::size_t filled_ = 0;                                  ///< regions whose blocks are found
    RegionIndex in_work_ = kNoRegion;
    std::vector<RegionIndex> last_inside_; ///< by block: the last region that was found to contain it
};

} // namespace

Regions find_regions(const Function &function, const Divergence &divergence) {
    return Finder(function, divergence).run();
}

} // namespace smsim::ptx::machine
