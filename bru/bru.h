// The branch unit as a SystemC module: decides when control instructions happen; the engine decides what they mean.
//
// Sub-partition i uses pipeline i mod `bru.pipelines`. A pipeline used by a single sub-partition answers on the call:
// the answer depends on the warp's own state only. A pipeline that several sub-partitions share accepts on the call,
// collects, and serves one request at a time from the cycle after its arrival on, in rotating order, so that the order
// of calls within a time step has no influence.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <systemc>
#include <tlm>

#include "bru/branch_statistics.h"
#include "bru/level_account.h"
#include "bru/reconvergence_engine.h"
#include "bru/syscall.h"
#include "bru/timing.h"
#include "model/config/clock_rate.h"
#include "model/config/config.h"
#include "model/parts/branch_unit.h"
#include "model/protocol/clock.h"
#include "model/protocol/links.h"
#include "model/protocol/payload_pool.h"
#include "model/protocol/socket.h"
#include "model/timing/jitter.h"

namespace smsim::bru {

/// Reports to `observer` in cycle `now` the control instruction of `request`, which gave `result` and completes in
/// cycle `completion`. `measured`: the part of the warp's control state whose size is `level` from now on.
void tell_executed(observation::Observer &observer, const protocol::BranchExtension &request, const StepResult &result,
                   Cycle now, Cycle completion, std::optional<LevelName> measured = std::nullopt,
                   std::uint64_t level = 0);

class Bru final : public sc_core::sc_module, public parts::BranchUnit {
  public:
    SC_HAS_PROCESS(Bru);

    /// Uses the reconvergence engine of the configuration. `on_syscall`: empty for the default, which logs. Throws
    /// InputError for an invalid timing value.
    Bru(const sc_core::sc_module_name &name, const Config &config, SyscallHandler on_syscall = {});
    /// Uses an engine that the caller has created for `config.warps()` warp slots.
    Bru(const sc_core::sc_module_name &name, const Config &config, std::unique_ptr<ReconvergenceEngine> engine,
        SyscallHandler on_syscall = {});

    sc_core::sc_vector<protocol::Target<protocol::BranchLink>> branch; ///< one per sub-partition
    protocol::Initiator<protocol::TimerLink> timer{"timer"};           ///< requests to the sleep timer
    protocol::Target<protocol::TimerLink> expiry{"expiry"};            ///< expiries of the sleep timer
    sc_core::sc_vector<protocol::Initiator<protocol::WakeLink>> wake;  ///< to the IBuffer of each sub-partition
    protocol::Target<protocol::LifecycleLink> lifecycle{"lifecycle"};  ///< warp starts

    // parts::BranchUnit
    tlm::tlm_target_socket<64, protocol::BranchLink> &from_datapath(unsigned index) override { return branch[index]; }
    tlm::tlm_initiator_socket<64, protocol::TimerLink> &to_timer() override { return timer; }
    tlm::tlm_target_socket<64, protocol::TimerLink> &from_timer() override { return expiry; }
    tlm::tlm_initiator_socket<64, protocol::WakeLink> &to_ibuffer(unsigned index) override { return wake[index]; }
    tlm::tlm_target_socket<64, protocol::LifecycleLink> &from_dispatch() override { return lifecycle; }
    bool join(protocol::Calendar &calendar) override {
        clock_.follow(calendar.local_time());
        return true;
    }
    void observe(observation::Observer *observer) override;
    const BruStats &stats() const override { return statistics_.stats(); }
    std::vector<EngineCounter> engine_counters() const override { return engine_->counters(); }
    LevelStats level_stats() const override { return levels_.stats(clock_.now()); }
    void add_use(Cycle end, UnitUses &uses) const override;
    void clear_statistics() override;
    ControlSnapshot snapshot(WarpSlot warp, std::optional<Pc> next) const override;
    std::string describe(WarpSlot warp) const override;
    std::string held_back(WarpSlot warp) const override { return engine_->held_back(warp); }

  private:
    using Payload = protocol::BranchPayload;
    using Phase = tlm::tlm_phase;

    struct Pipeline {
        Cycle free = 0; ///< first cycle in which it can start an instruction
        std::vector<std::uint32_t> users;
        std::size_t next_user = 0; ///< where the rotation begins
        BusyTime use;
        bool shared() const { return users.size() > 1; }
    };
    struct Request {
        Payload *payload;
        Cycle arrival;
    };
    /// What the unit keeps of a warp besides the engine's state: its sleep.
    struct Sleep {
        WarpStart start;
        Cycle expected = kNever; ///< when the running timer is due to expire; kNever: it does not run
        Cycle clear = kNever;    ///< the timer has fired, taking effect in this cycle, which is not applied yet
        bool asleep = false;     ///< the whole warp sleeps and has not been woken
        Cycle asleep_from = 0;   ///< cycle in which its IBuffer sees it asleep
        Cycle wake_at = kNever;  ///< the unit's process sends a wake then
        bool rearm = false;      ///< the timer has fired for an earlier sleep and must be requested again
    };

    tlm::tlm_sync_enum on_branch(unsigned sub_partition, Payload &payload, Phase &phase, sc_core::sc_time &delay);
    tlm::tlm_sync_enum on_expiry(unsigned tag, protocol::TimerPayload &payload, Phase &phase, sc_core::sc_time &delay);
    tlm::tlm_sync_enum on_lifecycle(unsigned tag, protocol::LifecyclePayload &payload, Phase &phase,
                                    sc_core::sc_time &delay);

    void serve();
    void serve_shared(Pipeline &pipeline);
    void respond(std::uint32_t sub_partition, Payload &payload, Cycle completion);
    Cycle next_service(const Pipeline &pipeline) const;
    void serve_sleeps();

    bool acceptable(unsigned sub_partition, const Phase &phase, Payload &payload);
    /// Executes the instruction of `payload`, which takes its pipeline from cycle `start` on, and returns the cycle of
    /// its completion.
    Cycle perform(Pipeline &pipeline, Payload &payload, Cycle start);
    void apply_due_expiry(WarpSlot warp);
    void ask_timer(WarpSlot warp, Cycle cycles, Cycle from);
    void request_sleep(WarpSlot warp, std::uint32_t ns, Cycle from);
    void wake_warp(WarpSlot warp);
    void send_wake(WarpSlot warp, Cycle at);
    void plan(WarpSlot warp, Cycle cycle);

    /// For how long an instruction that starts in cycle `start` and takes `extra` cycles beyond its class occupies its
    /// pipeline, and how long it takes to complete.
    ClassTiming occupy(const protocol::BranchExtension &request, Cycle start, Cycle extra) const;

    Config config_;
    protocol::Clock clock_;
    ClockRate rate_;
    timing::Jitter jitter_;
    std::unique_ptr<ReconvergenceEngine> engine_;
    BranchStatistics statistics_;
    LevelAccount levels_;
    SyscallHandler on_syscall_;
    observation::Observer *observer_ = nullptr;
    std::vector<Pipeline> pipelines_;
    std::vector<std::deque<Request>> queues_;           ///< by sub-partition, shared pipelines only
    std::vector<Sleep> sleeps_;                         ///< by warp slot
    std::set<std::pair<Cycle, std::uint32_t>> planned_; ///< (cycle, warp): sleeps that the process must handle
    protocol::PayloadPool<protocol::TimerExtension> timer_pool_;
    protocol::PayloadPool<protocol::WakeExtension> wake_pool_;
    sc_core::sc_event work_;
};

} // namespace smsim::bru
