// Moves numbers that are added to an index before it is scaled into the offset of the address, so that neighbouring
// elements share one base.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// Shared and local addresses of sums, products and shifts: [((i + c) << s) + b] becomes [(i << s) + b] with c << s in
/// its offset. 64-bit addresses are unchanged: there, an index wraps before it is extended. Returns how many addresses
/// were changed.
unsigned take_offsets(machine::Function &function);

} // namespace smsim::ptx::optimise
