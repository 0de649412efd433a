// Accounts for the time of the warps of one sub-partition. Every warp-cycle is charged to one state, one reason and one
// instruction, by interval: when the state changes, and at the boundaries of the counters over time. The time of an
// applicant for a latch, whose state changes with the latch, is divided when it is charged.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "ibuffer/issue_latches.h"
#include "model/state/warp_life.h"
#include "model/stats/busy_time.h"
#include "model/stats/interval_counters.h"
#include "model/stats/stall.h"
#include "model/stats/statistics.h"

namespace smsim::ibuffer {

/// The instruction that holds the scoreboard for which another waits.
class Producer {
  public:
    /// None.
    Producer() = default;
    /// The instruction at index `pc` (address / 16), which holds that scoreboard.
    Producer(std::uint32_t pc, unsigned scoreboard) : bits_(pc << kBits | scoreboard) {}

    std::uint32_t pc() const { return bits_ >> kBits; }
    std::uint8_t scoreboard() const { return static_cast<std::uint8_t>(bits_ & ((1U << kBits) - 1)); }
    bool is_somebody() const { return bits_ != isa::kNoScoreboard; }
    friend bool operator==(const Producer &, const Producer &) = default;

  private:
    static constexpr unsigned kBits = 3; ///< of a scoreboard; a program has fewer than 2^29 instructions
    std::uint32_t bits_ = isa::kNoScoreboard;
};

class WarpAccounts {
  public:
    /// For `warps` warps, which apply for these latches.
    WarpAccounts(unsigned warps, const IssueLatches &latches) : latches_(latches), accounts_(warps) {}

