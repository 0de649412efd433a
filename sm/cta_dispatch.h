// CTA dispatch: takes the grid of a launch, places CTAs while resources last and starts their warps in all parts.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
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
#include "sm/cta_allocator.h"

namespace smsim::sm {

/// The grid to run.
struct Grid {
    std::array<std::uint32_t, 3> ctas{1, 1, 1};
    std::array<std::uint32_t, 3> threads{1, 1, 1};
    Pc entry = 0;
    CtaDemand demand;

    std::uint64_t cta_count() const { return std::uint64_t{ctas[0]} * ctas[1] * ctas[2]; }
};

/// The exception that ended a run, as it was raised: the top adds kernel and text.
struct RaisedFault {
    FaultReport report;
    WarpSlot warp;
    WarpStart start;
    protocol::RaisedAt at;
    Cycle cycle = 0; ///< in which it was found
};

/// Starts CTAs in order of their linear number (x fastest), one per `sm.cta_launch_interval` cycles.
class CtaDispatch final : public sc_core::sc_module {
  public:
    /// One initiator per part that must know of warps: index 0..n-1 the IBuffers, n..2n-1 the datapaths, then BRU,
    /// BCU and sleep timer (n = sub_partitions).
    std::vector<std::unique_ptr<protocol::Initiator<protocol::LifecycleLink>>> parts;
    /// From the IBuffers: warps that have exited, that have ended, and faults.
    std::vector<std::unique_ptr<protocol::Target<protocol::LifecycleLink>>> from_ibuffers;

    CtaDispatch(const sc_core::sc_module_name &name, const Config &config, const Grid &grid);

    bool finished() const { return completed_ == grid_.cta_count(); }
    std::uint64_t completed() const { return completed_; }
    const std::optional<RaisedFault> &fault() const { return fault_; }
    /// Slots of the warps that have ended and whose slots are not free yet, in the order of their ends.
    std::vector<WarpSlot> ending() const;
    const std::vector<OccupancySample> &occupancy() const { return occupancy_; }
    /// Called when a fault arrives or the last CTA has completed.
    void on_end(std::function<void()> callback) { end_ = std::move(callback); }

  private:
    struct Resident {
        std::optional<CtaPlace> place;
        std::uint64_t number = 0;
        std::uint32_t warps_left = 0;
    };

    tlm::tlm_sync_enum on_message(unsigned tag, tlm::tlm_generic_payload &payload, tlm::tlm_phase &phase,
                                  sc_core::sc_time &delay);
    void cycle();
    bool launch_next(Cycle now);
    void send(unsigned part, protocol::LifecycleExtension::Kind kind, const WarpStart &start);
    void exited(WarpSlot warp, CtaSlot cta);
    void retire(WarpSlot warp, CtaSlot cta);
    void sample(Cycle now);

    const Config &config_;
    Grid grid_;
    protocol::Clock clock_;
    CtaAllocator allocator_;
    protocol::PayloadPool<protocol::LifecycleExtension> pool_;
    sc_core::sc_event event_;
    std::vector<Resident> residents_;
    /// That a warp has executed EXIT, or has ended.
    struct Notice {
        WarpSlot warp;
        CtaSlot cta;
        Cycle at;   ///< cycle in which the dispatch learns of it
        bool ended; ///< false: its accesses are under way

        std::tuple<Cycle, WarpSlot, bool> order() const { return {at, warp, ended}; }
    };
    std::vector<Notice> notices_;
    std::uint64_t next_cta_ = 0;
    std::uint64_t next_age_ = 0;
    std::uint64_t completed_ = 0;
    Cycle next_launch_ = 0;
    std::optional<RaisedFault> fault_;
    std::vector<OccupancySample> occupancy_;
    std::function<void()> end_;
};

} // namespace smsim::sm
