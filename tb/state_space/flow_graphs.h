// Programs for the engine simt_stack with unstructured jumps: all flow graphs of a number of nodes. The engine needs
// no structure: branches reconverge at their immediate post-dominators in any graph, including loops with several
// entries.
#pragma once

#include <cstdint>

#include "tb/state_space/stack_search.h"

namespace smsim::state_space {

/// Number of graphs of the given number of nodes (1 to 8). Node i continues to one of two later nodes, or the end, by
/// a bit of the lane; or a few times, by lane, back to itself or an earlier node, and then to a later one.
std::uint64_t flow_graphs(unsigned nodes);

/// Searches the graphs of `run.pieces` nodes, as `run_stack_family` does: R1 must identify each thread's path, on a
/// stack of the depth that suffices for every legal program of that number of threads.
StackFamilyResult run_flow_graphs(const FamilyRun &run);

} // namespace smsim::state_space
