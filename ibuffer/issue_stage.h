// The issue stage of one sub-partition: instruction buffers, scoreboards and warp state machines, without SystemC.
//
// It is driven by cycle numbers: `step(now)` does what happens in cycle `now`, `next_wake()` says when it wants to be
// called next. Messages (results, wakes, starts) arrive between the calls, each with the cycle in which it takes
// effect. Time is charged by interval at each change of state, so a cycle in which nothing happens costs nothing.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "ibuffer/constant_operands.h"
#include "ibuffer/fetch_buffers.h"
#include "ibuffer/hold.h"
#include "ibuffer/issue_latches.h"
#include "ibuffer/issue_ports.h"
#include "ibuffer/issue_selection.h"
#include "ibuffer/redirect.h"
#include "ibuffer/register_reads.h"
#include "ibuffer/result_writes.h"
#include "ibuffer/warp.h"
#include "ibuffer/warp_accounts.h"
#include "model/due_times.h"
#include "model/isa/instruction.h"
#include "model/observation/observer.h"
#include "model/state/warp_life.h"
#include "model/stats/statistics.h"
#include "model/stats/utilisation.h"
#include "model/timing/pipes.h"

namespace smsim {
struct Config;
}

namespace smsim::ibuffer {

/// The issue stage. Warps are identified by their index in the sub-partition, 0 .. warps_per_sub_partition - 1.
class IssueStage {
  public:
    /// Uses the issue policy of the configuration.
    IssueStage(const Config &config, unsigned sub_partition, IssuePorts &ports);
    IssueStage(const Config &config, unsigned sub_partition, IssuePorts &ports, std::unique_ptr<IssuePolicy> policy);
    ~IssueStage();
    /// Reports to `observer` states, fetches, issues, and completions known when `issue` returns; null: no observer.
    /// The surroundings, which know the present cycle, report starts of warps and later answers.
    void observe(observation::Observer *observer);

    // --- messages; `at` is the cycle in which they take effect, later than the cycle of the last step --------------
    /// A warp starts at cycle `at`.
    void start(unsigned warp, const WarpStart &start, Cycle at);
    /// The result of an accepted instruction has arrived; its warp must be resident. For operations that may jump or
    /// block, the outcome decides how the warp continues; for loads and stores the operation is performed. Returns when
    /// to call the stage for it; kNever: not needed.
    Cycle answered(unsigned warp, const isa::Instruction &insn, Outcome outcome, Pc next_pc, LaneMask next_active,
                   Cycle at);
    /// Whether `loaded` is wanted for loads from global and local memory.
    bool wants_cache_answers() { return selection_.events() != nullptr; }
    /// What the L1 had of the data of such a load, which the warp issued at `issued`; takes effect at `at`.
    void loaded(unsigned warp, const CacheAnswer &found, Cycle issued, Cycle at) {
        selection_.events()->loaded(warp, found, issued, at);
    }
    /// A store of the warp that started as number `age` is performed after the warp has ended.
    void store_performed(std::uint64_t age, Cycle at);
    /// The answer to a fetch that was not answered on the call; ignored when the warp has jumped away since. `cause`:
    /// where it is served from, from the present cycle `now` on.
    void fetched(unsigned warp, std::uint64_t ticket, const isa::Instruction *insn, Cycle at, FetchCause cause,
                 Cycle now);
    /// The instruction memory accepts no fetch before `at` (kNever: until the next call of this function).
    void fetch_open(Cycle at) { fetch_open_at_ = at; }
    /// The unit has read the sources of an instruction: its `rsb` is released. Returns as `answered` does.
    Cycle sources_read(unsigned warp, const isa::Instruction &insn, Cycle at);
    /// An accepted memory operation has its place in the order of memory at `at`. Returns when to call the stage for
    /// it, not before `soonest`; kNever: not needed.
    Cycle placed(unsigned warp, Cycle at, Cycle soonest);
    /// The unit accepts again. Returns as `answered` does.
    Cycle unit_ready(isa::Unit unit, Cycle at);
    /// A sleeping or blocked warp may continue.
    void wake(unsigned warp, Cycle at);

