// Loops that wait for what other threads write.
#pragma once

#include <vector>

#include "ptx/machine/flow_graph.h"

namespace smsim::ptx::machine {

/// True for each loop of `graph` whose end depends on memory that others write: volatile, ordered and atomic accesses,
/// and what calls return. For certain such a loop cannot be told: it may wait.
std::vector<bool> find_waiting_loops(const Function &function, const FlowGraph &graph);

} // namespace smsim::ptx::machine
