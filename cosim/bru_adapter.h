// A branch unit made of RTL: the sockets of the part on one side, the pins of docs/pins.md on the other. The block
// executes and determines the timing; the adapter passes operands, notifies its neighbours, and counts.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <systemc>
#include <tlm>

#include "bru/branch_statistics.h"
#include "bru/bru.h"
#include "bru/reconvergence_engine.h"
#include "cosim/block.h"
#include "cosim/bru_engine_pins.h"
#include "cosim/bru_pins.h"
#include "cosim/bru_reference.h"
#include "cosim/channel_rules.h"
#include "cosim/channels.h"
#include "cosim/edge_clock.h"
#include "cosim/handshakes.h"
#include "cosim/recent_transactions.h"
#include "cosim/request_queues.h"
#include "cosim/sleep_reference.h"
#include "model/config/clock_rate.h"
#include "model/config/config.h"
#include "model/parts/branch_unit.h"
#include "model/protocol/links.h"
#include "model/protocol/payload_pool.h"
#include "model/protocol/socket.h"

namespace smsim::cosim {

class BruAdapter final : public sc_core::sc_module, public parts::BranchUnit {
  public:
    SC_HAS_PROCESS(BruAdapter);

    /// `block` must have the pins of a branch unit for the sub-partitions and warps of `config`, else InputError;
    /// `on_syscall` as for bru::Bru. InputError also when the straps cannot express the configuration: pipelines
    /// shared by sub-partitions, a clock that is not a fraction of 32-bit numbers, latencies above 65535, and what the
    /// engine's pins reject (BruEnginePins).
    ///
    /// In lockstep, the model's engine gets the same instructions and expiries. The first response, state or timer
    /// request that differs is reported to the findings of `watch`; a response becomes the exception
    /// LockstepDifference.
    BruAdapter(const sc_core::sc_module_name &name, const Config &config, std::unique_ptr<Block> block,
               const Watch &watch = {}, Handshakes handshakes = {}, bru::SyscallHandler on_syscall = {});

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
    void observe(observation::Observer *observer) override;
    const BruStats &stats() const override { return statistics_.stats(); }
    void clear_statistics() override { statistics_.clear(); }
    ControlSnapshot snapshot(WarpSlot warp, std::optional<Pc> next) const override;
    std::string describe(WarpSlot warp) const override;

  private:
    using Payload = protocol::BranchPayload;
    using Phase = tlm::tlm_phase;

    /// An instruction that the block has taken and not answered.
    struct Flight {
        Payload *payload;
        unsigned channel; ///< that will carry its response
        Cycle started;    ///< cycle in which it was taken
        Cycle due;        ///< cycle in which the model would answer, after the same instructions in its pipeline
    };
    /// A warp as it is seen from outside the block.
    struct Warp {
        WarpStart start;
        std::deque<Flight> flights; ///< in the block, in the order in which they were taken
        Cycle expected = kNever;    ///< its timer was asked to expire in this cycle; not in lockstep
        bool asleep = false;
        Cycle changed = 0;                ///< cycle in which it fell asleep, or its timer last fired
        std::optional<Cycle> unclaimed{}; ///< cycle in which the model last executed for the block
    };
    struct Start {
        Cycle told; ///< cycle in which the pin is high
        WarpStart start;
    };
    struct Expiry {
        Cycle told;
        WarpSlot warp;
    };

    tlm::tlm_sync_enum on_branch(unsigned sub_partition, Payload &payload, Phase &phase, sc_core::sc_time &delay);
    tlm::tlm_sync_enum on_expiry(unsigned tag, protocol::TimerPayload &payload, Phase &phase, sc_core::sc_time &delay);
    tlm::tlm_sync_enum on_lifecycle(unsigned tag, protocol::LifecyclePayload &payload, Phase &phase,
                                    sc_core::sc_time &delay);

    void set_straps();
    void reset();
    void cycle();
    void drive(unsigned sub_partition, Payload &payload);
    void drive_events(Cycle now);
    bool claims(Payload &payload) const;
    void execute_unclaimed(Cycle now);
    void take_requests(Cycle now);
    void expired(WarpSlot slot, Cycle now);
    void take_outputs(Cycle next);
    void respond(unsigned channel, Cycle effect);
    void answer(Warp &warp, const Flight &flight, bru::StepResult result, Cycle effect);
    void look_for_missing(Cycle now, Cycle due);
    void compare(const Warp &warp, const Flight &flight, bru::StepResult &result, Cycle effect);
    void account(Warp &warp, const Flight &flight, const bru::StepResult &result, Cycle effect);
    bru::StepResult result_of(unsigned channel) const;
    FaultReport fault_in(unsigned channel) const;
    void ask_timer(unsigned sub_partition, Cycle from);
    void woken(WarpSlot warp, Cycle at);
    Cycle expected(WarpSlot warp) const;
    void send_wake(WarpSlot warp, Cycle at);
    void call_for(Cycle cycle);

    Config config_;
    EdgeClock clock_;
    std::unique_ptr<Block> block_;
    ChannelRules rules_;
    Patience patience_;
    BruPins pins_;
    std::unique_ptr<BruEnginePins> engine_pins_;
    bru::SyscallHandler on_syscall_;
    bru::BranchStatistics statistics_;
    observation::Observer *observer_ = nullptr;
    Handshakes handshakes_;
    ClockRate rate_;
    std::unique_ptr<BruReference> reference_;        ///< in lockstep
    std::unique_ptr<SleepReference> sleeps_;         ///< in lockstep
    std::unique_ptr<RecentTransactions> recent_;     ///< if `watch` has findings
    std::unique_ptr<bru::ReconvergenceEngine> rest_; ///< executes what the block does not claim; null: it claims all
    std::vector<Cycle> free_at_;                     ///< by sub-partition: its pipeline is free from then on
    std::vector<WarpSlot> expired_;                  ///< reported by the timer in this cycle
    RequestQueues<Payload> requests_;
    std::vector<Warp> warps_;
    std::deque<Start> starts_;
    std::deque<Expiry> expiries_;
    protocol::PayloadPool<protocol::TimerExtension> timer_pool_;
    protocol::PayloadPool<protocol::WakeExtension> wake_pool_;
    Cycle called_for_ = kNever; ///< cycle whose edge is outstanding
    sc_core::sc_event event_;
};

} // namespace smsim::cosim
