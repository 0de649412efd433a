// What datapaths tell of the instructions of a warp, brought into program order: a warp runs ahead of a control
// instruction that waits for its turn at the branch unit, and what it issues meanwhile is told after it.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "model/state/memory_request.h"
#include "sm/execution_observer.h"

namespace smsim::sm {

/// Hands on to another observer what it is told. Of each warp `executed` comes in program order there, so that the
/// control state that may then be asked for is that after the instruction. Whatever comes late is announced by
/// `postponed` in the cycle of its issue, also what the warp has issued after a control instruction that was not
/// executed yet.
class ProgramOrder final : public ExecutionObserver {
  public:
    /// `observer` outlives this.
    explicit ProgramOrder(ExecutionObserver &observer) : observer_(observer) {}

    void begin(const ControlStateOf &state_of) override { observer_.begin(state_of); }
    void postponed(const ExecutedInstruction &instruction) override;
    void executed(const ExecutedInstruction &instruction) override;
    void accesses(const protocol::LoadStoreExtension &access) override;
    void completed(const CompletedInstruction &instruction) override;
    void ended(const WarpStart &start, const compute::WarpRegisters &registers) override {
        observer_.ended(start, registers);
    }

    /// The run has ended: tells of instructions that have been executed after a control instruction that never was. The
    /// control state is what it is without that one.
    void tell_rest();

  private:
    /// The result of an instruction that has not been told yet.
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

    /// Null: nothing is held back of the warp in this slot.
    Warp *held_of(WarpSlot slot);
    void tell(const Held &held);
    /// Tells of the first ones that wait for nobody.
    void tell_ready(Warp &warp);

    ExecutionObserver &observer_;
    std::vector<Warp> warps_;             ///< by slot
    std::optional<MemoryRequest> access_; ///< of the instruction that is about to be told, which will be held back
    protocol::LoadStoreExtension told_;   ///< a held access, as the observer wants it
};

} // namespace smsim::sm
