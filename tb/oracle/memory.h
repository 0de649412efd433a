// Loads, stores and atomics of one thread. Memory is sequentially consistent: each access takes effect at once.
#pragma once

#include "tb/oracle/machine.h"

namespace smsim::oracle {

/// Executes an operation of Subject::kMemory.
void execute_memory(Machine &machine, std::uint32_t thread, const Step &step, std::uint32_t *row);

/// New value of an atomic operation, zero-extended (docs/instruction-set.md; CAS: `compare` and `operand`).
std::uint64_t atomic_value(isa::AtomicOp op, isa::AtomicType type, std::uint64_t old, std::uint64_t operand,
                           std::uint64_t compare);

} // namespace smsim::oracle
