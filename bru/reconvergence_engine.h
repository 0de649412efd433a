// The interface of a reconvergence engine: who of a warp executes what next. It is the only thing that the branch unit
// knows of the mechanism, so that mechanisms can be exchanged without a trace outside this folder.
//
// An engine is plain C++: it knows what a control instruction means, not when it happens.
#pragma once

#include <any>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/config/config.h"
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

/// Values that an instruction reads, for all 32 lanes: threads that merely stand at a WARPSYNC count with their present
/// registers (bru.md "Fine points").
struct Operands {
    LaneMask guard = LaneMask::all(); ///< guard(Pg), negation applied
    /// guard(Pp), negation applied, or the condition test; ignored where the operation has neither
    LaneMask guard_pp = LaneMask::all();
    const isa::VectorOperands &vectors; ///< as many as the operation reads, in the order in which it is written
    std::uint64_t scalar = 0;           ///< uniform or constant operand, zero-extended; '~' not applied
};

/// What a step was, for statistics.
struct StepEvent {
    enum class Kind : std::uint8_t {
        kPlain,          ///< nothing that is counted by kind
        kBranch,         ///< BRA, BRX, CALL, RET, VBEQ and its like, JMP, JMX, CAL
        kSync,           ///< BSYNC, WARPSYNC executed by all active threads; JOIN; SYNC, BRK, CONT, RET of tokens
        kYield,          ///< YIELD that gave the turn away
        kYieldConverged, ///< YIELD without effect, nobody else is there
        kSleep,          ///< NANOSLEEP with a non-zero time
        kParked,         ///< parking rule: threads with a true guard stay, the others go on
        kExit,           ///< EXIT, ENDPRG
        kSyscall,        ///< SYSCALL executed by some thread
    };
    Kind kind = Kind::kPlain;
    LaneMask active;                    ///< ActiveMask before the step
    LaneMask jumped;                    ///< kBranch: threads that jumped
    bool split = false;                 ///< kBranch: the active threads went different ways
    bool passed = false;                ///< kSync: passed; else another path went on
    std::optional<ReleaseKind> release; ///< BSYNC that passed
};

/// Result of one control instruction. With `fault` the state is as before the instruction and the rest has no meaning.
struct StepResult {
    Outcome outcome = Outcome::kContinue; ///< kContinue, kSleep or kExited
    Pc next_pc = 0;
    LaneMask next_active;
    LaneMask executed;    ///< pmask: active threads whose guard was true
    LaneMask write_lanes; ///< lanes whose rd takes `value` (LEPC 64 bits, BMOV 32 bits)
    std::uint64_t value = 0;
    Cycle extra_cycles =
        0; ///< that the step takes beyond its class: it ends later and keeps its pipeline busy for longer
    std::optional<std::uint32_t> sleep_ns; ///< let the warp's timer expire in so many ns, or earlier if it would anyway
    std::optional<ArrivalRefusal>
        refuses_arrivals; ///< until the warp's next step: why it may not come to a CTA barrier
    StepEvent event;
    std::optional<FaultReport> fault;
    unsigned fault_lane = 0;       ///< with `fault`: the lowest thread that it concerns
    std::uint64_t fault_value = 0; ///< IllegalTarget: the refused target; Trap, IllegalTrap: the index of the TRAP
};

/// What has happened to a warp and the engine has not been told yet.
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

    /// A warp begins in slot `warp` with the threads `valid` at byte address `entry` of a program of `program_bytes`
    /// bytes; what the slot held is forgotten.
    virtual void start(WarpSlot warp, Pc entry, LaneMask valid, Pc program_bytes) = 0;

    /// The warp that has just begun in slot `warp` runs `program`, which outlives it. For an engine that looks at other
    /// instructions than the one it executes; not told by benches that have none.
    virtual void runs(WarpSlot warp, const Program &program);

    /// Executes the control instruction `insn` (at `insn.pc`) with the active threads of `warp`. Instructions of other
    /// units that the warp has executed since are seen by the address only. The caller keeps a sleeping warp
    /// (`Outcome::kSleep`) from executing before `timer_expired`.
    virtual StepResult execute(WarpSlot warp, const isa::Instruction &insn, const Operands &operands) = 0;

    /// The warp's sleep timer has fired (bru.md NANOSLEEP): all its threads are awake.
    virtual void timer_expired(WarpSlot warp) = 0;

    /// All that is kept of the warp in slot `warp`, for `restore`. An engine that cannot hand a warp over throws
    /// std::logic_error in both; so by default.
    virtual std::any save(WarpSlot warp) const;

    /// The warp that has just begun in slot `warp` goes on as the one of which another engine of the same kind, with
    /// the same configuration and program, has given `saved`: from the next instruction on both do the same. Throws
    /// std::bad_any_cast when it is of another kind.
    virtual void restore(WarpSlot warp, const std::any &saved);

    /// The state as the fields of this engine, the same ones at each call, for traces and test benches: as it will be
    /// once the engine has learnt of `untold`.
    virtual ControlSnapshot snapshot(WarpSlot warp, const Untold &untold) const = 0;

    /// The state in one line for reports: where which threads stand and why.
    virtual std::string describe(WarpSlot warp) const = 0;

    /// Which threads of the warp cannot run, whatever time passes, before those that do have gone somewhere, and where
    /// they wait: the reason of a warp that spins for ever. Empty when the mechanism keeps nobody back; so by default.
    virtual std::string held_back(WarpSlot warp) const;

    /// What this mechanism counts beside what the branch unit counts for all, since construction or the last
    /// `clear_counters`: the same counters at each call. None by default.
    virtual std::vector<EngineCounter> counters() const;
    /// Begins to count anew; no warp is resident.
    virtual void clear_counters() {}

    /// What of a warp's state grows and shrinks, such as a stack, for figures over time; nothing by default.
    virtual std::optional<LevelName> measured() const;
    /// Its present size.
    virtual std::uint64_t level(WarpSlot warp) const;
};

/// The engine that `config.engine` names, for `warps` warp slots.
std::unique_ptr<ReconvergenceEngine> make_engine(const BruConfig &config, std::uint32_t warps);

} // namespace smsim::bru
