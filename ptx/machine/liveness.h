// Which registers hold a value that is still read, word by word.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ptx/machine/flow_graph.h"

namespace smsim::ptx::machine {

/// Numbers the words of all registers: word i of register r is unit first[r] + i.
struct Units {
    std::vector<std::uint32_t> first;
    std::vector<Register> owner; ///< register of a unit
    std::uint32_t count = 0;

    explicit Units(const Function &function);
};

/// A set of units.
class UnitSet {
  public:
    explicit UnitSet(std::uint32_t count) : words_((count + 63) / 64) {}
    void add(std::uint32_t unit) { words_[unit / 64] |= std::uint64_t{1} << (unit % 64); }
    void remove(std::uint32_t unit) { words_[unit / 64] &= ~(std::uint64_t{1} << (unit % 64)); }
    bool has(std::uint32_t unit) const { return ((words_[unit / 64] >> (unit % 64)) & 1) != 0; }
    void clear() { std::ranges::fill(words_, 0); }
    /// Calls `visit(unit)` in ascending order.
    template <typename Visit> void for_each(Visit visit) const {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1) {
                visit(static_cast<std::uint32_t>(i * 64) + static_cast<std::uint32_t>(__builtin_ctzll(rest)));
            }
        }
    }

  private:
    std::vector<std::uint64_t> words_;
};

/// A set of few units, of which there may be one for each block; in ascending order.
class SmallUnitSet {
  public:
    SmallUnitSet() = default;
    explicit SmallUnitSet(const UnitSet &set) {
        set.for_each([&](std::uint32_t unit) { units_.push_back(unit); });
    }
    bool has(std::uint32_t unit) const { return std::ranges::binary_search(units_, unit); }
    /// Calls `visit(unit)` in ascending order.
    template <typename Visit> void for_each(Visit visit) const { std::ranges::for_each(units_, visit); }
    friend bool operator==(const SmallUnitSet &, const SmallUnitSet &) = default;

  private:
    std::vector<std::uint32_t> units_;
};

/// The units of one instruction: few, except for calls.
class UnitList {
  public:
    void push_back(std::uint32_t unit) {
        if (size_ < kInside) {
            inside_[size_] = unit;
        } else {
            if (size_ == kInside) {
                more_.assign(inside_.begin(), inside_.end());
            }
            more_.push_back(unit);
        }
        ++size_;
    }
    const std::uint32_t *begin() const { return size_ <= kInside ? inside_.data() : more_.data(); }
    const std::uint32_t *end() const { return begin() + size_; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::uint32_t operator[](std::size_t index) const { return begin()[index]; }

  private:
    static constexpr std::size_t kInside = 14;
    std::size_t size_ = 0;
    std::array<std::uint32_t, kInside> inside_; // the first `size_` are set
    std::vector<std::uint32_t> more_;           ///< all of them, where they do not fit inside
};

/// What one instruction reads and writes, and whether it overwrites completely (the old value is lost at this point).
struct Access {
    UnitList reads{};
    UnitList writes{};
    bool for_good = false;

    /// What is overwritten completely.
    std::span<const std::uint32_t> kills() const {
        return for_good ? std::span(writes.begin(), writes.size()) : std::span<const std::uint32_t>();
    }
};

/// The accesses of an instruction. A guarded write does not kill unless the instruction says so.
Access access_of(const Instruction &instruction, const Units &units);

/// Units that the end of a block reads.
UnitList reads_of_end(const End &end, const Units &units);

/// Units that are live where each block begins.
std::vector<SmallUnitSet> live_in(const Function &function, const FlowGraph &graph, const Units &units);

/// Units that are live after the last instruction of `block`, before its end reads any.
UnitSet live_out(const Function &function, const Units &units, const std::vector<SmallUnitSet> &in, BlockIndex block);

/// Units that are live after the last instruction of `block`, those that its end reads among them.
UnitSet live_before_end(const Function &function, const Units &units, const std::vector<SmallUnitSet> &in,
                        BlockIndex block);

/// Makes of the units that are live after an instruction those that are live before it.
void step_back(const Access &access, UnitSet &live);

/// Removes instructions whose results are not read and that have no other effect.
void remove_dead_code(Function &function);

} // namespace smsim::ptx::machine
