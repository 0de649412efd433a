#include "ptx/machine/lowering/sync_ways.h"

#include <algorithm>
#include <map>
#include <utility>

#include "ptx/machine/divergence.h"
#include "ptx/machine/lowering/edges.h"
#include "ptx/machine/operands.h"

namespace smsim::ptx::machine {

namespace {

/// Far beyond what kernels have.
constexpr unsigned kMostPlaces = 32;

/// Entries of all ways to places that are kept for the next branch; beyond that they are computed again.
constexpr std::size_t kMostKept = std::size_t{1} << 23;

/// Looks for one place in the current function, and changes it there.
class Leader {
  public:
    Leader(Function &function, const CallsSync &calls_sync)
        : function_(function), graph_(analyse(function)), divergence_(find_divergence(function, graph_)),
          syncs_in_(graph_.loops.size(), 0), seen_(function.blocks.size(), 0) {
        for (const BlockIndex block : graph_.order) {
            if (std::ranges::any_of(function.blocks[block].code, [&](const Instruction &instruction) {
                    return is_sync(instruction) || (instruction.mnemonic == "CALL" && calls_sync(instruction));
                })) {
                syncs_.push_back(block);
                for (LoopIndex loop = graph_.loop_of[block]; loop != kNoLoop; loop = graph_.loops[loop].parent) {
                    ++syncs_in_[loop];
                }
            }
        }
    }

    /// False when there is nothing to change.
    bool lead_one() {
        return !syncs_.empty() && std::ranges::any_of(graph_.order, [&](BlockIndex branch) {
            return divergence_.branches[branch] && lead_from(branch);
        });
    }

  private:
    /// Leads the ways from `branch` over the first sync that they pass where that is needed, in the order of the
    /// graph.
    bool lead_from(BlockIndex branch) {
        closed_.clear();
        std::size_t open = open_levels(branch);
        last_closed_ = 0;
        // What a branch leads to follows the header of the outermost loop around it.
        LoopIndex outermost = graph_.loop_of[branch];
        while (outermost != kNoLoop && graph_.loops[outermost].parent != kNoLoop) {
            outermost = graph_.loops[outermost].parent;
        }
        const std::uint32_t first = graph_.position[outermost == kNoLoop ? branch : graph_.loops[outermost].header];
        const auto position = [&](BlockIndex block) { return graph_.position[block]; };
        auto sync = graph_.reducible ? std::ranges::lower_bound(syncs_, first, {}, position) : syncs_.begin();
        for (; sync != syncs_.end() && (open != 0 || position(*sync) <= last_closed_); ++sync) {
            count_steps();
            const std::size_t closed = closed_.size();
            if (lead(branch, *sync)) {
                return true;
            }
            open -= closed_.size() - closed;
        }
        return false;
    }

    /// Loops around the branch, and the function, that have syncs which share no further loop with the branch.
    std::size_t open_levels(BlockIndex branch) const {
        std::size_t found = 0;
        std::size_t inside = 0;
        for (LoopIndex loop = graph_.loop_of[branch]; loop != kNoLoop; loop = graph_.loops[loop].parent) {
            found += syncs_in_[loop] > inside ? 1 : 0;
            inside = syncs_in_[loop];
        }
        return found + (syncs_.size() > inside ? 1 : 0);
    }

