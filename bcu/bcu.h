// BCU: the SystemC shell of the CTA barrier unit. It orders the barrier operations of the SM in time and turns the
// decisions of the core in barrier.h into answers and wake-ups; docs/barrier-unit.md draws the timing.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include <systemc>

#include "bcu/barrier.h"
#include "model/config/config.h"
#include "model/observation/observer.h"
#include "model/parts/barrier_unit.h"
#include "model/protocol/calendar.h"
#include "model/protocol/clock.h"
#include "model/protocol/links.h"
#include "model/protocol/socket.h"
#include "model/stats/statistics.h"
#include "model/timing/jitter.h"

namespace smsim::bcu {

/// The CTA barrier unit of one SM.
///
/// Every operation is accepted on the call (TLM_UPDATED, END_REQ) and served `bcu.arrival_latency` cycles later, one
/// each `bcu.interval` cycles, ordered by the cycle in which it was sent and then by warp slot; so the order of calls
/// within one time step has no influence. The answer follows as BEGIN_RESP with an annotated delay:
/// - a warp that does not wait (ARV, an empty `pmask`, a fault), and one that blocks: one cycle;
/// - B2R, B2R.RESULT, R2B: what is left of `bcu.move_latency`, at least one cycle;
/// - the arrival that completes a barrier: its turn among the released warps, see below.
/// Released warps continue in the order of their number in the CTA, the first `bcu.release_latency` cycles after the
/// completion and each further one `bcu.release_interval` cycles after the previous one. Blocked warps learn of it over
/// `wake`, the completing warp from its answer. Latencies and the interval count as at least one cycle.
class Bcu final : public sc_core::sc_module, public parts::BarrierUnit {
  public:
    /// Operations, one socket per sub-partition; warp slot w uses socket w mod sub_partitions.
    std::vector<std::unique_ptr<protocol::Target<protocol::BarrierLink>>> operations;
    /// Releases of blocked warps, one socket per sub-partition.
    std::vector<std::unique_ptr<protocol::Initiator<protocol::WakeLink>>> wake;
    /// kWarpStart makes a warp known; kWarpExited counts it as arrived wherever all alive warps are expected (B-6).
    protocol::Target<protocol::LifecycleLink> lifecycle{"lifecycle"};

    /// `config` must outlive the module; its sections sm and bcu are used.
    Bcu(const sc_core::sc_module_name &name, const Config &config);

    // parts::BarrierUnit
    tlm::tlm_target_socket<64, protocol::BarrierLink> &from_datapath(unsigned index) override {
        return *operations[index];
    }
    tlm::tlm_initiator_socket<64, protocol::WakeLink> &to_ibuffer(unsigned index) override { return *wake[index]; }
    tlm::tlm_target_socket<64, protocol::LifecycleLink> &from_dispatch() override { return lifecycle; }
    bool join(protocol::Calendar &calendar) override {
        alarm_.join(calendar);
        clock_.follow(calendar.local_time());
        return true;
    }
    void observe(observation::Observer *observer) override { observer_ = observer; }
    /// Counters so far. Arrivals and waiting are counted when they have taken place: a warp that is still blocked has
    /// contributed no wait cycles. `reductions` counts completed BAR.RED barriers.
    const BcuStats &stats() const override { return stats_; }
    void add_use(Cycle end, UnitUses &uses) const override {
        smsim::add_use(uses, UsedUnit::kBarrierUnit, 1, use_.until(end));
    }
    void clear_statistics() override {
        stats_ = {};
        use_.clear(clock_.now());
    }
    /// Whether some warp is blocked at a barrier. If no event is left in the simulation, that is BarrierDeadlock.
    bool anyone_blocked() const;
    bool is_quiet() const override { return pending_.empty() && life_.empty(); }
    std::string describe() const override;

  private:
    /// An operation that has been accepted. `order` keeps operations of one warp in the order they were sent.
    struct Pending {
        Cycle sent = 0;
        WarpSlot warp;
        std::uint64_t order = 0;
        protocol::BarrierPayload *payload = nullptr;
    };
    struct LaterOperation {
        bool operator()(const Pending &a, const Pending &b) const;
    };

    /// The start or end of a warp that has been announced. Ends come before starts, so that a slot can be reused at
    /// once.
    struct LifeEvent {
        Cycle at = 0;
        bool start = false;
        WarpSlot warp;
        WarpStart data;
    };
    struct LaterEvent {
        bool operator()(const LifeEvent &a, const LifeEvent &b) const;
    };

    /// First and last arrival of the present use of a barrier.
    struct Use {
        Cycle first = 0;
        Cycle last = 0;
    };
    struct Cta {
        Cta(std::uint64_t number_, std::uint32_t warps)
            : number(number_), barriers(warps), slots(warps), since(warps) {}
        std::uint64_t number; ///< in the grid
        CtaBarriers barriers;
        std::vector<std::optional<WarpSlot>> slots; ///< by warp in the CTA; none before its start
        std::vector<Cycle> since;                   ///< by warp in the CTA: blocked since
        std::array<std::optional<Use>, kBarriers> uses{};
    };
    /// The CTA and number of a resident warp.
    struct Resident {
        CtaSlot cta;
        std::uint32_t warp_in_cta = 0;
    };

    tlm::tlm_sync_enum on_operation(unsigned tag, protocol::BarrierPayload &payload, tlm::tlm_phase &phase,
                                    sc_core::sc_time &delay);
    tlm::tlm_sync_enum on_lifecycle(unsigned tag, protocol::LifecyclePayload &payload, tlm::tlm_phase &phase,
                                    sc_core::sc_time &delay);
    void cycle();
    void call_at(Cycle at);
    Cycle next_service() const;
    void apply(const LifeEvent &event);
    void serve(const Pending &pending);
    void answer(const Pending &pending, Cycle latency);
    void count_arrival(Cta &cta, std::uint32_t warp, const isa::Instruction &insn, const Effect &effect);
    void count_completion(Cta &cta, const Completion &completion);
    /// What completed a barrier: a warp that waits for its answer, or one that does not (BAR.ARV, exit).
    struct Completer {
        WarpSlot slot;
        CtaSlot cta;
        bool exits = false;
        std::optional<std::uint32_t> waits{}; ///< its number in the CTA, if it takes its turn among the released warps
    };
    Cycle release(Cta &cta, const Completion &completion, const Completer &completer);
    void tell_changed(const Cta &cta, const Resident &resident, WarpSlot warp, const Effect &effect);
    void send_wake(WarpSlot warp, Cycle latency);

    const Config &config_;
    protocol::Clock clock_;
    timing::Jitter jitter_;
    Cycle arrival_latency_;
    Cycle interval_;
    protocol::Alarm alarm_;
    Cycle free_at_ = 0; ///< first cycle in which an operation can be served again
    std::uint64_t next_order_ = 0;

    std::priority_queue<Pending, std::vector<Pending>, LaterOperation> pending_;
    std::priority_queue<LifeEvent, std::vector<LifeEvent>, LaterEvent> life_;
    std::vector<std::optional<Resident>> residents_; ///< by warp slot
    std::vector<std::optional<Cta>> ctas_;           ///< by CTA slot
    protocol::PayloadPool<protocol::WakeExtension> wake_pool_;
    BcuStats stats_;
    TakenTime use_;
    observation::Observer *observer_ = nullptr;
};

} // namespace smsim::bcu
