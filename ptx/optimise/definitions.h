// Which words of registers have only one definition, from which every reader gets its value: values as in static
// single assignment. Words that several instructions write (variables of loops, results of guarded instructions) are
// not values in this sense; the passes leave them unchanged.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "ptx/machine/flow_graph.h"
#include "ptx/machine/liveness.h"

namespace smsim::ptx::optimise {

/// An instruction of a function; `index` past the last one: the end of the block.
struct Place {
    machine::BlockIndex block = machine::kNoBlock;
    std::uint32_t index = 0;
    friend bool operator==(const Place &, const Place &) = default;
};

/// An instruction to be inserted before a place.
using Insertion = std::pair<Place, machine::Instruction>;

/// Inserts them all, those of one place in their order. Places found before are invalid afterwards.
void insert(machine::Function &function, std::vector<Insertion> insertions);

/// Answers in constant time which block dominates which.
class DominatorTree {
  public:
    explicit DominatorTree(const machine::FlowGraph &graph);
    /// True when every way from the entry to `block` passes `above`.
    bool dominates(machine::BlockIndex above, machine::BlockIndex block) const {
        return first_[above] <= first_[block] && last_[block] <= last_[above];
    }
    /// True when `above` is always executed before `place`.
    bool dominates(const Place &above, const Place &place) const {
        return above.block == place.block ? above.index < place.index : dominates(above.block, place.block);
    }
    /// Reachable blocks, each after its immediate dominator.
    const std::vector<machine::BlockIndex> &order() const { return order_; }
    /// The blocks that a block immediately dominates.
    const std::vector<machine::BlockIndex> &below(machine::BlockIndex block) const { return below_[block]; }

  private:
    std::vector<std::vector<machine::BlockIndex>> below_;
    std::vector<machine::BlockIndex> order_;
    std::vector<std::uint32_t> first_;
    std::vector<std::uint32_t> last_;
};

/// The definitions and readers of a function's current code; valid until the code changes.
class Definitions {
  public:
    Definitions(const machine::Function &function, const machine::FlowGraph &graph, const DominatorTree &tree,
                const machine::Units &units);

    /// True when only one instruction writes `unit`, and does so before each that reads it. A guarded one counts, too,
    /// when its result is not read where the guard is false.
    bool is_single(std::uint32_t unit) const { return single_[unit]; }
    /// The instruction that writes a single unit.
    const Place &place(std::uint32_t unit) const { return places_[unit]; }
    /// How many operands read `unit`, ends of blocks and calls included.
    std::uint32_t readers(std::uint32_t unit) const { return readers_[unit]; }
    /// How many instructions write `unit`.
    std::uint32_t writers(std::uint32_t unit) const { return writers_[unit]; }

  private:
    std::vector<bool> single_;
    std::vector<Place> places_;
    std::vector<std::uint32_t> readers_;
    std::vector<std::uint32_t> writers_;
};

} // namespace smsim::ptx::optimise
