// Sleep timers made of RTL: the sockets of the part on one side, the pins of docs/pins.md on the other.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <systemc>
#include <tlm>

#include "cosim/block.h"
#include "cosim/channel_rules.h"
#include "cosim/channels.h"
#include "cosim/edge_clock.h"
#include "cosim/handshakes.h"
#include "cosim/pin.h"
#include "cosim/recent_transactions.h"
#include "cosim/timer_reference.h"
#include "model/protocol/links.h"
#include "model/protocol/payload_pool.h"
#include "model/protocol/socket.h"
#include "sm/parts.h"

namespace smsim {
struct Config;
}

namespace smsim::cosim {

/// The pins of a sleep timer (docs/pins.md "Sleep timer").
struct TimerPins {
    /// InputError when a pin is missing or has another width.
    TimerPins(const Block &block, unsigned subs, unsigned warps);

    Pin rst;
    Pin now;
    Pin cfg_granularity;
    Pin req_valid;
    Pin req_ready;
    Pin req_warp;
    Pin req_cycles;
    Pin stop;
    Pin expiry;
    Pin busy;
    Pin dbg_warp;
    Pin dbg_running;
    Pin dbg_expiry;
};

class TimerAdapter final : public sc_core::sc_module, public parts::SleepTimer {
  public:
    SC_HAS_PROCESS(TimerAdapter);

    /// `block` must have the pins of a sleep timer for the sub-partitions and warps of `config`, else InputError.
    ///
    /// If `watch` has findings, the model's calendar gets the same requests: an expiry that was not requested, or that
    /// does not occur, ends the run. In lockstep, an expiry in another cycle is counted.
    TimerAdapter(const sc_core::sc_module_name &name, const Config &config, std::unique_ptr<Block> block,
                 const Watch &watch = {}, Handshakes handshakes = {});

    protocol::Target<protocol::TimerLink> request{"request"};
    protocol::Initiator<protocol::TimerLink> expiry{"expiry"};
    protocol::Target<protocol::LifecycleLink> lifecycle{"lifecycle"};

    // parts::SleepTimer
    tlm::tlm_target_socket<64, protocol::TimerLink> &from_branch_unit() override { return request; }
    tlm::tlm_initiator_socket<64, protocol::TimerLink> &to_branch_unit() override { return expiry; }
    tlm::tlm_target_socket<64, protocol::LifecycleLink> &from_dispatch() override { return lifecycle; }

    /// The cycle in which the timer of `warp` will expire; kNever: it does not run.
    Cycle expiry_of(WarpSlot warp) const;

  private:
    struct Request {
        Cycle at;
        WarpSlot warp;
        Cycle cycles;
    };
    struct Stop {
        Cycle told; ///< cycle in which the pin is high
        WarpSlot warp;
    };

    tlm::tlm_sync_enum on_request(unsigned tag, protocol::TimerPayload &payload, tlm::tlm_phase &phase,
                                  sc_core::sc_time &delay);
    tlm::tlm_sync_enum on_lifecycle(unsigned tag, protocol::LifecyclePayload &payload, tlm::tlm_phase &phase,
                                    sc_core::sc_time &delay);
    void quarter();
    void cycle();
    void drive(Cycle now);
    void take_requests(Cycle now);
    void compare(Cycle now);
    void look_for_missing(Cycle now, Cycle due);
    void compare_running(Cycle now);
    void differs(Cycle cycle, const std::optional<std::string> &what);
    void call_for(Cycle cycle);

    EdgeClock clock_;
    std::unique_ptr<Block> block_;
    ChannelRules rules_;
    Patience patience_;
    TimerPins pins_;
    Handshakes handshakes_;
    std::unique_ptr<TimerReference> reference_;  ///< if `watch` has findings
    std::unique_ptr<RecentTransactions> recent_; ///< if `watch` has findings
    std::vector<WarpSlot> taken_;                ///< whose requests were taken in this cycle
    unsigned subs_;
    unsigned warps_;
    std::vector<std::deque<Request>> requests_; ///< by sub-partition, in order of their cycles
    std::vector<Stop> stops_;
    protocol::PayloadPool<protocol::TimerExtension> pool_;
    Cycle called_for_ = kNever; ///< cycle whose edge is outstanding
    sc_core::sc_event quarter_;
    sc_core::sc_event edge_;
};

} // namespace smsim::cosim
