// What wants to see every executed warp instruction (traces, co-simulation) implements this interface.
#pragma once

#include "model/isa/instruction.h"
#include "model/state/warp_life.h"
#include "model/types.h"

namespace smsim::sm {

/// One warp instruction, reported once its control state has been updated: at its issue, or when a shared pipeline of
/// the branch unit has executed it. An instruction that ends the run by an exception has not been executed.
struct ExecutedInstruction {
    Cycle cycle = 0;
    const WarpStart &start;
    const isa::Instruction &insn;
    LaneMask active;   ///< ActiveMask before the instruction
    LaneMask executed; ///< those whose guard was true
};

/// Called in the order in which the sub-partitions happen to run within one cycle; an observer whose output must not
/// depend on that sorts by (cycle, warp).
class ExecutionObserver {
  public:
    virtual ~ExecutionObserver() = default;
    virtual void executed(const ExecutedInstruction &instruction) = 0;
};

} // namespace smsim::sm
