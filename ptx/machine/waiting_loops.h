// Loops that wait for what other threads write.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/machine/flow_graph.h"

namespace smsim::ptx::machine {

/// What a loop's end has to do with other threads.
struct LoopWait {
    /// It depends on memory that others write: volatile, ordered and atomic accesses, and what such functions return.
    /// For certain it cannot be told that such a loop waits: it may.
    bool may = false;
    /// Moreover no round brings the thread further by itself: a place that stays the same is read again, or compared
    /// with the same value, until another thread has written it. Atomic updates whose address or expected value changes
    /// from round to round are none, nor are those that count; and a loop that each round may end without one waits for
    /// nobody.
    bool stalls = false;
};

/// For each loop of `graph`. Calls count as accesses of their functions where Instruction::spins says so.
std::vector<LoopWait> find_waiting_loops(const Function &function, const FlowGraph &graph);

/// LoopWait::stalls for blocks that reach one another and have several entries, so that they are no loop: all blocks
/// whose number in `numbers` is that of the first one, in the order of the graph.
bool stalls_in_circle(const Function &function, const FlowGraph &graph, const std::vector<BlockIndex> &circle,
                      const std::vector<std::uint32_t> &numbers);

} // namespace smsim::ptx::machine
