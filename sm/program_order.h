// Brings the reports of datapaths on the instructions of a warp into program order: a warp runs ahead of a control
// instruction that waits for its turn at the branch unit, so what it issues meanwhile is reported first.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "model/state/memory_request.h"
#include "sm/execution_observer.h"

namespace smsim::sm {

/// Forwards reports to another observer. That receives `executed` for each warp in program order, so that the control
/// state it can query then is that after the instruction. `postponed` announces delayed instructions in the cycle of
/// their issue, including those that the warp has issued after a control instruction not executed yet.
class ProgramOrder final : public ExecutionObserver {
  public:
    /// `observer` must outlive this.
    explicit ProgramOrder(ExecutionObserver &observer) : observer_(observer) {}

    void begin(const ControlStateOf &state_of) override { observer_.begin(state_of); }
    void postponed(const ExecutedInstruction &instruction) override;
    void executed(const ExecutedInstruction &instruction) override;
    void accesses(const protocol::LoadStoreExtension &access) override;
    void completed(const CompletedInstruction &instruction) override;
    void ended(const WarpStart &start, const compute::WarpRegisters &registers) override {
        observer_.ended(start, registers);
    }

    /// The run has ended: reports instructions that were executed after a control instruction that never was. The
    /// control state lacks that instruction.
    void tell_rest();

  private:
    /// The result of an instruction that has not been reported yet.
    struct Result {
        Cycle cycle = 0;
        compute::WarpRegisters registers;
        std::optional<MemoryRequest> access;
    };
    struct Held {
        ExecutedInstruction instruction;
        bool waits = false; ///< for the branch unit
        std::optional<MemoryRequest> access;
        std::optional<Result> result;
    };
    using Warp = std::deque<Held>; ///< in program order; the first one waits

    /// Null: nothing of the warp in this slot is held back.
    Warp *held_of(WarpSlot slot);
    void tell(const Held &held);
    /// Reports the first instructions up to one that waits.
    void tell_ready(Warp &warp);

    ExecutionObserver &observer_;
    std::vector<Warp> warps_;             ///< by slot
    std::optional<MemoryRequest> access_; ///< of the instruction reported next, which will be held back
    protocol::LoadStoreExtension told_;   ///< a held access, in the form for the observer
};

} // namespace smsim::sm