    // --- time ------------------------------------------------------------------------------------------------------
    /// Does everything that happens in cycle `now`: state changes, one fetch per port, at most one issue.
    void step(Cycle now);
    /// The next cycle in which something can happen; kNever when only a message can change anything.
    Cycle next_wake() const;
    /// Charges all open intervals up to `now` (at the end of a run that was cut short).
    void close(Cycle now);

    // --- observation -----------------------------------------------------------------------------------------------
    bool resident(unsigned warp) const { return warps_[warp].machine.is_resident(); }
    /// Whether the warp waits at a CTA barrier and no wake is on its way.
    bool is_blocked(unsigned warp) const { return warps_[warp].machine.is_blocked(); }
    /// The state in cycle `now`, that of the last step or a later one.
    WarpState state(unsigned warp, Cycle now) const { return accounts_.state(warp, last_step_, now); }
    StallReason reason(unsigned warp, Cycle now) const { return accounts_.reason(warp, last_step_, now); }
    /// The last cycle in which the state of a resident warp changes without a step.
    Cycle changes_until() const;
    /// Address of the warp's next instruction.
    Pc pc(unsigned warp) const { return warps_[warp].pc; }
    LaneMask active(unsigned warp) const { return warps_[warp].active; }
    const WarpStart &start_of(unsigned warp) const { return warps_[warp].start; }
    /// A warp that has ended while stores of it were under way.
    struct Departed {
        WarpStart start;
        std::uint64_t instructions = 0; ///< that it has issued
        unsigned unanswered = 0;        ///< stores not answered yet
        Cycle performed_at = 0;         ///< the last of its answered stores
    };
    /// The departed warp that started as number `age`; null when it has not ended, or its stores are all answered.
    const Departed *departed(std::uint64_t age) const {
        if (departed_.empty()) [[likely]] {
            return nullptr;
        }
        const auto found = departed_.find(age);
        return found == departed_.end() ? nullptr : &found->second;
    }
    /// Instructions that the resident warp has issued before cycle `now`, the cycle of the last step or a later one;
    /// the same whether or not this cycle has been stepped yet.
    std::uint64_t issued_before(unsigned warp, Cycle now) const {
        return accounts_.instructions(warp) - (warps_[warp].last_issue == now ? 1 : 0);
    }
    /// Warps that have ended, in the order of their ends; `close` adds those still running when the run was cut short.
    const WarpRecords &ended() const { return accounts_.ended(); }
    /// Counters per instruction; index pc / 16. One more entry than the longest program whose warps have started here,
    /// for a PC past its end; empty when no warp has started.
    const std::vector<PcStats> &pcs() const { return accounts_.pcs(); }
    /// Stall cycles and issues of all warps, over time.
    const IntervalCounters &over_time() const { return accounts_.over_time(); }
    std::uint64_t fetches_discarded() const { return buffers_.discarded(); }
    /// Stall cycles with a missing instruction, by cause.
    const FetchCauseCycles &no_instruction() const { return accounts_.no_instruction(); }
    /// Issues by the number of lanes that executed.
    const std::array<std::uint64_t, kLanes + 1> &lanes() const { return accounts_.lanes(); }
    /// From the wake of a blocked or sleeping warp to its next issue.
    const LatencyStats &wake_to_issue() const { return wake_to_issue_; }
    /// Waits of instructions at scoreboards, in no particular order.
    std::vector<Dependence> dependences() const { return accounts_.dependences(); }
    /// Restarts all counts in cycle `now`, that of the last step or a later one; no warp may be resident. The intervals
    /// of `over_time` begin there.
    void clear_statistics(Cycle now);
    /// Adds the use of issue slot, fetch, pipes and register ports up to cycle `end`.
    void add_use(Cycle end, UnitUses &uses) const;

  private:
    class Facts;

