// A CTA barrier unit made of RTL: the sockets of the part on one side, the pins of docs/pins.md on the other. The
// block keeps the barriers and determines the timing; the adapter passes operands, notifies its neighbours, and
// counts.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <systemc>
#include <tlm>

#include "bcu/barrier.h"
#include "cosim/bcu_reference.h"
#include "cosim/block.h"
#include "cosim/channel_rules.h"
#include "cosim/channels.h"
#include "cosim/edge_clock.h"
#include "cosim/handshakes.h"
#include "cosim/pin.h"
#include "cosim/recent_transactions.h"
#include "cosim/request_queues.h"
#include "model/config/config.h"
#include "model/parts/barrier_unit.h"
#include "model/protocol/links.h"
#include "model/protocol/payload_pool.h"
#include "model/protocol/socket.h"

namespace smsim::cosim {

/// The pins of a barrier unit (docs/pins.md "Barrier unit").
struct BcuPins {
    /// InputError when a pin is missing or has another width.
    BcuPins(const Block &block, unsigned subs, unsigned warps);

    Pin rst;
    Pin cfg_arrival_latency;
    Pin cfg_interval;
    Pin cfg_release_latency;
    Pin cfg_release_interval;
    Pin cfg_move_latency;
    Pin req_valid;
    Pin req_ready;
    Pin req_warp;
    Pin req_insn;
    Pin req_pmask;
    Pin req_pp;
    Pin req_vector_a;
    Pin req_vector_b;
    Pin ack_valid;
    Pin ack_ready;
    Pin ack_warp;
    Pin ack_outcome;
    Pin ack_fault;
    Pin move_valid;
    Pin move_ready;
    Pin move_warp;
    Pin move_value;
    Pin move_predicate;
    Pin move_writes;
    Pin move_undefined;
    Pin go_valid;
    Pin go_ready;
    Pin start;
    Pin start_cta;
    Pin start_warps;
    Pin start_index;
    Pin exit;
    Pin busy;
    Pin dbg_cta;
    Pin dbg_barriers;
    Pin dbg_blocked;
    Pin dbg_warp;
    Pin dbg_word;
};

class BcuAdapter final : public sc_core::sc_module, public parts::BarrierUnit {
  public:
    SC_HAS_PROCESS(BcuAdapter);

    /// `block` must have the pins of a barrier unit for the sub-partitions and warps of `config`, else InputError.
    /// InputError also for latencies above 65535.
    ///
    /// In lockstep, the model's barriers get the same operations. The first answer or state word that differs is
    /// reported to the findings of `watch`, and the answer becomes the exception LockstepDifference.
    BcuAdapter(const sc_core::sc_module_name &name, const Config &config, std::unique_ptr<Block> block,
               const Watch &watch = {}, Handshakes handshakes = {});

    std::vector<std::unique_ptr<protocol::Target<protocol::BarrierLink>>> operations;
    std::vector<std::unique_ptr<protocol::Initiator<protocol::WakeLink>>> wake;
    protocol::Target<protocol::LifecycleLink> lifecycle{"lifecycle"};

    // parts::BarrierUnit
    tlm::tlm_target_socket<64, protocol::BarrierLink> &from_datapath(unsigned index) override {
        return *operations[index];
    }
    tlm::tlm_initiator_socket<64, protocol::WakeLink> &to_ibuffer(unsigned index) override { return *wake[index]; }
    tlm::tlm_target_socket<64, protocol::LifecycleLink> &from_dispatch() override { return lifecycle; }
    void observe(observation::Observer *observer) override { observer_ = observer; }
    const BcuStats &stats() const override { return stats_; }
    void clear_statistics() override { stats_ = {}; }
    bool is_quiet() const override;
    std::string describe() const override;

    /// The words of the barriers of a CTA slot.
    std::array<std::uint32_t, kBarriers> words(CtaSlot cta) const;
    /// WarpBarState of a warp.
    std::uint32_t warp_word(WarpSlot warp) const;

  private:
    using Payload = protocol::BarrierPayload;

    struct Life {
        Cycle told; ///< cycle in which the pin is high
        bool start;
        WarpSlot warp;
        WarpStart data;
    };
    /// An operation that the block has taken and not answered.
    struct Flight {
        Payload *payload;
        std::optional<BarrierId> arrives; ///< an arrival that some thread executes, at this barrier
        bool waits = false;               ///< SYNC or RED
        Cycle taken = 0;
    };
    /// A warp as it is seen from outside the block.
    struct Warp {
        std::optional<WarpStart> start;
        std::deque<Flight> flights; ///< in the order in which they were taken
        std::optional<BarrierId> blocked;
        Cycle since = 0;
    };
    /// The current use of a barrier of a CTA.
    struct Use {
        Cycle first = 0;
        Cycle last = 0;
        std::optional<Cycle> completed{}; ///< the block has released the first warp
        bool reduction = false;
    };

    tlm::tlm_sync_enum on_operation(unsigned tag, Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay);
    tlm::tlm_sync_enum on_lifecycle(unsigned tag, protocol::LifecyclePayload &payload, tlm::tlm_phase &phase,
                                    sc_core::sc_time &delay);
    void set_straps(const BcuConfig &config);
    void reset();
    void cycle();
    void drive_life(Cycle now);
    void drive(unsigned sub_partition, const protocol::BarrierExtension &request);
    void take_requests(Cycle now);
    void take_outputs(Cycle next);
    void acknowledged(Cycle next);
    void moved(Cycle next);
    void go(WarpSlot warp, Cycle next);
    void arrived(Warp &warp, const Flight &flight, Cycle at);
    void completed(Warp &warp, BarrierId id, Cycle at);
    Use &use_of(const Warp &warp, BarrierId id);
    void answer(Payload &payload, Cycle effect);
    void compare(WarpSlot warp, const Flight *flight, const BcuReference::Answer &answer, Cycle next);
    void compare_word(WarpSlot warp, Cycle next);
    void look_for_missing(Cycle now, Cycle due);
    void send_wake(WarpSlot warp, Cycle at);
    void call_for(Cycle cycle);

    Config config_;
    EdgeClock clock_;
    std::unique_ptr<Block> block_;
    ChannelRules rules_;
    Patience patience_;
    BcuPins pins_;
    Handshakes handshakes_;
    std::unique_ptr<BcuReference> reference_;    ///< in lockstep
    std::unique_ptr<RecentTransactions> recent_; ///< if `watch` has findings
    std::string difference_;                     ///< the first one, to be reported in an answer
    observation::Observer *observer_ = nullptr;
    bool acks_late_ = false; ///< some wait for one that was held up
    RequestQueues<Payload> requests_;
    std::vector<Warp> warps_;
    std::deque<Life> life_;
    std::vector<std::array<std::optional<Use>, kBarriers>> uses_; ///< by CTA slot
    BcuStats stats_;
    protocol::PayloadPool<protocol::WakeExtension> wake_pool_;
    Cycle active_ = 0; ///< of the block's last output
    Cycle called_for_ = kNever;
    sc_core::sc_event event_;
};

} // namespace smsim::cosim
