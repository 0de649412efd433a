// The interface of a reconvergence engine, which decides what threads of a warp execute next. The branch unit knows
// nothing else of the mechanism, so that mechanisms can be exchanged without a trace outside this folder.
//
// An engine is plain C++: it knows what a control instruction means, not when it happens.
#pragma once

#include <any>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/config/sections/bru.h"
#include "model/error.h"
#include "model/isa/instruction.h"
#include "model/isa/operands.h"
#include "model/state/control_snapshot.h"
#include "model/state/warp_life.h"
#include "model/stats/level_stats.h"
#include "model/stats/statistics.h"
#include "model/types.h"

namespace smsim {
struct Program;
}

namespace smsim::bru {

/// Values that an instruction reads, for all 32 lanes: threads that are at a WARPSYNC without executing it count with
/// their present registers (bru.md "Fine points").
struct Operands {
    LaneMask guard = LaneMask::all(); ///< guard(Pg), negation applied
    /// guard(Pp), negation applied, or the condition test; ignored where the operation has neither
    LaneMask guard_pp = LaneMask::all();
    const isa::VectorOperands &vectors; ///< as many as the operation reads, in the order in which they are written
    std::uint64_t scalar = 0;           ///< uniform or constant operand, zero-extended; '~' not applied
};

/// The kind and details of a step, for statistics.
struct StepEvent {
    enum class Kind : std::uint8_t {
        kPlain,          ///< not counted by kind
        kBranch,         ///< BRA, BRX, CALL, RET, VBEQ and its like, JMP, JMX, CAL
        kSync,           ///< BSYNC, WARPSYNC executed by all active threads; JOIN; SYNC, BRK, CONT, RET of tokens
        kYield,          ///< YIELD that gave the turn away
        kYieldConverged, ///< YIELD without effect: there is no other thread
        kSleep,          ///< NANOSLEEP with a non-zero time
        kParked,         ///< parking rule: threads with a true guard stay, the others continue
        kExit,           ///< EXIT, ENDPRG
        kSyscall,        ///< SYSCALL executed by some thread
    };
    Kind kind = Kind::kPlain;
    LaneMask active;                    ///< ActiveMask before the step
    LaneMask jumped;                    ///< kBranch: threads that jumped
    bool split = false;                 ///< kBranch: the active threads went different ways
    bool passed = false;                ///< kSync: passed; otherwise another path continues
    std::optional<ReleaseKind> release; ///< BSYNC that passed
};

/// Result of one control instruction. With `fault` the state is as before the instruction and the rest is meaningless.
struct StepResult {
    Outcome outcome = Outcome::kContinue; ///< kContinue, kSleep or kExited
    Pc next_pc = 0;
    LaneMask next_active;
    LaneMask executed;    ///< pmask: active threads whose guard was true
    LaneMask write_lanes; ///< lanes whose rd takes `value` (LEPC 64 bits, BMOV 32 bits)
    std::uint64_t value = 0;
    Cycle extra_cycles =
        0; ///< extra cycles of the step beyond its class: it ends later and keeps its pipeline busy for longer
    std::optional<std::uint32_t> sleep_ns; ///< the warp's timer must expire in this many ns, or earlier if it would
                                           ///< anyway
    std::optional<ArrivalRefusal>
        refuses_arrivals; ///< until the warp's next step: why it may not arrive at a CTA barrier
    StepEvent event;
    std::optional<FaultReport> fault;
    unsigned fault_lane = 0;       ///< with `fault`: the lowest thread concerned
    std::uint64_t fault_value = 0; ///< IllegalTarget: the refused target; Trap, IllegalTrap: the index of the TRAP
};

/// Events of a warp that the engine has not been notified of yet.
struct Untold {
    std::optional<Pc> next;     ///< instructions of other units were executed, up to the one before this address
    bool timer_expired = false; ///< the sleep timer has fired
};

class ReconvergenceEngine {
  public:
    ReconvergenceEngine() = default;
    ReconvergenceEngine(const ReconvergenceEngine &) = delete;
    ReconvergenceEngine &operator=(const ReconvergenceEngine &) = delete;
    virtual ~ReconvergenceEngine() = default;

    /// Starts a warp in slot `warp` with the threads `valid` at byte address `entry` of a program of `program_bytes`
    /// bytes; the previous content of the slot is dropped.
    virtual void start(WarpSlot warp, Pc entry, LaneMask valid, Pc program_bytes) = 0;

    /// The warp that has just started in slot `warp` runs `program`, which must outlive it. For an engine that examines
    /// instructions other than the one it executes; benches without a program do not call it.
    virtual void runs(WarpSlot warp, const Program &program);

    /// Executes the control instruction `insn` (at `insn.pc`) with the active threads of `warp`. Instructions of other
    /// units that the warp has executed since are visible only from the address. The caller must not let a sleeping
    /// warp (`Outcome::kSleep`) execute before `timer_expired`.
    virtual StepResult execute(WarpSlot warp, const isa::Instruction &insn, const Operands &operands) = 0;

    /// The warp's sleep timer has fired (bru.md NANOSLEEP): all its threads are awake.
    virtual void timer_expired(WarpSlot warp) = 0;

    /// The complete state of the warp in slot `warp`, for `restore`. An engine that cannot transfer a warp throws
    /// std::logic_error in both, which is the default.
    virtual std::any save(WarpSlot warp) const;

    /// The warp that has just started in slot `warp` continues from `saved`, the result of `save` of another engine of
    /// the same kind, with the same configuration and program: from the next instruction on both behave identically.
    /// Throws std::bad_any_cast when `saved` is from an engine of a different kind.
    virtual void restore(WarpSlot warp, const std::any &saved);

    /// The state as the fields of this engine, the same ones at each call, for traces and test benches: as it will be
    /// once the engine is notified of `untold`.
    virtual ControlSnapshot snapshot(WarpSlot warp, const Untold &untold) const = 0;

    /// The state in one line for reports: which threads are where and why.
    virtual std::string describe(WarpSlot warp) const = 0;

    /// Which threads of the warp cannot run, however much time passes, before the running ones have left, and where
    /// they wait: the reason of a warp that spins for ever. Empty when the mechanism keeps no thread back, which is the
    /// default.
    virtual std::string held_back(WarpSlot warp) const;

    /// What this mechanism counts besides the branch unit's common counters, since construction or the last
    /// `clear_counters`: the same counters at each call. None by default.
    virtual std::vector<EngineCounter> counters() const;
    /// Restarts all counts; no warp may be resident.
    virtual void clear_counters() {}

    /// The part of a warp's state that grows and shrinks, such as a stack, for figures over time; none by default.
    virtual std::optional<LevelName> measured() const;
    /// Its present size.
    virtual std::uint64_t level(WarpSlot warp) const;
};

/// Creates the engine that `config.engine` names, for `warps` warp slots.
std::unique_ptr<ReconvergenceEngine> make_engine(const BruConfig &config, std::uint32_t warps);

} // namespace smsim::bru
