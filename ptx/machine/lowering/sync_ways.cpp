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

/// Looks for one place in the function as it is, and changes it there.
class Leader {
  public:
    Leader(Function &function, const CallsSync &calls_sync)
        : function_(function), graph_(analyse(function)), divergence_(find_divergence(function, graph_)) {
        for (const BlockIndex block : graph_.order) {
            if (std::ranges::any_of(function.blocks[block].code, [&](const Instruction &instruction) {
                    return is_sync(instruction) || (instruction.mnemonic == "CALL" && calls_sync(instruction));
                })) {
                syncs_.push_back(block);
            }
        }
    }

    /// False when there is nothing to change.
    bool lead_one() {
        for (const BlockIndex branch : graph_.order) {
            closed_.clear();
            if (divergence_.branches[branch] &&
                std::ranges::any_of(syncs_, [&](BlockIndex sync) { return lead(branch, sync); })) {
                return true;
            }
        }
        return false;
    }

  private:
    /// Leads the ways from `branch` past `sync`, when both are part of one round or of the function, and several sides
    /// of the branch come to the sync.
    bool lead(BlockIndex branch, BlockIndex sync) {
        LoopIndex loop = graph_.loop_of[branch];
        while (loop != kNoLoop && !graph_.inside(sync, loop)) {
            loop = graph_.loops[loop].parent;
        }
        const auto known = closed_.find(loop);
        if (branch == sync || (known != closed_.end() && !known->second[sync])) {
            return false;
        }
        const Round &round = round_to(sync, loop);
        const auto comes = [&](BlockIndex to) { return round.comes[to]; };
        if (std::ranges::count_if(round.ways[branch], comes) < 2) {
            return false;
        }
        const BlockIndex place = round.place[branch];
        std::vector<bool> inside(function_.blocks.size(), false);
        spread(round.ways, {branch}, inside, [&](BlockIndex at) { return at != place && round.comes[at]; });
        std::map<BlockIndex, std::vector<BlockIndex>> out; // by target: where from
        for (BlockIndex from = 0; from < inside.size(); ++from) {
            if (inside[from]) {
                for (const BlockIndex to : graph_.successors[from]) {
                    if (!comes(to)) {
                        out[to].push_back(from);
                    }
                }
            }
        }
        if (out.empty()) {
            closed_[loop] = std::move(inside);
            return false;
        }
        lead_over(place, inside, out, function_.blocks[branch].end.line);
        return true;
    }

    /// The ways that lead to a sync inside of one round of a loop.
    struct Round {
        Graph ways;                    ///< without those that come to another round, or leave the loop
        std::vector<bool> comes;       ///< by block: whether a way leads from it to the sync
        std::vector<BlockIndex> place; ///< by block that comes: where all its ways that do so meet
    };

    const Round &round_to(BlockIndex sync, LoopIndex loop) {
        const auto [at, is_new] = rounds_.try_emplace({sync, loop});
        Round &round = at->second;
        if (!is_new) {
            return round;
        }
        round.ways.resize(function_.blocks.size());
        for (const BlockIndex block : graph_.order) {
            if (graph_.inside(block, loop)) {
                std::ranges::copy_if(
                    graph_.successors[block], std::back_inserter(round.ways[block]), [&](BlockIndex to) {
                        return graph_.inside(to, loop) && (loop == kNoLoop || to != graph_.loops[loop].header);
                    });
            }
        }
        const Graph back = reversed(round.ways);
        round.comes.resize(function_.blocks.size(), false);
        spread(back, {sync}, round.comes);
        Graph coming = back;
        for (std::vector<BlockIndex> &from : coming) {
            std::erase_if(from, [&](BlockIndex block) { return !round.comes[block]; });
        }
        round.place = dominators(coming, sync);
        return round;
    }

    /// Leads the ways `out` of the blocks `inside` over tests in front of `place`, where all others of these blocks
    /// pass too.
    void lead_over(BlockIndex place, const std::vector<bool> &inside,
                   const std::map<BlockIndex, std::vector<BlockIndex>> &out, std::uint32_t line) {
        const BlockIndex before = above(inside);
        BlockIndex first = place;
        std::map<BlockIndex, Register> flags;
        std::vector<std::pair<BlockIndex, BlockIndex>> tests; // block, and where it leads
        for (const auto &[to, from] : out) {
            flags[to] = function_.add(RegisterClass::kPredicate);
            const BlockIndex test = function_.add_block();
            function_.blocks[test].end = {
                .kind = EndKind::kBranch, .predicate = if_true(flags[to]), .taken = to, .next = first, .line = line};
            first = test;
            tests.emplace_back(test, to);
        }
        for (BlockIndex from = 0; from < inside.size(); ++from) {
            if (inside[from]) {
                for_each_edge(function_.blocks[from], [&](BlockIndex &to) { to = to == place ? first : to; });
            }
        }
        for (const auto &[to, sources] : out) {
            for (const BlockIndex from : sources) {
                Block &leaving = function_.blocks[split_edge(function_, from, to)];
                leaving.code.push_back(set_predicate(flags[to], true, leaving.end.line));
                leaving.end.next = first;
            }
            function_.blocks[before].code.push_back(set_predicate(flags[to], false, line));
        }
        // A thread that comes again without passing `before` must find its flag false.
        for (const auto &[test, to] : tests) {
            if (!inside[before]) {
                function_.blocks[split_edge(function_, test, to)].code.push_back(set_predicate(flags[to], false, line));
            }
        }
    }

    /// The block that every way to those `inside` comes through, one of them if possible.
    BlockIndex above(const std::vector<bool> &inside) const {
        const auto first = std::ranges::find_if(graph_.order, [&](BlockIndex block) { return inside[block]; });
        BlockIndex found = *first;
        const auto above_all = [&](BlockIndex at) {
            return std::ranges::all_of(
                graph_.order, [&](BlockIndex block) { return !inside[block] || dominates(graph_.idom, at, block); });
        };
        while (!above_all(found)) {
            found = graph_.idom[found];
        }
        return found;
    }

    Function &function_;
    FlowGraph graph_;
    Divergence divergence_;
    std::vector<BlockIndex> syncs_; ///< blocks with one, in the order of the graph
    std::map<std::pair<BlockIndex, LoopIndex>, Round> rounds_;
    /// Of the branch that is looked at, by loop: the blocks in front of a place where all its ways in a round meet;
    /// what lies behind that needs no further look.
    std::map<LoopIndex, std::vector<bool>> closed_;
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
