// Which registers hold a value that is still read, word by word.
#pragma once

#include <cstdint>
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
    /// Adds all of `other`; true when something was new.
    bool merge(const UnitSet &other);
    /// Calls `visit(unit)` in rising order.
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

/// What one instruction reads, writes, and writes for good (the old value is gone where it stands).
struct Access {
    std::vector<std::uint32_t> reads;
    std::vector<std::uint32_t> writes;
    std::vector<std::uint32_t> kills;
};

/// The accesses of an instruction. A guarded write does not kill unless the instruction says so.
Access access_of(const Instruction &instruction, const Units &units);

/// Units that the end of a block reads.
std::vector<std::uint32_t> reads_of_end(const End &end, const Units &units);

/// Units that are live where each block begins.
std::vector<UnitSet> live_in(const Function &function, const FlowGraph &graph, const Units &units);

/// Units that are live behind the last instruction of `block`, before its end reads any.
UnitSet live_out(const Function &function, const Units &units, const std::vector<UnitSet> &in, BlockIndex block);

/// Removes instructions whose results nobody reads and that do nothing else.
void remove_dead_code(Function &function);

} // namespace smsim::ptx::machine
