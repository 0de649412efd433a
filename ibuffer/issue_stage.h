// The issue stage of one sub-partition: instruction buffers, scoreboards and warp state machines, without SystemC.
//
// It is driven by cycle numbers: `step(now)` does what happens in cycle `now`, `next_wake()` says when it wants to be
// called next. Between the calls messages arrive (results, wakes, starts), each with the cycle in which it takes
// effect. Time is charged by interval at each change of state, so a cycle in which nothing happens costs nothing.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "ibuffer/issue_policy.h"
#include "ibuffer/scoreboard.h"
#include "model/config/config.h"
#include "model/error.h"
#include "model/isa/instruction.h"
#include "model/observation/observer.h"
#include "model/state/warp_life.h"
#include "model/stats/statistics.h"
#include "model/timing/pipes.h"

namespace smsim::ibuffer {

/// What the issue stage asks of its surroundings; implemented by the SystemC shell, or by a test.
class IssuePorts {
  public:
    struct Fetched {
        const isa::Instruction *insn = nullptr; ///< null: no instruction at that address
        Cycle ready = 0;                        ///< cycle in which it is in the buffer; kNever: `fetched` follows
        std::uint64_t ticket = 0;               ///< names this fetch when the answer follows
    };
    struct Issued {
        enum class Kind : std::uint8_t {
            kDone,      ///< everything known: result at `result_at`
            kAccepted,  ///< the result follows by `answered`
            kQueueFull, ///< the same, and the unit accepts nothing before `unit_ready`
            kFault,     ///< the run ends; the port has reported it
        };
        Kind kind = Kind::kDone;
        Cycle result_at = 0;        ///< kDone
        std::uint32_t interval = 1; ///< cycles until the unit takes the next instruction
        Outcome outcome = Outcome::kContinue;
        Pc next_pc = 0;       ///< operations that may jump
        LaneMask next_active; ///< operations that may jump
        LaneMask executed;    ///< active lanes whose guard was true
    };

    virtual ~IssuePorts() = default;
    /// Fetches the instruction at `pc` for a warp of this sub-partition.
    virtual Fetched fetch(unsigned warp, Pc pc) = 0;
    /// Hands one instruction to the units.
    virtual Issued issue(unsigned warp, const isa::Instruction &insn, LaneMask active, std::uint64_t sequence) = 0;
    /// All threads of the warp have ended, its memory operations have their place in order, and every other answer is
    /// there: the warp counts as exited for barriers (bcu.md "BAR.SYNC, BAR.ARV, BAR.RED").
    virtual void exited(unsigned warp) = 0;
    /// After `exited`, possibly in the same cycle: its memory operations are performed too.
    virtual void ended(unsigned warp) = 0;
    /// The warp would run past the program (bru.md "Fine points": raised when it would be fetched).
    virtual void ran_past_end(unsigned warp, Pc pc, LaneMask active) = 0;
};

/// The issue stage. Warps are named by their index in the sub-partition, 0 .. warps_per_sub_partition - 1.
class IssueStage {
  public:
    IssueStage(const Config &config, unsigned sub_partition, IssuePorts &ports);
    /// Tells `observer` of states, fetches and issues, of completions as far as the call of `issue` knows them; null:
    /// nobody. Starts of warps and answers that come later are told by the surroundings, which know the present cycle.
    void observe(observation::Observer *observer) { observer_ = observer; }

    // --- messages; `at` is the cycle in which they take effect, later than the cycle of the last step --------------
    /// A warp begins its life at cycle `at`.
    void start(unsigned warp, const WarpStart &start, Cycle at);
    /// The result of an instruction that was accepted is there. For operations that may jump or block, the outcome
    /// decides how the warp goes on; for loads and stores the operation is performed.
    void answered(unsigned warp, const isa::Instruction &insn, Outcome outcome, Pc next_pc, LaneMask next_active,
                  Cycle at);
    /// The answer of a fetch that was not answered on the call; ignored when the warp has jumped away since.
    void fetched(unsigned warp, std::uint64_t ticket, const isa::Instruction *insn, Cycle at);
    /// The instruction memory accepts no fetch before `at` (kNever: until the next call of this function).
    void fetch_open(Cycle at) { fetch_open_at_ = at; }
    /// The unit has read the sources of an instruction: its `rsb` is released.
    void sources_read(unsigned warp, const isa::Instruction &insn, Cycle at);
    /// A memory operation that was accepted has its place in the order of memory. True when the stage wants to be
    /// called at `at` for it.
    bool placed(unsigned warp, Cycle at);
    /// The unit accepts again.
    void unit_ready(isa::Unit unit, Cycle at);
    /// A sleeping or blocked warp may go on.
    void wake(unsigned warp, Cycle at);

