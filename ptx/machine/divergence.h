// Which branches may send threads of one warp different ways.
//
// A value is uniform when every thread of the warp has the same one each time it gets there. Threads differ by their
// number, by what they load, by atomics and by the contents of other lanes; and by where they come from: where ways
// meet that diverged at a branch, and after loops that threads leave in different rounds.
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

} // namespace smsim::ptx::machine
