#include "ptx/optimise/invariants.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ptx/optimise/definitions.h"
#include "ptx/optimise/facts.h"

namespace smsim::ptx::optimise {

using namespace machine;

namespace {

/// Predicates that may be live in a loop: of the seven, some are left for what its rounds compute.
constexpr unsigned kMostPredicates = 4;

class Hoisting {
  public:
    Hoisting(Function &function, unsigned words)
        : function_(function), units_(function), graph_(analyse(function)), tree_(graph_),
          definitions_(function, graph_, tree_, units_), in_(live_in(function, graph_, units_)), words_(words) {}

    unsigned run() {
        std::vector<LoopIndex> inner_first(graph_.loops.size());
        for (LoopIndex i = 0; i < inner_first.size(); ++i) {
            inner_first[i] = i;
        }
        std::ranges::stable_sort(
            inner_first, [&](LoopIndex a, LoopIndex b) { return graph_.loops[a].depth > graph_.loops[b].depth; });
        for (const LoopIndex loop : inner_first) {
            hoist_from(loop);
        }
        return moved_;
    }

  private:
    /// The block before a loop, which only leads to the loop; kNoBlock: there is none.
    BlockIndex front_of(const Loop &loop) const {
        BlockIndex front = kNoBlock;
        for (const BlockIndex from : graph_.predecessors[loop.header]) {
            if (!graph_.dominates(loop.header, from)) { // otherwise it is a latch
                if (front != kNoBlock) {
                    return kNoBlock;
                }
                front = from;
            }
        }
        return front != kNoBlock && function_.blocks[front].end.kind == EndKind::kFall ? front : kNoBlock;
    }

    bool is_general(std::uint32_t unit) const {
        return function_.registers[units_.owner[unit]].kind == RegisterClass::kGeneral;
    }

    struct Alive {
        unsigned words = 0;
        unsigned predicates = 0;
    };

    /// The most words, and the most predicates, that are live at the same time in the loop.
    Alive most_alive(const std::vector<BlockIndex> &blocks) const {
        Alive most;
        for (const BlockIndex block : blocks) {
            UnitSet live = live_out(function_, units_, in_, block);
            Alive now;
            const auto count = [&](std::uint32_t unit) -> unsigned & {
                return is_general(unit) ? now.words : now.predicates;
            };
            live.for_each([&](std::uint32_t unit) { ++count(unit); });
            const auto take = [&] {
                most.words = std::max(most.words, now.words);
                most.predicates = std::max(most.predicates, now.predicates);
            };
            take();
            const auto &code = function_.blocks[block].code;
            for (auto instruction = code.rbegin(); instruction != code.rend(); ++instruction) {
                const Access access = access_of(*instruction, units_);
                for (const std::uint32_t unit : access.kills()) {
                    count(unit) -= live.has(unit) ? 1 : 0;
                    live.remove(unit);
                }
                for (const std::uint32_t unit : access.reads) {
                    count(unit) += live.has(unit) ? 0 : 1;
                    live.add(unit);
                }
                take();
            }
        }
        return most;
    }

    void hoist_from(LoopIndex index) {
        const Loop &loop = graph_.loops[index];
        const BlockIndex front = front_of(loop);
        if (front == kNoBlock || loop.latches.size() != 1) {
            return;
        }
        const std::vector<BlockIndex> blocks = graph_.blocks_of(index);
        std::vector<bool> written(units_.count, false);
        std::vector<bool> undefined(units_.count, false); // what is written before the loop would end there
        for (const BlockIndex block : blocks) {
            for (const Instruction &instruction : function_.blocks[block].code) {
                const Access access = access_of(instruction, units_);
                std::vector<bool> &which = instruction.mnemonic == kUndefined ? undefined : written;
                for (const std::uint32_t unit : access.kills()) {
                    which[unit] = true;
                }
                for (const std::uint32_t unit : access.writes) {
                    written[unit] = true;
                }
            }
        }
        Alive alive = most_alive(blocks);
        for (const BlockIndex block : blocks) {
            // What is not executed in every round must cost little, and no loop inside may wait for it.
            const bool always = tree_.dominates(block, loop.latches[0]);
            if (!always && graph_.loop_of[block] != index) {
                continue;
            }
            std::vector<Instruction> kept;
            for (Instruction &instruction : function_.blocks[block].code) {
                const Access access = access_of(instruction, units_);
                const bool still = std::ranges::none_of(access.reads, [&](std::uint32_t unit) {
                    // Calls change registers with numbers without naming them.
                    return written[unit] || function_.registers[units_.owner[unit]].fixed >= 0;
                });
                const bool single = std::ranges::all_of(access.writes, [&](std::uint32_t unit) {
                    return definitions_.is_single(unit) && !undefined[unit];
                });
                const auto more = static_cast<unsigned>(
                    std::ranges::count_if(access.writes, [&](std::uint32_t unit) { return is_general(unit); }));
                const auto predicates = static_cast<unsigned>(access.writes.size()) - more;
                const bool fits = alive.words + more <= words_ &&
                                  (predicates == 0 || alive.predicates + predicates <= kMostPredicates);
                if (instruction.mnemonic == kUndefined || instruction.guarded() || !is_pure(instruction) || !still ||
                    !single || access.writes.empty() || !fits || (!always && is_slow(instruction))) {
                    kept.push_back(std::move(instruction));
                    continue;
                }
                alive.words += more;
                alive.predicates += predicates;
                for (const std::uint32_t unit : access.writes) {
                    written[unit] = false;
                }
                function_.blocks[front].code.push_back(std::move(instruction));
                ++moved_;
            }
            function_.blocks[block].code = std::move(kept);
        }
    }

    Function &function_;
    Units units_;
    FlowGraph graph_;
    DominatorTree tree_;
    Definitions definitions_;
    std::vector<SmallUnitSet> in_;
    unsigned words_;
    unsigned moved_ = 0;
};

} // namespace

unsigned hoist_invariants(Function &function, unsigned words) {
    return Hoisting(function, words).run();
}

} // namespace smsim::ptx::optimise