    // --- time ------------------------------------------------------------------------------------------------------
    /// Does everything that happens in cycle `now`: state changes, one fetch per port, at most one issue.
    void step(Cycle now);
    /// The next cycle in which something can happen; kNever when only a message can change anything.
    Cycle next_wake() const;
    /// Charges all open intervals up to `now` (end of a run that was cut short).
    void close(Cycle now);

    // --- observation -----------------------------------------------------------------------------------------------
    bool resident(unsigned warp) const { return warps_[warp].resident; }
    /// Whether the warp waits at a CTA barrier and no wake is on its way.
    bool is_blocked(unsigned warp) const {
        const Warp &one = warps_[warp];
        return one.hold == Hold::kBarrier && one.barrier_answered && one.hold_until == kNever && one.wake_at == kNever;
    }
    WarpState state(unsigned warp) const { return warps_[warp].state; }
    StallReason reason(unsigned warp) const { return warps_[warp].reason; }
    /// Address of the warp's next instruction.
    Pc pc(unsigned warp) const { return warps_[warp].pc; }
    LaneMask active(unsigned warp) const { return warps_[warp].active; }
    const WarpStart &start_of(unsigned warp) const { return warps_[warp].start; }
    /// Instructions that the resident warp has issued before cycle `now`, the cycle of the last step or a later one:
    /// the same whether or not this cycle has been stepped yet.
    std::uint64_t issued_before(unsigned warp, Cycle now) const {
        const Warp &one = warps_[warp];
        return one.stats.instructions - (one.last_issue == now ? 1 : 0);
    }
    /// Warps that have ended, in order of their end; those that have not when the run was cut short come from `close`.
    const std::vector<WarpStats> &finished() const { return finished_; }
    /// Counters per instruction; index pc / 16. One more entry than the longest program whose warps have started here,
    /// for a PC past its end; empty when none has.
    const std::vector<PcStats> &pcs() const { return pcs_; }
    /// Stall cycles and issues of all warps, over time.
    const IntervalCounters &over_time() const { return over_time_; }
    std::uint64_t fetches_discarded() const { return fetches_discarded_; }
    std::uint64_t issued() const { return issued_; }
    /// Begins to count anew in cycle `now`, that of the last step or a later one; no warp is resident. The intervals of
    /// `over_time` begin there.
    void clear_statistics(Cycle now);

  private:
    /// Why a warp does not look at its next instruction at all.
    enum class Hold : std::uint8_t { kNone, kBranch, kBarrier, kSleep, kMembar, kExit };

    struct Entry {
        const isa::Instruction *insn = nullptr;
        Cycle ready = 0;
        std::uint64_t ticket = 0;
    };

