// Warps that do nothing but read memory again and again that nothing changes: they will do so for ever.
//
// While memory stays unchanged, what a warp does is determined by its registers and its control state, whatever the
// timing. A warp that twice in a row goes through the same instructions and addresses between the same registers and
// control states is therefore in an endless loop, as long as no other warp changes memory either.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "model/state/control_snapshot.h"
#include "sm/execution_observer.h"

namespace smsim::session {

/// Watches warps from `restart` on. Anything that could let another warp continue, or that depends on more than
/// registers, control state and memory, disturbs it: a store, an atomic that changes memory, an arrival at a CTA
/// barrier or a query of one, the end of a warp, a clock, a system call, a NANOSLEEP that lets other threads of the
/// warp run, and a load that returns another value than memory has.
class PollWatch final : public sm::ExecutionObserver {
  public:
    /// The registers of the warp in a slot.
    using RegistersOf = std::function<const sm::compute::WarpRegisters &(WarpSlot warp)>;
    /// The current bytes of global memory.
    using ReadMemory = std::function<void(std::uint64_t address, std::span<std::uint8_t> to)>;

    PollWatch(ControlStateOf state_of, RegistersOf registers_of, ReadMemory read);

    /// Forgets everything, and watches from now on.
    void restart();
    bool is_disturbed() const { return disturbed_; }
    /// Whether the warp that began as `start` is known to be in an endless loop, provided that all others are, too. It
    /// has accessed memory in the loop, so that all that its sub-partition sent before has its place in the order of
    /// memory.
    bool repeats(const WarpStart &start) const;

    void accesses(const protocol::LoadStoreExtension &access) override;
    void executed(const sm::ExecutedInstruction &instruction) override;
    void completed(const sm::CompletedInstruction &instruction) override;
    void ended(const WarpStart &start, const sm::compute::WarpRegisters &registers) override;

  private:
    /// A warp after a control instruction.
    struct State {
        Pc pc = 0; ///< of the instruction
        sm::compute::WarpRegisters registers;
        ControlSnapshot control;
    };
    struct Warp {
        std::uint64_t age = ~std::uint64_t{0};
        std::optional<State> anchor;       ///< the state that is expected to recur
        unsigned visits = 0;               ///< of that instruction since
        std::vector<std::uint64_t> steps;  ///< since it was last in that state
        std::vector<std::uint64_t> period; ///< the steps of the previous round; empty: the state has not recurred yet
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
    std::vector<std::uint64_t> addresses_; ///< of the instruction that is about to be reported
    bool disturbed_ = false;
};

} // namespace smsim::session
