// Integer, logic and move operations of one thread (docs/records/compute-set.md).
#pragma once

#include "tb/oracle/step.h"

namespace smsim::oracle {

/// Executes an operation of Subject::kInteger on a thread's row and predicates.
void execute_integer(const Step &step, std::uint32_t *row, std::uint8_t &predicates);

/// The second operation of a SETP: `left op right`.
bool combine(isa::Combine op, bool left, bool right);

} // namespace smsim::oracle