    struct Warp {
        bool resident = false;
        WarpState state = WarpState::kEmpty;
        StallReason reason = StallReason::kNoInstruction;
        Cycle since = 0;             ///< begin of the interval that is not yet charged
        std::uint32_t charge_pc = 0; ///< index that the open interval is charged to
        Hold hold = Hold::kNone;
        Outcome after = Outcome::kContinue; ///< what follows a branch hold
        Cycle hold_until = kNever;
        bool redirect_at_end =
            false;           ///< the branch hold ends with a move to `pc`: the answer came later than the issue
        Pc fall_through = 0; ///< what the buffer goes on with unless `pc` differs
        bool barrier_answered = false; ///< in a barrier hold: whether it blocks is known
        Cycle wake_at = kNever;        ///< a wake that has been received and not yet consumed
        Cycle stall_until = 0;
        Cycle last_issue = kNever;        ///< of the last instruction that was issued
        Cycle passed_over_since = kNever; ///< since when it could issue, were it chosen and the unit free
        Pc pc = 0;
        LaneMask active;
        Scoreboards scoreboards;
        unsigned unplaced = 0; ///< memory operations that have no place in the order of memory yet
        Cycle placed_at = 0;   ///< when the last of the others got it
        bool exit_told = false;
        // instruction buffer: a ring
        std::uint8_t head = 0;
        std::uint8_t fill = 0;
        bool fetch_ended = false;    ///< the buffer holds the end of the program
        Cycle end_known_at = kNever; ///< when a late answer tells that it does
        Pc fetch_pc = 0;
        Cycle last_fetch_ready = 0;
        WarpStart start;
        WarpStats stats;
    };

    Entry &entry(unsigned warp, unsigned position) {
        return buffers_[warp * depth_ + (warps_[warp].head + position) % depth_];
    }
    void evaluate(unsigned index, Cycle now);
    bool leave_hold(Warp &warp, unsigned index);
    void become(Warp &warp, WarpState state, StallReason reason, std::uint32_t charge_pc, Cycle now);
    void charge(Warp &warp, Cycle now);
    void advance_intervals(Cycle now);
    void issue_one(Cycle now);
    unsigned choose(Cycle now);
    unsigned starved(Cycle now);
    void follow_control(Warp &warp, unsigned index, const isa::Instruction &insn, Outcome outcome, Pc next_pc,
                        LaneMask next_active, Cycle at);
    void fetch(Cycle now);
    void flush(Warp &warp, unsigned index, Pc pc);
    // What an observer is told: out of line, so that the unobserved path stays as short as without.
    [[gnu::cold, gnu::noinline]] void tell_state(const Warp &warp, Cycle now);
    [[gnu::cold, gnu::noinline]] void tell_fetched(const Warp &warp, const IssuePorts::Fetched &fetched, Cycle now);
    [[gnu::cold, gnu::noinline]] void tell_issued(const Warp &warp, const Entry &from, const IssuePorts::Issued &issued,
                                                  Cycle now);
    void update_fetch(unsigned index);
    void drain_exited(Warp &warp, unsigned index, Cycle now);
    void finish(Warp &warp, unsigned index, Cycle now);
    static bool is_long(const isa::Instruction &insn);
    void wake_by(unsigned index, Cycle at) { wake_[index] = at < wake_[index] ? at : wake_[index]; }

    const Config &config_;
    timing::Pipes pipes_;
    IssuePorts &ports_;
    observation::Observer *observer_ = nullptr;
    unsigned sub_partition_;
    unsigned count_;
    unsigned depth_;
    std::unique_ptr<IssuePolicy> policy_;

    std::vector<Warp> warps_;
    std::vector<Entry> buffers_;
    std::vector<Cycle> wake_; ///< per warp: next cycle in which it must be looked at
    std::vector<std::uint64_t> ages_;
    WarpSet ready_ = 0;
    WarpSet passed_over_ = 0;    ///< warps that could issue, those that wait for their unit included
    Cycle starvation_check_ = 0; ///< nobody can have been passed over for too long before
    WarpSet fetchable_ = 0;      ///< resident warps with room in the buffer
    WarpSet starving_ = 0;       ///< of those, the ones with an empty buffer
    WarpSet long_stalled_ = 0;
    std::array<Cycle, isa::kUnits> unit_free_{};
    std::array<WarpSet, isa::kUnits> unit_waiters_{};
    unsigned last_ = kNoWarp;
    bool last_yields_ = false;
    bool faulted_ = false;
    Cycle last_step_ = 0;
    Cycle fetch_open_at_ = 0;

    std::vector<PcStats> pcs_;
    IntervalCounters over_time_;
    std::vector<WarpStats> finished_;
    std::uint64_t fetches_discarded_ = 0;
    std::uint64_t issued_ = 0;
};

} // namespace smsim::ibuffer
