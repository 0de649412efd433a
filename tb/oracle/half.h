// Operations of one thread on pairs of 16-bit floats, by integer arithmetic alone.
#pragma once

#include "tb/oracle/step.h"

namespace smsim::oracle {

/// Executes HADD2, HMUL2 or HFMA2, with all their modifiers.
void execute_half(const Step &step, std::uint32_t *row);

} // namespace smsim::oracle
