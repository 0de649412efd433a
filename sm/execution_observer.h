// Interface for code that observes every executed warp instruction and the end of every warp (traces, co-simulation,
// comparison with a reference).
#pragma once

#include <cstdint>
#include <functional>

#include "model/isa/instruction.h"
#include "model/protocol/links.h"
#include "model/state/control_snapshot.h"
#include "model/state/warp_life.h"
#include "model/types.h"
#include "sm/datapath/compute/registers.h"

namespace smsim::sm {

/// One warp instruction, reported once its control state has been updated: at its issue, or when a branch unit that is
/// shared or answers later has executed it. An instruction that ends the run with an exception has not been executed.
struct ExecutedInstruction {
    Cycle cycle = 0; ///< of its issue
    const WarpStart &start;
    const isa::Instruction &insn;
    LaneMask active;            ///< ActiveMask before the instruction
    LaneMask executed;          ///< those whose guard was true
    std::uint64_t sequence = 0; ///< warp instructions that this warp has issued before
};

/// The result of a warp instruction, reported when it is written: at once, or with the answer of its unit. References
/// are valid during the call.
struct CompletedInstruction {
    Cycle cycle = 0; ///< in which the result is there, this one or later
    const WarpStart &start;
    const isa::Instruction &insn;
    LaneMask executed;
    std::uint64_t sequence = 0;
    const compute::WarpRegisters &registers;              ///< with the result
    const protocol::LoadStoreExtension *access = nullptr; ///< loads and atomics: `data` is what was read
};

/// Called in the order in which the sub-partitions happen to run within one cycle; an observer whose output must not
/// depend on that order sorts by (cycle, warp). A datapath reports a control instruction that waits for the branch unit
/// later than instructions that the warp has issued after it; ProgramOrder (program_order.h) restores the order.
class ExecutionObserver {
  public:
    virtual ~ExecutionObserver() = default;
    /// Before the first cycle: `state_of` may be called until the run ends.
    virtual void begin(const ControlStateOf &state_of) { static_cast<void>(state_of); }
    /// `instruction` has been issued in the present cycle; `executed` follows in a later one, unless the run ends
    /// before that.
    virtual void postponed(const ExecutedInstruction &instruction) { static_cast<void>(instruction); }
    virtual void executed(const ExecutedInstruction &instruction) = 0;
    /// The accesses of a memory instruction that some thread executes; its `executed` is reported next. Not called for
    /// an instruction that is refused at its issue.
    virtual void accesses(const protocol::LoadStoreExtension &access) { static_cast<void>(access); }
    /// Follows `executed` of the same instruction, identified by the age of its warp and `sequence`; for a store
    /// perhaps after `ended`. Not called for an instruction that ends the run with an exception, or that has not been
    /// answered when the run ends.
    virtual void completed(const CompletedInstruction &instruction) { static_cast<void>(instruction); }
    /// All threads of a warp have exited and its results are written: `registers` are their final values.
    virtual void ended(const WarpStart &start, const compute::WarpRegisters &registers) {
        static_cast<void>(start);
        static_cast<void>(registers);
    }
};

} // namespace smsim::sm
