// wmma.load and wmma.store: the accesses that bring a matrix between memory and a fragment.
#pragma once

#include "ptx/matrix_form.h"
#include "ptx/select/selector.h"

namespace smsim::ptx::select {

/// Writes the loads of a wmma.load, whose operands are fragment, address and perhaps stride.
void load_fragment(Selector &selector, const Selection &selection, const MatrixForm &form);

/// Writes the stores of a wmma.store, whose operands are address, fragment and perhaps stride.
void store_fragment(Selector &selector, const Selection &selection, const MatrixForm &form);

} // namespace smsim::ptx::select
