// Atomic operations without an instruction in the model, as loops of compare-and-swap on the word around them.
#pragma once

#include "ptx/select/address.h"

namespace smsim::ptx::select {

/// True for the types of atom and red whose operations become loops: 16 bits, and pairs of 16-bit floats.
bool needs_loop(Type type);

/// atom.cas.b16, and atom.add and red.add of f16, bf16 and their pairs, at `address`.
void select_atomic_loop(Selector &selector, const Selection &selection, const Address &address);

} // namespace smsim::ptx::select
