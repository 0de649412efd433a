// The functional machine: one CTA without cycles. It executes warp instructions one by one with the model's own rules
// (the program's engine, the barrier unit, compute operations) and lets its user decide what happens next: which warp
// continues, and when a sleep ends. Memory accesses take effect at once, in lane order. Rejected readings of the rules
// can be put in force.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bru/reconvergence_engine.h"
#include "model/config/sections/bru.h"
#include "model/program/program.h"
#include "sm/datapath/compute/execute.h"
#include "tb/independent_rules/rejected_readings.h"
#include "tb/state_space/state.h"

namespace smsim::state_space {

/// The program and its environment. Shared memory begins at address 0, global memory at `kGlobalBase`; memory and
/// registers are 0 at the start, and predicates are false.
struct Setup {
    Program program;
    Pc entry = 0;
    std::vector<unsigned> threads = {2}; ///< valid threads of each warp, 1..32; thread t of warp w has TID.X 32w + t
    std::uint32_t shared_bytes = 64;
    std::uint32_t global_bytes = 0;
    std::vector<std::uint8_t> constants; ///< bank 0
    BruConfig bru;
    independent_rules::RejectedReadings readings; ///< none: the rules of the model
    /// Instructions of its warp after which a sleep that starts now ends. Nothing: any time is possible.
    std::optional<std::uint32_t> sleep_steps;
};

inline constexpr std::uint64_t kGlobalBase = 0x10000;

/// Assembles `text` unchanged: without stall counts, and without the NOPs that the scheduler pass may insert, which
/// would be separate instructions here. `text` is the body of one kernel, after `.engine NAME` if that is not the
/// default.
Program assemble_plain(const std::string &text);

/// Something that can happen next.
struct Move {
    std::uint32_t warp = 0;
    bool expiry = false; ///< its sleep timer fires; otherwise it executes its next instruction
};

/// The result of a move.
struct Step {
    std::optional<FaultReport> fault;     ///< the instruction has changed nothing
    std::optional<std::string> violation; ///< a rule that holds in every state is violated after this move
};

class Machine {
  public:
    /// Throws InputError if the setup is not possible.
    explicit Machine(Setup setup);

    State initial() const;

    /// Everything that can happen in `state`, in ascending order of warps, an instruction before an expiry. Empty: all
    /// warps have exited, or nothing can ever happen again.
    void moves(const State &state, std::vector<Move> &result) const;

    /// Performs `move` and checks everything that must hold in every state: the result of `violation_of` for the
    /// control state, and that no active thread has a sleep that has not ended unless the warp sleeps as a whole, and
    /// that only if none of the waiting threads could run. Control instructions are also executed by the rules of
    /// tb/independent_rules and must have the same effect under both; if a reading of the branch unit is in force, only
    /// these rules execute them.
    Step apply(State &state, Move move);

    /// All threads have exited.
    static bool finished(const State &state);

    /// "warp 1: 0x0040 BSYNC B0 (threads 0x00000003)", for the state before the move.
    std::string describe(const State &state, Move move) const;
    /// Where the warps are, and which threads wait at which barrier.
    std::string describe(const State &state) const;

    /// A register of a thread; RZ and registers that the program lacks read 0.
    std::uint32_t value(const State &state, std::uint32_t warp, std::uint8_t reg, unsigned lane) const;

    const Setup &setup() const { return setup_; }

  private:
    std::optional<FaultReport> execute(State &state, std::uint32_t warp);
    std::optional<FaultReport> control(State &state, std::uint32_t warp, const isa::Instruction &insn);
    std::optional<FaultReport> barrier(State &state, std::uint32_t warp, const isa::Instruction &insn,
                                       LaneMask executed);
    std::optional<FaultReport> memory(State &state, const isa::Instruction &insn, LaneMask executed);
    void expire(WarpState &warp) const;
    void load_registers(const WarpState &warp, std::uint32_t index);
    void store_registers(WarpState &warp, std::uint32_t index) const;

    Setup setup_;
    bool other_rules_ = false;    ///< some reading of the branch unit is in force
    std::uint32_t registers_ = 8; ///< per thread
    std::uint32_t uniforms_ = 0;
    ConstantBanks banks_{};
    std::vector<sm::compute::WarpIdentity> identities_;
    sm::compute::WarpRegisters scratch_; ///< of the warp that executes
    LaneMask could_run_;                 ///< threads that were awake and not blocked when the warp fell asleep
    std::optional<std::string> dispute_; ///< how the two implementations of a control instruction disagree
};

} // namespace smsim::state_space
