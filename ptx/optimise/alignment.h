// How many low bits of each value are certainly zero, which decides whether neighbouring accesses can be one.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/machine/flow_graph.h"
#include "ptx/machine/liveness.h"

namespace smsim::ptx::optimise {

/// By unit: low bits that are zero whenever the word is read, up to 32. For a pair the lower word counts; predicates
/// and words that are never written have 0.
std::vector<std::uint8_t> trailing_zeros(const machine::Function &function, const machine::FlowGraph &graph,
                                         const machine::Units &units);

} // namespace smsim::ptx::optimise
