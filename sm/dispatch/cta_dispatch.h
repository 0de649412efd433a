// CTA dispatch of an SM: places CTAs while resources last and starts their warps in all parts. The distributor of the
// grid decides which CTA is next.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <systemc>

#include "model/config/config.h"
#include "model/protocol/clock.h"
#include "model/protocol/links.h"
#include "model/protocol/socket.h"
#include "model/stats/statistics.h"
#include "sm/dispatch/cta_allocator.h"
#include "sm/dispatch/grid_distributor.h"
#include "sm/parts.h"

namespace smsim::sm {

/// Starts CTAs as the distributor hands them out, one per `sm.cta_launch_interval` cycles. Once a CTA has had to wait
/// for room, each takes the room of one that has ended, `sm.cta_restart` cycles after its end. The warps of a CTA in
/// one sub-partition start in ascending order, `sm.warp_start_interval` cycles apart.
class CtaDispatch final : public sc_core::sc_module, public parts::CtaDispatch, private CtaReceiver {
  public:
    /// One initiator per part that needs to know of warps: index 0..n-1 the IBuffers, n..2n-1 the datapaths, then BRU,
    /// BCU and sleep timer (n = sub_partitions).
    std::vector<std::unique_ptr<protocol::Initiator<protocol::LifecycleLink>>> parts;
    /// From the IBuffers: warps that have exited, that have ended, and faults.
    std::vector<std::unique_ptr<protocol::Target<protocol::LifecycleLink>>> from_ibuffers;

    /// The dispatch of SM `sm`, which asks `distributor` for CTAs; `config` and `distributor` must outlive it.
    CtaDispatch(const sc_core::sc_module_name &name, const Config &config, GridDistributor &distributor, SmId sm = {});

    // parts::CtaDispatch
    tlm::tlm_initiator_socket<64, protocol::LifecycleLink> &to_ibuffer(unsigned index) override {
        return *parts[index];
    }
    tlm::tlm_initiator_socket<64, protocol::LifecycleLink> &to_datapath(unsigned index) override {
        return *parts[config_.sm.sub_partitions + index];
    }
    tlm::tlm_initiator_socket<64, protocol::LifecycleLink> &to_branch_unit() override {
        return *parts[std::size_t{2} * config_.sm.sub_partitions];
    }
    tlm::tlm_initiator_socket<64, protocol::LifecycleLink> &to_barrier_unit() override {
        return *parts[2 * config_.sm.sub_partitions + 1];
    }
    tlm::tlm_initiator_socket<64, protocol::LifecycleLink> &to_timer() override {
        return *parts[2 * config_.sm.sub_partitions + 2];
    }
    tlm::tlm_target_socket<64, protocol::LifecycleLink> &from_ibuffer(unsigned index) override {
        return *from_ibuffers[index];
    }
    bool join(protocol::Calendar &calendar) override {
        clock_.follow(calendar.local_time());
        return true;
    }
    std::uint64_t completed() const override { return completed_; }
    Cycle last_store() const override { return last_store_; }
    /// The exception that ends the launch, at the earliest in the following cycle.
    const std::optional<RaisedFault> &fault() const override { return fault_; }
    /// Whether neither a start of a CTA nor a notice of a warp's end is pending, so that only the end of a resident
    /// warp can change that.
    bool is_quiet() const override;
    /// Slots of ended warps that are not free yet, in the order of their ends.
    std::vector<WarpSlot> ending() const override;
    const OccupancyCurve &occupancy() const override { return occupancy_; }
    /// Called in the cycle after a fault.
    void on_fault(std::function<void()> callback) override { end_ = std::move(callback); }

  private:
    struct Resident {
        std::optional<CtaPlace> place;
        std::uint64_t number = 0;
        std::uint32_t warps_left = 0;
    };

    tlm::tlm_sync_enum on_message(unsigned tag, protocol::LifecyclePayload &payload, tlm::tlm_phase &phase,
                                  sc_core::sc_time &delay);
    void cycle();
    // CtaReceiver
    void begin(const Grid &grid) override;
    void go_on(const MidFlight &from) override { mid_flight_ = &from; }
    void take(std::uint64_t cta) override;
    void nothing_left() override;

    void place_residents(const MidFlight &from);
    void ask(Cycle now);
    /// Notifies all parts that `start`, except for its age, starts or continues, `late` cycles later than the next
    /// cycle.
    void start_warp_in_parts(WarpStart &start, Cycle late);
    /// `late`: cycles by which it takes effect later than the next cycle.
    void send(unsigned part, protocol::LifecycleExtension::Kind kind, const WarpStart &start, Cycle late = 0);
    Cycle room_from() const;
    void exited(WarpSlot warp, CtaSlot cta);
    void retire(WarpSlot warp, CtaSlot cta, bool stores_left);
    void settle(std::uint64_t cta_number);
    void sample(Cycle now);

    const Config &config_;
    GridDistributor &distributor_;
    SmId sm_;
    Grid grid_;
    protocol::Clock clock_;
    CtaAllocator allocator_;
    protocol::PayloadPool<protocol::LifecycleExtension> pool_;
    sc_core::sc_event event_;
    std::vector<Resident> residents_;
    /// Notice that a warp has executed EXIT, has ended, or that the stores it left are performed.
    struct Notice {
        protocol::LifecycleExtension::Kind kind;
        WarpSlot warp;
        CtaSlot cta;
        Cycle at; ///< cycle in which the dispatch learns of it
        bool stores_left;
        std::uint64_t cta_number; ///< kWarpPerformed

        std::tuple<Cycle, WarpSlot, protocol::LifecycleExtension::Kind> order() const { return {at, warp, kind}; }
    };
    /// A CTA some of whose warps have ended.
    struct Ending {
        std::uint32_t with_stores = 0; ///< ended warps with stores under way
        bool ended = false;            ///< all have
    };
    std::vector<Notice> notices_;             ///< sorted
    std::map<std::uint64_t, Ending> endings_; ///< by number of the CTA
    const MidFlight *mid_flight_ = nullptr;   ///< whose residents continue in the first cycle
    std::optional<CtaPlace> reserved_;        ///< for the CTA requested from the distributor
    std::uint64_t next_age_ = 0;
    std::uint64_t completed_ = 0;
    Cycle last_store_ = 0;
    Cycle next_launch_ = 0;
    bool has_waited_ = false;     ///< a CTA of this launch has had to wait for room
    std::deque<Cycle> room_from_; ///< when the room of ended CTAs can be used
    std::optional<RaisedFault> fault_;
    OccupancyCurve occupancy_;
    std::function<void()> end_;
};

} // namespace smsim::sm
