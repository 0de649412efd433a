// Warps that do nothing but look again and again at memory that nobody changes: they will do so for ever.
//
// While memory stays as it is, what a warp does is decided by its registers and its control state, whatever the timing.
// A warp that twice in a row goes through the same instructions and addresses between the same registers and control
// states is therefore in a loop without end, as long as all others do not change memory either.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "model/state/control_snapshot.h"
#include "sm/execution_observer.h"

namespace smsim::session {

/// Watches warps from `restart` on. Whatever could let another warp go on, or depends on anything but registers,
/// control state and memory, disturbs it: a store, an atomic that changes memory, an arrival at a CTA barrier or a look
/// at one, the end of a warp, a clock, a system call, a NANOSLEEP that other threads of the warp make use of, and a
/// load that gives another value than memory has.
class PollWatch final : public sm::ExecutionObserver {
  public:
    /// The registers of the warp in a slot.
    using RegistersOf = std::function<const sm::compute::WarpRegisters &(WarpSlot warp)>;
    /// Bytes of global memory as they are.
    using ReadMemory = std::function<void(std::uint64_t address, std::span<std::uint8_t> to)>;

    PollWatch(ControlStateOf state_of, RegistersOf registers_of, ReadMemory read);

    /// Forgets everything, and watches from now on.
    void restart();
    bool is_disturbed() const { return disturbed_; }
    /// Whether the warp that began as `start` is known to be in a loop without end, unless another warp is not. It has
    /// accessed memory in it, so that all that its sub-partition has sent before has its place in the order of memory.
    bool repeats(const WarpStart &start) const;

    void accesses(const protocol::LoadStoreExtension &access) override;
    void executed(const sm::ExecutedInstruction &instruction) override;
    void completed(const sm::CompletedInstruction &instruction) override;
    void ended(const WarpStart &start, const sm::compute::WarpRegisters &registers) override;

  private:
    /// A warp behind a control instruction.
    struct State {
        Pc pc = 0; ///< of the instruction
        sm::compute::WarpRegisters registers;
        ControlSnapshot control;
    };
    struct Warp {
        std::uint64_t age = ~std::uint64_t{0};
        std::optional<State> anchor;       ///< the state that it is hoped to come back to
        unsigned visits = 0;               ///< of that instruction since
        std::vector<std::uint64_t> steps;  ///< since the last time that it was in that state
        std::vector<std::uint64_t> period; ///< the steps of the time before; empty: it has not come back yet
        bool loads = false;                ///< `steps` has an access to memory
        bool repeats = false;
    };

    Warp &warp_of(const WarpStart &start);
    void visit(Warp &warp, const sm::ExecutedInstruction &instruction);
    bool is_as_memory(const protocol::LoadStoreExtension &access) const;

    ControlStateOf state_of_;
    RegistersOf registers_of_;
    ReadMemory read_;
    std::vector<Warp> warps_;              ///< by slot
    std::vector<std::uint64_t> addresses_; ///< of the instruction that is about to be told
    bool disturbed_ = false;
};

} // namespace smsim::session
