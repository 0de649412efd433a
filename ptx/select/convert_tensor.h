// Conversions from and to the formats of products of matrices, for the selection of cvt.
#pragma once

#include "ptx/select/sequence.h"

namespace smsim::ptx::select {

/// Selects a cvt with tf32, e4m3x2 or e5m2x2 as one of its types; false for all others.
bool select_tensor_conversion(Selector &s, const Selection &in);

} // namespace smsim::ptx::select
