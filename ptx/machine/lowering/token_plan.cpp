#include "ptx/machine/lowering/token_plan.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace smsim::ptx::machine {

namespace {

class Planner {
  public:
    explicit Planner(const Regions &regions) : regions_(regions), graph_(regions.graph) {}

    TokenPlan run() {
        open_regions();
        first_kinds();
        while (raise_kinds()) {
        }
        for (BlockIndex from = 0; from < graph_.successors.size() && !plan_.conflict; ++from) {
            for (const BlockIndex to : graph_.successors[from]) {
                write(from, to);
            }
        }
        return std::move(plan_);
    }

  private:
    /// Which regions are open: at the beginning of each block, and pushed at its end. Where a region begins inside of
    /// another one, but also has an entry outside of it, the outer one is entered there first.
    void open_regions() {
        inside_.resize(graph_.successors.size());
        blocks_.resize(regions_.regions.size());
        std::vector<RegionIndex> seen(graph_.successors.size(), kNoRegion);
        for (RegionIndex region = 0; region < regions_.regions.size(); ++region) {
            entries_.push_back(regions_.regions[region].entries);
            find_blocks(region, seen);
        }
        for (bool changed = true; changed;) {
            changed = false;
            for (RegionIndex inner = 0; inner < entries_.size(); ++inner) {
                const std::vector<RegionIndex> around = inside_[regions_.regions[inner].meeting];
                for (const RegionIndex outer : around) {
                    changed |= holds(outer, inner) && enter_first(outer, inner);
                }
            }
        }
        plan_.pushes.resize(graph_.successors.size());
        for (RegionIndex region = 0; region < entries_.size(); ++region) {
            for (const BlockIndex entry : entries_[region]) {
                if (!is_inside(region, entry)) {
                    plan_.pushes[entry].push_back(region);
                }
            }
        }
        for (std::vector<RegionIndex> &pushed : plan_.pushes) {
            std::ranges::stable_sort(pushed, {}, [&](RegionIndex region) { return regions_.regions[region].depth; });
        }
    }

    /// Blocks that begin inside of the region when threads enter it at its own entries.
    void find_blocks(RegionIndex index, std::vector<RegionIndex> &seen) {
        const Region &region = regions_.regions[index];
        std::vector<BlockIndex> open;
        for (const BlockIndex entry : region.entries) {
            open.insert(open.end(), graph_.successors[entry].begin(), graph_.successors[entry].end());
        }
        while (!open.empty()) {
            const BlockIndex at = open.back();
            open.pop_back();
            count_steps();
            if (seen[at] != index && at != region.meeting && region.blocks.has(at)) {
                seen[at] = index;
                blocks_[index].push_back(at);
                inside_[at].push_back(index); // in ascending order
                open.insert(open.end(), graph_.successors[at].begin(), graph_.successors[at].end());
            }
        }
    }

    bool is_inside(RegionIndex region, BlockIndex block) const {
        return std::ranges::binary_search(inside_[block], region);
    }

    /// True when `inner` begins inside of `outer` and meets in it.
    bool holds(RegionIndex outer, RegionIndex inner) const {
        count_steps();
        return outer != inner && regions_.regions[outer].depth < regions_.regions[inner].depth &&
               std::ranges::any_of(entries_[inner], [&](BlockIndex entry) { return open_in(outer, entry); });
    }

    bool open_in(RegionIndex region, BlockIndex entry) const {
        return is_inside(region, entry) || std::ranges::find(entries_[region], entry) != entries_[region].end();
    }

    /// Makes entries of `inner` that lie outside of `outer` entries of `outer`, too. False when there are none.
    bool enter_first(RegionIndex outer, RegionIndex inner) {
        bool changed = false;
        for (const BlockIndex entry : entries_[inner]) {
            if (!open_in(outer, entry) && !is_inside(inner, entry)) {
                entries_[outer].push_back(entry);
                changed = true;
            }
        }
        if (changed) {
            for (const BlockIndex block : blocks_[inner]) {
                if (!is_inside(outer, block)) {
                    inside_[block].insert(std::ranges::upper_bound(inside_[block], outer), outer);
                    blocks_[outer].push_back(block);
                }
            }
        }
        return changed;
    }

    bool open_at_end(RegionIndex region, BlockIndex block) const {
        return is_inside(region, block) || std::ranges::find(plan_.pushes[block], region) != plan_.pushes[block].end();
    }

    /// Regions that an edge leaves, the innermost first.
    std::vector<RegionIndex> left_by(BlockIndex from, BlockIndex to) const {
        std::vector<RegionIndex> open = inside_[from];
        open.insert(open.end(), plan_.pushes[from].begin(), plan_.pushes[from].end()); // others than those inside
        std::ranges::sort(open);
        return chosen(open, [&](RegionIndex region) { return !is_inside(region, to); });
    }

    /// Those of `regions`, which are in ascending order, for which `choice` holds, the innermost first.
    template <typename Choice>
    std::vector<RegionIndex> chosen(const std::vector<RegionIndex> &regions, Choice choice) const {
        std::vector<RegionIndex> found;
        count_steps(regions.size());
        std::ranges::copy_if(regions, std::back_inserter(found), choice);
        std::ranges::stable_sort(found, std::greater<>(),
                                 [&](RegionIndex region) { return regions_.regions[region].depth; });
        return found;
    }