    /// Leads the ways from `branch` over `sync`, when both are part of one round or of the function, and several sides
    /// of the branch reach the sync.
    bool lead(BlockIndex branch, BlockIndex sync) {
        LoopIndex loop = graph_.loop_of[branch];
        BlockIndex first = branch; // of the next level that contains the branch: all that it leads to follows it
        while (loop != kNoLoop && !graph_.inside(sync, loop)) {
            first = graph_.loops[loop].header;
            loop = graph_.loops[loop].parent;
        }
        const std::uint32_t begin = graph_.reducible ? graph_.position[first] : 0;
        const auto known = closed_.find(loop);
        if (branch == sync || graph_.position[sync] < begin ||
            (known != closed_.end() && !std::ranges::binary_search(known->second, sync))) {
            return false;
        }
        Round &round = round_to(sync, loop, begin);
        // A round reaches the sync from its beginning, which may be too early to be among the ways.
        const auto comes = [&](BlockIndex to) {
            return round.index_of(graph_, to) != kNoBlock || (loop != kNoLoop && to == graph_.loops[loop].header);
        };
        const auto comes_in_round = [&](BlockIndex to) { return is_way(to, loop) && comes(to); };
        if (std::ranges::count_if(graph_.successors[branch], comes_in_round) < 2) {
            return false;
        }
        const BlockIndex place = place_of(round, loop, branch);
        const std::vector<BlockIndex> inside =
            find_inside(branch, [&](BlockIndex to) { return to != place && comes_in_round(to); });
        std::map<BlockIndex, std::vector<BlockIndex>> out; // by target: the sources
        for (const BlockIndex from : inside) {
            for (const BlockIndex to : graph_.successors[from]) {
                if (!comes(to)) {
                    out[to].push_back(from);
                }
            }
        }
        if (out.empty()) {
            for (const BlockIndex block : inside) {
                last_closed_ = std::max(last_closed_, graph_.position[block]);
            }
            closed_[loop] = inside;
            return false;
        }
        lead_over(place, inside, out, function_.blocks[branch].end.line);
        return true;
    }

    /// True when an edge of a round of `loop` may lead to `to`: neither to another round, nor out of the loop.
    bool is_way(BlockIndex to, LoopIndex loop) const {
        return graph_.inside(to, loop) && (loop == kNoLoop || to != graph_.loops[loop].header);
    }

    /// `branch` and the blocks that it leads to through those for which `enters` holds, in ascending order.
    template <typename Enters> std::vector<BlockIndex> find_inside(BlockIndex branch, Enters enters) {
        ++look_;
        std::vector<BlockIndex> found;
        std::vector<BlockIndex> open = {branch};
        seen_[branch] = look_;
        while (!open.empty()) {
            const BlockIndex at = open.back();
            open.pop_back();
            count_steps();
            found.push_back(at);
            for (const BlockIndex to : graph_.successors[at]) {
                if (seen_[to] != look_ && enters(to)) {
                    seen_[to] = look_;
                    open.push_back(to);
                }
            }
        }
        std::ranges::sort(found);
        return found;
    }

    /// The ways that lead to a sync inside of one round of a loop, as far as they follow `first`.
    struct Round {
        std::uint32_t first = 0;          ///< position in the graph
        std::vector<BlockIndex> coming{}; ///< blocks from which a way leads to the sync, the sync first
        std::vector<BlockIndex> index{};  ///< by position after `first`: in `coming`; kNoBlock: not there
        std::vector<BlockIndex> place{};  ///< by index: where all its ways to the sync meet; empty: not computed yet

        BlockIndex index_of(const FlowGraph &graph, BlockIndex block) const {
            const std::uint32_t at = graph.position[block] - first;
            return graph.position[block] < first || at >= index.size() ? kNoBlock : index[at];
        }
    };

    Round &round_to(BlockIndex sync, LoopIndex loop, std::uint32_t first) {
        if (kept_ > kMostKept) {
            rounds_.clear();
            kept_ = 0;
        }
        const auto [at, is_new] = rounds_.try_emplace({sync, loop});
        Round &round = at->second;
        if (!is_new && round.first <= first) {
            return round;
        }
        round = {.first = first};
        const auto put = [&](BlockIndex block) {
            const std::size_t place = graph_.position[block] - first;
            if (place >= round.index.size()) {
                round.index.resize(place + 1, kNoBlock);
            }
            if (round.index[place] == kNoBlock) {
                round.index[place] = static_cast<BlockIndex>(round.coming.size());
                round.coming.push_back(block);
            }
        };
        put(sync);
        for (std::size_t next = 0; next < round.coming.size(); ++next) {
            const BlockIndex to = round.coming[next];
            for (const BlockIndex from : graph_.predecessors[to]) {
                count_steps();
                if (is_way(to, loop) && graph_.inside(from, loop) && graph_.position[from] >= first &&
                    graph_.idom[from] != kNoBlock) {
                    put(from);
                }
            }
        }
        kept_ += round.index.size() + 2 * round.coming.size();
        return round;
    }

