// Conversions from and to 16-bit floats, for the selection of cvt.
#pragma once

#include "ptx/select/sequence.h"

namespace smsim::ptx::select {

/// A 16-bit float (f16 or bf16) in single precision, which is exact; ignores the bits above its 16.
Operand widened(Selector &s, const Operand &value, Type type);

/// Selects a cvt with a 16-bit float as one of its types; false for all others.
bool select_half_conversion(Selector &s, const Selection &in);

} // namespace smsim::ptx::select