    // State of a warp in a cycle. Code that runs for every instruction and has one caller is inlined there.
    void evaluate_due(Cycle now);
    void evaluate(unsigned index, Cycle now);
    [[gnu::always_inline]] inline void evaluate_next(Warp &warp, unsigned index, Cycle now);
    [[gnu::always_inline]] inline void enter(const Warp &warp, unsigned index, const Hold &hold, Cycle now);
    [[gnu::always_inline]] inline void apply(const Warp &warp, unsigned index, Cycle now);
    [[gnu::noinline]] bool goes_on(Warp &warp, unsigned index, Cycle now);
    Cycle look_at_release(unsigned index, Scoreboards::Releases released, Cycle at);
    Cycle awaited_release(Warp &warp, Scoreboards::Releases awaited);
    void charge_machine(const Warp &warp, unsigned index, Cycle now);
    void drain_exited(Warp &warp, unsigned index, Cycle now);
    void await_instruction(const Warp &warp, unsigned index, Cycle now);
    [[gnu::noinline]] void charge_fetch(unsigned index, Cycle now);
    void finish(Warp &warp, unsigned index, Cycle now);
    void become(unsigned index, WarpState state, StallReason reason, std::uint32_t charge_pc, Cycle now);
    // issue
    /// Issues an instruction of one of `selectable`, applicants whose way is free; the gate is open.
    void issue_one(WarpSet selectable, Cycle now);
    [[gnu::cold, gnu::noinline]] void issue_two(Cycle now);
    bool misses_constant(Warp &warp, unsigned index, const isa::Instruction &insn, Cycle now);
    [[gnu::always_inline]] inline void take_latch(IssueLatches::Group group, const IssuePorts::Issued &issued,
                                                  Cycle now);
    [[gnu::always_inline]] inline void hold_scoreboards(Warp &warp, unsigned index, const isa::Instruction &insn,
                                                        bool long_latency, const IssuePorts::Issued &issued, Cycle now);
    [[gnu::always_inline]] inline void look_ahead(Warp &warp, unsigned index, Cycle now);
    [[gnu::always_inline]] inline bool foresee_machine(const Warp &warp, unsigned index, Cycle next);
    [[gnu::always_inline]] inline bool foresee(Warp &warp, unsigned index, const Hold &hold, Cycle from, Cycle next);
    // For limited ports: out of line, so that the path without limits stays short.
    [[gnu::noinline]] void pass_registers(unsigned index, const isa::Instruction &insn,
                                          const IssuePorts::Issued &issued, Cycle now);
    static void follow_control(Warp &warp, const isa::Instruction &insn, Outcome outcome, Pc next_pc,
                               LaneMask next_active, Cycle at);
    /// Requires that something can be fetched.
    void fetch(Cycle now);
    Cycle fetch_due() const;
    // Reports to the observer: out of line, to keep the unobserved path as short as without observers.
    [[gnu::cold, gnu::noinline]] void tell_state(unsigned index, Cycle now);
    [[gnu::cold, gnu::noinline]] void tell_applicants(Cycle now);
    [[gnu::cold, gnu::noinline]] void tell_issued(unsigned index, const isa::Instruction &insn, std::uint64_t ticket,
                                                  const IssuePorts::Issued &issued, Cycle now);
    void wake_by(unsigned index, Cycle at) {
        wake_.bring_forward(index, at);
        next_due_ = at < next_due_ ? at : next_due_;
    }

    IssuePorts &ports_;
    observation::Observer *observer_ = nullptr;
    timing::Pipes pipes_;
    unsigned sub_partition_;
    unsigned count_;
    unsigned fetch_per_cycle_;
    unsigned issue_width_; ///< 1 or 2

    std::vector<Warp> warps_;
    std::map<std::uint64_t, Departed> departed_; ///< by age
    DueTimes wake_;                              ///< per warp: next cycle in which it must be examined
    Cycle next_due_ = kNever;                    ///< the earliest of these
    FetchBuffers buffers_;
    Redirect redirect_;
    bool fetches_behind_branch_;
    Cycle redirect_end_; ///< from the fetch of a target to its earliest issue
    PlaceLead place_lead_;
    std::unique_ptr<Facts> facts_; ///< for the policy
    IssueSelection selection_;
    IssueLatches latches_;
    ConstantOperands constants_;
    RegisterReads reads_;
    ResultWrites writes_;
    bool passes_registers_; ///< ports or writes are limited
    WarpAccounts accounts_;
    LatencyStats wake_to_issue_;
    std::vector<std::pair<WarpState, StallReason>> told_; ///< per warp: what was last reported to the observer
    std::uint8_t issued_to_ = 0;                          ///< latch of the last issue
    unsigned paired_ = kNoWarp; ///< the first of the two warps that issued last, if those issued in one cycle
    bool faulted_ = false;
    Cycle last_step_ = 0;
    Cycle fetch_open_at_ = 0;
};

} // namespace smsim::ibuffer
