// Instructions that nothing with an effect depends on.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// Removes instructions whose results reach no instruction with an effect and no end of a block, regardless of order.
/// Runs in time linear in the code, so that it can run after each pass; what is overwritten before it is read is left
/// to `machine::remove_dead_code`.
void remove_unread(machine::Function &function);

} // namespace smsim::ptx::optimise