    /// A warp starts at `at`, fetching its first instruction.
    void start(unsigned warp, const WarpStart &start, unsigned sub_partition, Cycle at);
    /// From `now` on the warp is in `state` for `reason`, charged to the instruction at index `pc` (address / 16).
    /// Returns whether this is a change.
    bool become(unsigned warp, WarpState state, StallReason reason, std::uint32_t pc, Cycle now) {
        Account &account = accounts_[warp];
        if (account.state == state && account.reason == reason && account.pc == pc &&
            account.group == IssueLatches::kNoGroup) {
            return false;
        }
        charge(warp, now);
        if (account.producer.is_somebody()) {
            end_wait(account, now);
        }
        account.group = IssueLatches::kNoGroup;
        account.stalled_until = 0;
        account.entered = now;
        account.state = state;
        account.reason = reason;
        account.pc = pc;
        return true;
    }
    /// The warp has issued, in the cycle in which it became selected. From cycle `from` on, the next one or a later
    /// one, it is in `state` for `reason`, charged to the instruction at index `pc`; in the cycles before the stall
    /// count holds it. `producer`: what a wait at a scoreboard waits for. Charged when those cycles are over, as if
    /// `become` and `wait_for` were called in their cycle.
    void foresee(unsigned warp, std::uint32_t pc, WarpState state, StallReason reason, Cycle from,
                 Producer producer = {}) {
        Account &account = issued(warp);
        account.stalled_until = from;
        account.entered = from;
        account.state = state;
        account.reason = reason;
        account.pc = pc;
        account.producer = producer;
        account.waiting_since = from;
    }
    /// The same for a warp that applies for a latch of `group` from cycle `from` on, the next one, with the instruction
    /// that follows, as if `apply` were called then.
    void foresee_applicant(unsigned warp, IssueLatches::Group group, bool is_far, Cycle from) {
        Account &account = issued(warp);
        account.group = group;
        account.entered = from;
        account.is_far = is_far;
        account.taken = latches_.taken_cycles(group, from);
        account.shut = latches_.shut_cycles(group, from);
        ++account.pc;
    }
    /// Since when the warp is in its present state, or applies for a latch; while the stall count holds it: from when
    /// on it will be in the state after that.
    Cycle entered(unsigned warp) const { return accounts_[warp].entered; }
    /// The warp is stalled before this cycle, which may be past, whatever it waits for then.
    Cycle stalled_until(unsigned warp) const { return accounts_[warp].stalled_until; }
    /// From `now` on it waits for a result of `producer`; the state is a wait at a scoreboard. Call after `become`.
    /// Returns whether this is a change.
    bool wait_for(unsigned warp, Producer producer, Cycle now) {
        Account &account = accounts_[warp];
        if (account.producer == producer) {
            return false;
        }
        end_wait(account, now);
        account.producer = producer;
        account.waiting_since = now;
        return true;
    }
    /// From `now` on the warp applies for a latch of `group`, with the instruction at index `pc`: it waits for its unit
    /// while that way is taken, for its turn while the gate is shut, otherwise it is ready and not selected.
    /// `is_far()`: the instruction accesses global or local memory. Returns whether this is a change.
    bool apply(unsigned warp, IssueLatches::Group group, std::uint32_t pc, const auto &is_far, Cycle now) {
        Account &account = accounts_[warp];
        if (account.group == group && account.pc == pc) {
            return false;
        }
        charge(warp, now);
        if (account.producer.is_somebody()) {
            end_wait(account, now);
        }
        account.group = group;
        account.stalled_until = 0;
        account.entered = now;
        account.is_far = is_far();
        account.taken = latches_.taken_cycles(group, now);
        account.shut = latches_.shut_cycles(group, now);
        account.pc = pc;
        return true;
    }
    /// Whether the warp is charged for an unfinished instruction of its own: at a scoreboard, or for all of memory.
    bool awaits_release(unsigned warp) const {
        const Account &account = accounts_[warp];
        return account.group == IssueLatches::kNoGroup &&
               (account.state == WarpState::kWaitScoreboard || account.state == WarpState::kMemoryDrain);
    }
    /// Whether the warp is charged for a missing instruction.
    bool awaits_instruction(unsigned warp) const {
        const Account &account = accounts_[warp];
        return account.reason == StallReason::kNoInstruction && account.group == IssueLatches::kNoGroup && account.open;
    }
    /// The last cycle in which its state changes without a step; 0: none.
    Cycle changes_until(unsigned warp) const {
        const Account &account = accounts_[warp];
        return std::max(account.stalled_until, account.is_issuing ? account.since + 1 : 0);
    }
    /// The cause of the present or last such wait.
    FetchCause cause(unsigned warp) const { return accounts_[warp].cause; }
    /// From `now` on a warp that waits for its instruction waits for `cause`.
    void awaits(unsigned warp, FetchCause cause, Cycle now) {
        if (accounts_[warp].cause != cause) {
            charge(warp, now);
            settle(accounts_[warp]);
            accounts_[warp].cause = cause;
        }
    }
    /// Charges the open interval up to `now`.
    void charge(unsigned warp, Cycle now) {
        Account &account = accounts_[warp];
        Cycle cycles = now - account.since;
        if (cycles == 0) {
            return;
        }
        if (account.is_issuing) {
            account.is_issuing = false;
            add(account, account.issued_pc, WarpState::kReady, StallReason::kSelected, 1);
            --cycles;
        }
        if (account.stalled_until > now - cycles) {
            const Cycle stalled = std::min(account.stalled_until, now) - (now - cycles);
            add(account, account.pc, WarpState::kStalled, StallReason::kWait, stalled);
            cycles -= stalled;
        }
        if (account.group == IssueLatches::kNoGroup) {
            add(account, account.pc, account.state, account.reason, cycles);
        } else {
            divide(account, cycles, now);
        }
        account.since = now;
    }
    /// Cycle `now` is reached; call before anything of that cycle is charged or counted.
    void reach(Cycle now) {
        if (over_time_.boundary() <= now) {
            pass_boundaries(now);
        }
    }
    /// The warp issues the instruction it is charged for in cycle `now`; counts the active lanes and those that execute
    /// it.
    void count_issue(unsigned warp, LaneMask active_lanes, LaneMask executed_lanes, Cycle now) {
        const unsigned executed = executed_lanes.count();
        PcStats &pc = pcs_[accounts_[warp].pc];
        ++pc.issues;
        pc.active_lanes += active_lanes == executed_lanes ? executed : active_lanes.count();
        pc.executed_lanes += executed;
        WarpStats &stats = accounts_[warp].stats;
        ++stats.instructions;
        stats.thread_instructions += executed;
        IntervalCounters::Interval &interval = over_time_.present();
        ++interval.instructions;
        interval.thread_instructions += executed;
        ++lanes_[executed];
        if (last_issues_[0].at == now) [[unlikely]] { // two in one cycle
            last_issues_[1] = last_issues_[0];
        }
        last_issues_[0].at = now;
    }
    /// It takes this latch for `cycles` cycles from its issue on; 0: not counted.
    void count_pipe(std::uint8_t latch, Cycle cycles) {
        over_time_.present().pipes[latch] += cycles;
        last_issues_[0].latch = latch;
        last_issues_[0].taken_for = cycles;
    }
    /// `count` instructions are fetched in cycle `now`.
    void count_fetches(unsigned count, Cycle now) {
        over_time_.present().fetches += count;
        fetched_at_ = now;
        fetched_ = count;
    }
    /// The warp has ended at `now`.
    void end(unsigned warp, Cycle now);
    /// The run is cut short at `now`: as `end`, except for a warp that has not started by then. Returns whether it has.
    bool close(unsigned warp, Cycle now);
    /// Restarts all counts in cycle `now`; no warp may be resident.
    void clear(Cycle now);

