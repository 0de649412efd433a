// Which words of registers have one definition only, that every reader gets its value from: values as in static single
// assignment. Words that several instructions write (variables of loops, results of guarded instructions) are named no
// value; the passes leave them as they are.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "ptx/machine/flow_graph.h"
#include "ptx/machine/liveness.h"

namespace smsim::ptx::optimise {

/// An instruction of a function; `index` behind the last one: the end of the block.
struct Place {
    machine::BlockIndex block = machine::kNoBlock;
    std::uint32_t index = 0;
    friend bool operator==(const Place &, const Place &) = default;
};

/// An instruction that is to stand in front of a place.
using Insertion = std::pair<Place, machine::Instruction>;

/// Puts them all in, those of one place in their order. What is known of places holds no more behind it.
void insert(machine::Function &function, std::vector<Insertion> insertions);

/// Tells in constant time which block stands above which.
class DominatorTree {
  public:
    explicit DominatorTree(const machine::FlowGraph &graph);
    /// True when every way from the entry to `block` leads over `above`.
    bool dominates(machine::BlockIndex above, machine::BlockIndex block) const {
        return first_[above] <= first_[block] && last_[block] <= last_[above];
    }
    /// True when `above` is executed before `place` whenever that is.
    bool dominates(const Place &above, const Place &place) const {
        return above.block == place.block ? above.index < place.index : dominates(above.block, place.block);
    }
    /// Blocks that can be reached, each behind the one that is immediately above it.
    const std::vector<machine::BlockIndex> &order() const { return order_; }
    /// The blocks immediately below one.
    const std::vector<machine::BlockIndex> &below(machine::BlockIndex block) const { return below_[block]; }

  private:
    std::vector<std::vector<machine::BlockIndex>> below_;
    std::vector<machine::BlockIndex> order_;
    std::vector<std::uint32_t> first_;
    std::vector<std::uint32_t> last_;
};

/// The definitions and readers of a function as it stands; what is found holds until its code changes.
class Definitions {
  public:
    Definitions(const machine::Function &function, const machine::FlowGraph &graph, const DominatorTree &tree,
                const machine::Units &units);

    /// True when one instruction alone writes `unit`, and does so before each that reads it. Under a guard it does so
    /// too, when nobody reads it where the guard is false.
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
