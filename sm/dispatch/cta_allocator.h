// Which CTAs fit into the SM at once: warp slots, registers, shared memory and CTA slots, without SystemC.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/stats/statistics.h"
#include "model/types.h"

namespace smsim {
struct Config;
}

namespace smsim::sm {

/// What one CTA of a launch needs.
struct CtaDemand {
    std::uint32_t threads = 0;
    std::uint32_t registers_per_thread = 0;
    std::uint32_t shared_bytes = 0; ///< static and dynamic

    std::uint32_t warps() const { return threads / kLanes + (threads % kLanes != 0 ? 1 : 0); }
};

/// The place of a CTA.
struct CtaPlace {
    CtaSlot cta;
    std::uint64_t shared_base = 0;
    std::vector<WarpSlot> warps; ///< in order of the warp number inside the CTA
};

/// The free resources of the SM.
class CtaAllocator {
  public:
    explicit CtaAllocator(const Config &config);

    /// Registers that a warp with `registers_per_thread` occupies, including the allocation granularity.
    std::uint32_t warp_registers(std::uint32_t registers_per_thread) const;
    /// Why a CTA of this demand can never run on this SM, with the values and the limit; empty when it can.
    std::string impossible(const CtaDemand &demand) const;
    /// CTAs of this demand that fit into the empty SM.
    std::uint32_t max_resident(const CtaDemand &demand) const;

    /// The limit of each resource; `grid` is not set.
    OccupancyLimits limits(const CtaDemand &demand) const;

    /// Bytes of the L1 that are shared memory while as many CTAs of this demand are resident as fit: the smallest of
    /// `shared.carveouts` that holds them; 0 if there are none.
    std::uint64_t carveout(const CtaDemand &demand) const;

    /// Takes over the placements of `other`, which has the same configuration.
    void take_over(const CtaAllocator &other);
    /// Places one CTA, lowest free slots first; none when it does not fit at present.
    std::optional<CtaPlace> place(const CtaDemand &demand);
    /// A warp has ended: its slot and registers are free.
    void free_warp(WarpSlot warp, const CtaDemand &demand);
    /// The last warp of a CTA has ended: its shared memory and CTA slot are free.
    void free_cta(const CtaPlace &place, const CtaDemand &demand);

    std::uint32_t resident_ctas() const { return resident_ctas_; }
    std::uint32_t resident_warps() const { return resident_warps_; }

  private:
    struct Hole {
        std::uint64_t base;
        std::uint64_t bytes;
    };
    std::uint64_t shared_need(const CtaDemand &demand) const;

    const Config &config_;
    std::vector<bool> warp_used_;
    std::vector<bool> cta_used_;
    std::vector<std::uint32_t> free_registers_; ///< per sub-partition
    std::uint32_t threads_ = 0;                 ///< resident, in multiples of a warp
    std::vector<Hole> holes_;                   ///< free shared memory, ascending, never adjacent
    std::uint32_t resident_ctas_ = 0;
    std::uint32_t resident_warps_ = 0;
};

} // namespace smsim::sm