    void first_kinds() {
        is_latch_.assign(graph_.successors.size(), false);
        for (const Loop &loop : graph_.loops) {
            for (const BlockIndex latch : loop.latches) {
                is_latch_[latch] = true;
            }
        }
        plan_.kinds.assign(regions_.regions.size(), TokenKind::kSync);
        for (const LoopExits &loop : regions_.loops) {
            if (loop.region != kNoRegion) {
                plan_.kinds[loop.region] = TokenKind::kBreak;
            }
        }
        for (RegionIndex region = 0; region < plan_.kinds.size(); ++region) {
            if (is_end_of_round(region) && plan_.kinds[region] == TokenKind::kBreak) {
                plan_.kinds[region] = TokenKind::kContinue;
            }
        }
    }

    bool is_end_of_round(RegionIndex region) const { return is_latch_[regions_.regions[region].meeting]; }

    /// The region that an edge leaves for its target, using the region's own instruction. Otherwise the region that it
    /// stays in, whose instruction will take the threads out of what is left; kNoRegion: none, they leave permanently.
    RegionIndex anchor(const std::vector<RegionIndex> &left, BlockIndex to) const {
        if (leaves_for(left, to)) {
            return left.back();
        }
        const std::vector<RegionIndex> stays = chosen(inside_[to], [](RegionIndex) { return true; });
        return stays.empty() ? kNoRegion : stays.front();
    }

    bool leaves_for(const std::vector<RegionIndex> &left, BlockIndex to) const {
        return regions_.regions[left.back()].meeting == to;
    }

    /// Replaces SYNC where threads leave from regions inside, for which it does not work. True when something has
    /// changed.
    bool raise_kinds() {
        bool changed = false;
        for (BlockIndex from = 0; from < graph_.successors.size(); ++from) {
            for (const BlockIndex to : graph_.successors[from]) {
                const std::vector<RegionIndex> left = left_by(from, to);
                if (left.empty() || (left.size() == 1 && leaves_for(left, to))) {
                    continue;
                }
                const RegionIndex out_of = anchor(left, to);
                if (out_of != kNoRegion && plan_.kinds[out_of] == TokenKind::kSync) {
                    plan_.kinds[out_of] = is_end_of_round(out_of) ? TokenKind::kContinue : TokenKind::kBreak;
                    changed = true;
                }
            }
        }
        return changed;
    }

    void write(BlockIndex from, BlockIndex to) {
        TokenEdge edge{.from = from, .to = to};
        edge.enters = chosen(inside_[to], [&](RegionIndex region) { return !open_at_end(region, from); });
        std::ranges::reverse(edge.enters);
        // A token is pushed above those that stay open, so their regions must lie around it.
        plan_.in_order = plan_.in_order && std::ranges::none_of(edge.enters, [&](RegionIndex entered) {
                             const unsigned depth = regions_.regions[entered].depth;
                             return std::ranges::any_of(inside_[to], [&](RegionIndex region) {
                                 return open_at_end(region, from) && regions_.regions[region].depth > depth;
                             });
                         });
        const std::vector<RegionIndex> left = left_by(from, to);
        if (!left.empty()) {
            const RegionIndex out_of = anchor(left, to);
            // The innermost token of the kind must be the intended one. Tokens that threads do not leave by an
            // instruction keep them until an outer token takes them along, and only a SYNC there has the intended
            // effect.
            const bool by_instruction = leaves_for(left, to);
            const auto in_the_way = std::ranges::find_if(left, [&](RegionIndex region) {
                const bool mistaken = by_instruction ? plan_.kinds[region] == plan_.kinds[out_of]
                                                     : plan_.kinds[region] != TokenKind::kSync;
                return region != out_of && out_of != kNoRegion && mistaken;
            });
            if (in_the_way != left.end()) {
                plan_.conflict = TokenConflict{.from = from, .to = to, .region = *in_the_way, .goes_on = true};
                return;
            }
            if (by_instruction) {
                edge.leaves = plan_.kinds[out_of];
                if (!edge.enters.empty()) {
                    plan_.conflict = TokenConflict{.from = from, .to = to, .region = out_of};
                    return;
                }
            }
        }
        if (edge.leaves || !edge.enters.empty()) {
            plan_.edges.push_back(std::move(edge));
        }
    }

    const Regions &regions_;
    const FlowGraph &graph_;
    std::vector<std::vector<BlockIndex>> entries_; ///< by region
    std::vector<std::vector<RegionIndex>> inside_; ///< by block: regions that are open where it begins, in ascending
                                                   ///< order
    std::vector<std::vector<BlockIndex>> blocks_;  ///< by region: those that begin inside of it
    std::vector<bool> is_latch_;                   ///< by block: it ends the rounds of a loop
    TokenPlan plan_;
};

} // namespace

TokenPlan plan_tokens(const Regions &regions) {
    return Planner(regions).run();
}

} // namespace smsim::ptx::machine
