// Loops that wait for what other threads write.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/machine/flow_graph.h"

namespace smsim::ptx::machine {

/// How a loop's end depends on other threads.
struct LoopWait {
    /// It depends on memory that others write: volatile, ordered and atomic accesses, and what functions with such
    /// accesses return. It cannot be decided with certainty that such a loop waits: it may.
    bool may = false;
    /// Moreover, no round makes progress by itself: an unchanging address is read again, or compared with the same
    /// value, until another thread has written it. Atomic updates whose address or expected value changes from round
    /// to round do not count, nor do those that always change memory; and a loop that any round may end without such a
    /// read waits for no other thread.
    bool stalls = false;
};

/// For each loop of `graph`. Calls count as accesses of their functions where Instruction::spins says so.
std::vector<LoopWait> find_waiting_loops(const Function &function, const FlowGraph &graph);

/// LoopWait::stalls for blocks that reach one another and have several entries, so that they are not a loop: all
/// blocks whose number in `numbers` is that of the first one, in the order of the graph.
bool stalls_in_circle(const Function &function, const FlowGraph &graph, const std::vector<BlockIndex> &circle,
                      const std::vector<std::uint32_t> &numbers);

} // namespace smsim::ptx::machine
