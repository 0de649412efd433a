// The barriers of all CTAs of an SM by warp slot and CTA slot, as seen from outside a barrier unit: the answer to each
// operation, and which warps are released in which order. Plain C++ without cycles.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "bcu/barrier.h"
#include "model/error.h"
#include "model/isa/operands.h"
#include "model/state/warp_life.h"

namespace smsim::cosim {

class BarrierSlots {
  public:
    /// The warps that a completed barrier releases, in the order of their numbers in the CTA.
    struct Release {
        BarrierId barrier;
        std::vector<WarpSlot> warps;
    };
    /// The answer to an operation.
    struct Answer {
        enum class Kind : std::uint8_t {
            kAck,
            kMove,
            kRelease, ///< the warp is among those in `release`, and its release is the answer
        };
        Kind kind = Kind::kAck;
        bool blocked = false;             ///< kAck
        std::optional<FaultReport> fault; ///< kAck
        std::uint32_t value = 0;          ///< kMove
        bool predicate = false;           ///< kMove
        bool writes = false;              ///< kMove
        bool undefined = false;           ///< kMove: a B2R.RESULT without a result to read
        std::optional<Release> release;
    };
    /// The position of a warp.
    struct Place {
        CtaSlot cta;
        std::uint32_t number = 0; ///< in its CTA
    };

    /// `warps` warp slots and `ctas` CTA slots, all empty.
    BarrierSlots(unsigned warps, unsigned ctas) : warps_(warps), ctas_(ctas) {}

    unsigned warps() const { return static_cast<unsigned>(warps_.size()); }
    unsigned ctas() const { return static_cast<unsigned>(ctas_.size()); }

    /// Starts a warp: number `start.warp_in_cta` of `start.warps_in_cta` in CTA slot `start.cta`. With the first warp,
    /// the barriers of the slot start idle. InputError for more warps than a barrier can count.
    void start(const WarpStart &start);
    /// Records the exit of a warp, which must not be blocked. Returns the releases that this causes, in the order of
    /// the barriers. The last warp frees the CTA slot. Does nothing when the warp slot is empty.
    std::vector<Release> exit(WarpSlot warp);
    /// Serves an operation of a warp. Returns nothing when the slot is empty or its warp is blocked.
    std::optional<Answer> serve(WarpSlot warp, const isa::Instruction &insn, LaneMask pmask, LaneMask contribution,
                                const isa::NarrowVectorOperands &vectors);

    /// The position of the warp in a slot; nothing when the slot is empty.
    const std::optional<Place> &place(WarpSlot warp) const { return warps_[warp.value()]; }
    /// Whether warp `number` of the CTA in a slot has started; it may have exited since.
    bool has_started(CtaSlot cta, std::uint32_t number) const { return ctas_[cta.value()].slots.contains(number); }
    /// The barriers of a CTA slot; null when it is empty.
    const bcu::CtaBarriers *barriers(CtaSlot cta) const {
        const std::optional<bcu::CtaBarriers> &found = ctas_[cta.value()].barriers;
        return found ? &*found : nullptr;
    }
    /// The word of a barrier (docs/barrier-unit.md "State word"); 0 when the CTA slot is empty.
    std::uint32_t word(CtaSlot cta, BarrierId id) const {
        const bcu::CtaBarriers *found = barriers(cta);
        return found != nullptr ? bcu::pack(found->barrier(id)) : 0;
    }

  private:
    struct Cta {
        std::optional<bcu::CtaBarriers> barriers;
        std::map<std::uint32_t, WarpSlot> slots; ///< by number in the CTA
    };

    static Release release_of(const Cta &cta, const bcu::Completion &completion, std::optional<std::uint32_t> last);

    std::vector<std::optional<Place>> warps_;
    std::vector<Cta> ctas_;
};

} // namespace smsim::cosim