    /// Where all ways from `branch` meet that reach the sync of the round.
    BlockIndex place_of(Round &round, LoopIndex loop, BlockIndex branch) const {
        if (round.place.empty()) {
            Graph back(round.coming.size());
            for (BlockIndex to = 0; to < back.size(); ++to) {
                for (const BlockIndex from : graph_.predecessors[round.coming[to]]) {
                    count_steps();
                    const bool is_edge =
                        is_way(round.coming[to], loop) && graph_.inside(from, loop) && graph_.idom[from] != kNoBlock;
                    if (const BlockIndex index = round.index_of(graph_, from); is_edge && index != kNoBlock) {
                        back[to].push_back(index);
                    }
                }
            }
            round.place = dominators(back, 0);
        }
        return round.coming[round.place[round.index_of(graph_, branch)]];
    }

    /// Leads the ways `out` of the blocks `inside` over tests before `place`, which all other ways from these blocks
    /// pass, too.
    void lead_over(BlockIndex place, const std::vector<BlockIndex> &inside,
                   const std::map<BlockIndex, std::vector<BlockIndex>> &out, std::uint32_t line) {
        const BlockIndex before = above(inside);
        BlockIndex first = place;
        std::map<BlockIndex, Register> flags;
        std::vector<std::pair<BlockIndex, BlockIndex>> tests; // block, and its target
        for (const auto &[to, from] : out) {
            flags[to] = function_.add(RegisterClass::kPredicate);
            const BlockIndex test = function_.add_block();
            function_.blocks[test].end = {
                .kind = EndKind::kBranch, .predicate = if_true(flags[to]), .taken = to, .next = first, .line = line};
            first = test;
            tests.emplace_back(test, to);
        }
        for (const BlockIndex from : inside) {
            for_each_edge(function_.blocks[from], [&](BlockIndex &to) { to = to == place ? first : to; });
        }
        for (const auto &[to, sources] : out) {
            for (const BlockIndex from : sources) {
                Block &leaving = function_.blocks[split_edge(function_, from, to)];
                leaving.code.push_back(set_predicate(flags[to], true, leaving.end.line));
                leaving.end.next = first;
            }
            function_.blocks[before].code.push_back(set_predicate(flags[to], false, line));
        }
        // A thread that arrives again without passing `before` must find its flag false.
        for (const auto &[test, to] : tests) {
            if (!std::ranges::binary_search(inside, before)) {
                function_.blocks[split_edge(function_, test, to)].code.push_back(set_predicate(flags[to], false, line));
            }
        }
    }

    /// The block that every way to those `inside` passes, one of them if possible.
    BlockIndex above(const std::vector<BlockIndex> &inside) const {
        BlockIndex found = *std::ranges::min_element(inside, {}, [&](BlockIndex at) { return graph_.position[at]; });
        for (const BlockIndex block : inside) {
            while (!graph_.dominates(found, block)) {
                found = graph_.idom[found];
            }
        }
        return found;
    }

    Function &function_;
    FlowGraph graph_;
    Divergence divergence_;
    std::vector<BlockIndex> syncs_;     ///< blocks with one, in the order of the graph
    std::vector<std::size_t> syncs_in_; ///< by loop
    std::map<std::pair<BlockIndex, LoopIndex>, Round> rounds_;
    std::size_t kept_ = 0;            ///< entries of these
    std::vector<std::uint32_t> seen_; ///< by block: the last search that found it
    std::uint32_t look_ = 0;
    /// By loop, for the current branch: the blocks before a place where all its ways in a round meet; what follows
    /// them needs no further search.
    std::map<LoopIndex, std::vector<BlockIndex>> closed_;
    std::uint32_t last_closed_ = 0; ///< position after which nothing is in any of these
};

} // namespace

bool lead_ways_over_syncs(Function &function, const CallsSync &calls_sync) {
    for (unsigned places = 0; places < kMostPlaces; ++places) {
        normalise_loops(function);
        if (!Leader(function, calls_sync).lead_one()) {
            return true;
        }
    }
    return false;
}

} // namespace smsim::ptx::machine
