// Which bytes of global memory a program may touch. Memory is mapped in pages, for caches that fetch whole lines; the
// load/store unit checks here before it accepts an access, so that the result does not depend on what a cache holds.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>

#include "memory/expected_accesses.h"
#include "memory/regions.h"
#include "model/error.h"
#include "model/state/warp_life.h"
#include "model/stats/memory_check.h"

namespace smsim::sm {

/// Judges the accesses of one run by the regions of its global memory, and records those outside.
class GlobalBounds {
  public:
    /// Pages in which the global memory of a run is mapped.
    static constexpr std::uint64_t kPageBytes = 65536;

    enum class Verdict : std::uint8_t {
        kInside,  ///< in one region
        kPadding, ///< outside, but tolerated: pass each access of a thread that leaves the regions to `note`
        kOutside, ///< IllegalAddress
    };
    /// An access of a thread.
    struct Access {
        Pc pc = 0;
        WarpSlot warp;
        unsigned lane = 0;
        std::uint64_t address = 0;
        std::uint64_t bytes = 0;
        Cycle cycle = 0;
    };

    /// `warp_of` returns the warp that is resident in a slot; it and `regions` must outlive the check.
    GlobalBounds(const memory::Regions &regions, MemoryCheck mode, std::function<const WarpStart &(WarpSlot)> warp_of);

    /// The verdict on an access to `bytes` (at least 1) from `address` on.
    Verdict judge(std::uint64_t address, std::uint64_t bytes) const {
        return regions_.holds(address, bytes) ? Verdict::kInside : judge_outside(address, bytes);
    }
    /// Sets the object to notify of accesses in advance; it must outlive this.
    void tell(const memory::ExpectedAccesses *told) { told_ = told; }
    /// Announces an access that was found inside.
    void expect(std::uint64_t address, std::uint64_t bytes) const {
        if (told_ != nullptr) [[likely]] {
            told_->expect(address, bytes);
        }
    }
    /// The fault of the lowest thread of `lanes` whose access to `bytes` at its address is kOutside; none if there is
    /// no such thread.
    std::optional<FaultReport> fault_of(LaneMask lanes, const std::array<std::uint64_t, kLanes> &address,
                                        std::uint32_t bytes) const;
    /// Records `access` if it leaves the regions.
    void note(const Access &access);
    /// Accesses recorded since the last `clear`.
    const OutsideAccesses &found() const { return found_; }
    /// Drops the recorded accesses.
    void clear();

  private:
    Verdict judge_outside(std::uint64_t address, std::uint64_t bytes) const;

    const memory::Regions &regions_;
    const memory::ExpectedAccesses *told_ = nullptr;
    std::function<const WarpStart &(WarpSlot)> warp_of_;
    OutsideAccesses found_;
    std::unordered_map<Pc, std::size_t> places_; ///< index into those of `found_`
};

} // namespace smsim::sm