    /// State and reason in cycle `now`, that of the last step, `step`, or a later one.
    WarpState state(unsigned warp, Cycle step, Cycle now) const;
    StallReason reason(unsigned warp, Cycle step, Cycle now) const;
    /// Index of the charged instruction.
    std::uint32_t pc(unsigned warp) const { return accounts_[warp].pc; }
    /// The instruction that holds the scoreboard it waits for.
    Producer producer(unsigned warp) const { return accounts_[warp].producer; }
    /// Instructions that the warp has issued.
    std::uint64_t instructions(unsigned warp) const { return accounts_[warp].stats.instructions; }
    /// Warps that have ended, in the order of their ends.
    const WarpRecords &ended() const { return records_; }
    /// Counters per instruction; index address / 16. One more entry than the longest program whose warps have started
    /// here, for an address past its end; empty when no warp has started.
    const std::vector<PcStats> &pcs() const { return pcs_; }
    /// Stall cycles and issues of all warps, over time.
    const IntervalCounters &over_time() const { return over_time_; }
    /// Issues, fetches, and the cycles for which each latch was taken.
    struct Uses {
        UseSeries issue;
        UseSeries fetch;
        std::vector<UseSeries> latches;
    };
    /// The uses up to cycle `end`: the present cycle, or an earlier one after the end of all warps.
    Uses uses(Cycle end) const;
    /// Waits of instructions at scoreboards, in no particular order.
    std::vector<Dependence> dependences() const;
    /// Issues by the number of lanes that executed.
    const std::array<std::uint64_t, kLanes + 1> &lanes() const { return lanes_; }
    /// Stall cycles with a missing instruction, of all warps that have ended, by cause.
    const FetchCauseCycles &no_instruction() const { return no_instruction_; }

  private:
    struct Account {
        bool open = false;        ///< of a resident warp
        bool is_issuing = false;  ///< the first cycle of the interval is that of an issue
        bool is_far = false;      ///< an applicant's instruction accesses global or local memory
        bool is_kept = true;      ///< the warp will have a record
        bool is_end_kept = false; ///< its end is recorded
        WarpState state = WarpState::kEmpty;
        StallReason reason = StallReason::kNoInstruction;
        FetchCause cause = FetchCause::kFetch; ///< of the unsettled cycles of no_instruction
        std::uint32_t pc = 0;
        std::uint32_t issued_pc = 0;                        ///< of that issue
        Producer producer;                                  ///< holds the scoreboard it waits for
        Cycle waiting_since = 0;                            ///< when it began to wait for it
        IssueLatches::Group group = IssueLatches::kNoGroup; ///< the group for which it applies, replacing state and
                                                            ///< reason
        Cycle since = 0;                                    ///< beginning of the interval not yet charged
        Cycle entered = 0;                                  ///< beginning of the present state
        Cycle stalled_until = 0; ///< until then the warp is stalled, and then waits as the state says
        Cycle taken = 0;         ///< an applicant's reading of the clock of its group at `since`
        Cycle shut = 0;          ///< likewise of the clock of the gate
        Cycle settled = 0;       ///< cycles of no_instruction already settled with their cause
        WarpStats stats;
    };

