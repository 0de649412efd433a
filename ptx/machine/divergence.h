// Which branches may send threads of one warp different ways, and where a warp is certainly together.
//
// A value is uniform when every thread of the warp has the same one each time it gets there. Threads differ by their
// number, by what they load, by atomics and by what other lanes hold; and by where they come from: where ways meet that
// a divergent branch parted, and behind loops that threads leave in different rounds.
#pragma once

#include <vector>

#include "ptx/machine/flow_graph.h"

namespace smsim::ptx::machine {

struct Divergence {
    std::vector<bool> registers; ///< by register: may differ between threads
    std::vector<bool> branches;  ///< by block: its end may send threads different ways
};

/// Finds what may diverge. Threads enter a kernel with equal arguments, a function with any.
Divergence find_divergence(const Function &function, const FlowGraph &graph);

/// True for each block at whose beginning all threads of the warp that have not ended are together for certain.
/// `entry`: they are so where the function begins.
std::vector<bool> find_converged(const Function &function, const FlowGraph &graph, const Divergence &divergence,
                                 bool entry);

/// True when the warp is together behind `instruction`, which it meets `together` or not.
bool together_behind(const Instruction &instruction, bool together);

/// Removes each WARPSYNC that is `removable` and whose threads are together already: where the whole warp is, or
/// behind another one with the same mask.
void remove_meetings(Function &function, const std::vector<bool> &converged);

} // namespace smsim::ptx::machine
