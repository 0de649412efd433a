// Where the time of the warps of one sub-partition goes. Every warp-cycle is charged to one state, one reason and one
// instruction, by interval: when the state changes, and at the boundaries of the counters over time.
#pragma once

#include <cstdint>
#include <vector>

#include "model/state/warp_life.h"
#include "model/stats/interval_counters.h"
#include "model/stats/stall.h"
#include "model/stats/statistics.h"

namespace smsim::ibuffer {

class WarpAccounts {
  public:
    explicit WarpAccounts(unsigned warps) : accounts_(warps) {}

    /// A warp begins its life at `at`, fetching its first instruction.
    void start(unsigned warp, const WarpStart &start, unsigned sub_partition, Cycle at);
    /// From `now` on the warp is in `state` for `reason`, charged to the instruction at index `pc` (address / 16). True
    /// when that is something new.
    bool become(unsigned warp, WarpState state, StallReason reason, std::uint32_t pc, Cycle now) {
        Account &account = accounts_[warp];
        if (account.state == state && account.reason == reason && account.pc == pc) {
            return false;
        }
        charge(warp, now);
        account.state = state;
        account.reason = reason;
        account.pc = pc;
        return true;
    }
    /// Charges the open interval up to `now`.
    void charge(unsigned warp, Cycle now) {
        Account &account = accounts_[warp];
        const Cycle cycles = now - account.since;
        if (cycles == 0) {
            return;
        }
        const auto reason = static_cast<std::size_t>(account.reason);
        account.stats.stalls[reason] += cycles;
        account.stats.states[static_cast<std::size_t>(account.state)] += cycles;
        pcs_[account.pc].stalls[reason] += cycles;
        over_time_.present().stalls[reason] += cycles;
        account.since = now;
    }
    /// Cycle `now` is reached; to be called before anything of that cycle is charged or counted.
    void reach(Cycle now) {
        if (over_time_.boundary() <= now) {
            pass_boundaries(now);
        }
    }
    /// The warp issues the instruction that it is charged for; so many lanes are active, and execute it.
    void count_issue(unsigned warp, unsigned active, unsigned executed) {
        PcStats &pc = pcs_[accounts_[warp].pc];
        ++pc.issues;
        pc.active_lanes += active;
        pc.executed_lanes += executed;
        WarpStats &stats = accounts_[warp].stats;
        ++stats.instructions;
        stats.thread_instructions += executed;
        IntervalCounters::Interval &interval = over_time_.present();
        ++interval.instructions;
        interval.thread_instructions += executed;
    }
    /// The warp has ended at `now`.
    void end(unsigned warp, Cycle now);
    /// The run is cut short at `now`: as `end`, but for a warp that has not begun its life by then. True when it has.
    bool close(unsigned warp, Cycle now);
    /// Begins to count anew in cycle `now`; no warp is resident.
    void clear(Cycle now);

    WarpState state(unsigned warp) const { return accounts_[warp].state; }
    StallReason reason(unsigned warp) const { return accounts_[warp].reason; }
    /// Index of the instruction that is charged.
    std::uint32_t pc(unsigned warp) const { return accounts_[warp].pc; }
    /// Instructions that the warp has issued.
    std::uint64_t instructions(unsigned warp) const { return accounts_[warp].stats.instructions; }
    /// Warps that have ended, in order of their end.
    const std::vector<WarpStats> &finished() const { return finished_; }
    /// Counters per instruction; index address / 16. One more entry than the longest program whose warps have started
    /// here, for an address past its end; empty when none has.
    const std::vector<PcStats> &pcs() const { return pcs_; }
    /// Stall cycles and issues of all warps, over time.
    const IntervalCounters &over_time() const { return over_time_; }

  private:
    struct Account {
        bool open = false; ///< of a resident warp
        WarpState state = WarpState::kEmpty;
        StallReason reason = StallReason::kNoInstruction;
        std::uint32_t pc = 0;
        Cycle since = 0; ///< begin of the interval that is not yet charged
        WarpStats stats;
    };

    void pass_boundaries(Cycle now);

    std::vector<Account> accounts_;
    std::vector<PcStats> pcs_;
    IntervalCounters over_time_;
    std::vector<WarpStats> finished_;
};

} // namespace smsim::ibuffer