    Account &issued(unsigned warp) {
        Account &account = accounts_[warp];
        account.is_issuing = true;
        account.issued_pc = account.pc;
        return account;
    }
    void add(Account &account, std::uint32_t pc, WarpState state, StallReason reason, Cycle cycles) {
        const auto number = static_cast<std::size_t>(reason);
        account.stats.stalls[number] += cycles;
        account.stats.states[static_cast<std::size_t>(state)] += cycles;
        pcs_[pc].stalls[number] += cycles;
        over_time_.present().stalls[number] += cycles;
    }
    /// The warp has waited for its producer up to `now`, and no longer waits. Call before the charged instruction
    /// changes.
    [[gnu::noinline]] void end_wait(Account &account, Cycle now);
    /// Assigns the charged cycles of no_instruction to their cause: once per cause, not per charge.
    void settle(Account &account) {
        const Cycle charged = account.stats.stalls[static_cast<std::size_t>(StallReason::kNoInstruction)];
        no_instruction_[static_cast<std::size_t>(account.cause)] += charged - account.settled;
        account.settled = charged;
    }
    /// Adds the open interval of an applicant, `cycles` up to `now`.
    void divide(Account &account, Cycle cycles, Cycle now) {
        const Cycle taken = latches_.taken_cycles(account.group, now);
        if (const Cycle waited = taken - account.taken; waited != 0) {
            add(account, account.pc, WarpState::kWaitUnit, throttle_of(account), waited);
            cycles -= waited;
        }
        account.taken = taken;
        const Cycle shut = latches_.shut_cycles(account.group, now);
        if (const Cycle waited = shut - account.shut; waited != 0) {
            add(account, account.pc, WarpState::kWaitUnit, StallReason::kDispatch, waited);
            cycles -= waited;
        }
        account.shut = shut;
        if (cycles != 0) {
            add(account, account.pc, WarpState::kReady, StallReason::kNotSelected, cycles);
        }
    }
    static StallReason throttle_of(const Account &account) {
        if (account.is_far) {
            return StallReason::kLgThrottle;
        }
        const IssueLatches::Group group = account.group;
        return timing::pipe_spec(group == timing::kSecondFp32Latch ? isa::Unit::kFma : static_cast<isa::Unit>(group))
            .throttle;
    }
    struct Waited {
        Producer producer;       ///< holds the scoreboard it waits for
        Cycle waiting_since = 0; ///< when it began to wait for it
        Cycle cycles;
    };
    void pass_boundaries(Cycle now);
    void advance_with_pipes(IntervalCounters &counters) const;

    const IssueLatches &latches_;
    std::vector<Account> accounts_;
    std::vector<PcStats> pcs_;
    std::vector<std::vector<Waited>> waited_; ///< by the waiting instruction, as pcs_
    IntervalCounters over_time_;
    std::array<std::uint64_t, kLanes + 1> lanes_{};
    Cycle first_ = 0; ///< of the launch
    struct Issue {
        Cycle at = 0;
        Cycle taken_for = 0; ///< for how long it takes its latch
        std::uint8_t latch = 0;
    };
    std::array<Issue, 2> last_issues_; ///< the last one first; the other one counts only in the same cycle
    Cycle fetched_at_ = 0;
    unsigned fetched_ = 0; ///< in that cycle
    FetchCauseCycles no_instruction_{};
    WarpRecords records_;
};

} // namespace smsim::ibuffer
