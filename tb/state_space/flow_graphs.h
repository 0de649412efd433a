// Programs for the engine simt_stack whose jumps follow no structure: all flow graphs of a number of nodes. It needs
// none: branches reconverge at their immediate post-dominators, whatever the graph, loops with several entries
// included.
#pragma once

#include <cstdint>

#include "tb/state_space/stack_search.h"

namespace smsim::state_space {

/// Number of graphs of so many nodes (1 to 8). Node i goes on to one of two nodes behind it, or the end, by a bit of
/// the lane; or some times, by lane, back to itself or a node before it, and then to one behind it.
std::uint64_t flow_graphs(unsigned nodes);

/// Searches the graphs of `run.pieces` nodes, as `run_stack_family` does: R1 must tell each thread's way, on a stack of
/// the depth that holds for every legal program of so many threads.
StackFamilyResult run_flow_graphs(const FamilyRun &run);

} // namespace smsim::state_space
