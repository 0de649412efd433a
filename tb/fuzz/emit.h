// Writes a program tree as assembly, with the launch that runs it.
#pragma once

#include "tb/fuzz/case.h"
#include "tb/fuzz/tree.h"

namespace smsim::fuzz {

/// The program of a tree: free of races, ending, and with a result that no legal timing changes. docs/oracle.md says
/// how it is built and why it is legal.
Case emit(const Tree &tree);

} // namespace smsim::fuzz
