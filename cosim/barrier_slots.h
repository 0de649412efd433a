// The barriers of all CTAs of an SM by warp slot and CTA slot, as a barrier unit sees them from outside: what an
// operation is answered with, and who is let go in which order. Plain C++; it knows nothing of time.
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
    /// A completed barrier lets these warps go, in this order: that of their numbers in the CTA.
    struct Release {
        BarrierId barrier;
        std::vector<WarpSlot> warps;
    };
    /// What an operation is answered with.
    struct Answer {
        enum class Kind : std::uint8_t {
            kAck,
            kMove,
            kRelease, ///< the warp is among those that `release` lets go, which is its answer
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
    /// Where a warp stands.
    struct Place {
        CtaSlot cta;
        std::uint32_t number = 0; ///< in its CTA
    };

    /// `warps` warp slots and `ctas` CTA slots, all empty.
    BarrierSlots(unsigned warps, unsigned ctas) : warps_(warps), ctas_(ctas) {}

    unsigned warps() const { return static_cast<unsigned>(warps_.size()); }
    unsigned ctas() const { return static_cast<unsigned>(ctas_.size()); }

    /// A warp starts: number `start.warp_in_cta` of `start.warps_in_cta` of CTA slot `start.cta`, whose barriers are
    /// idle when it is the first one. InputError for more warps than a barrier can count.
    void start(const WarpStart &start);
    /// A warp has exited, which is not blocked. Gives what that completes, in the order of the barriers. With its last
    /// warp a CTA leaves its slot. Nothing happens when the slot is empty.
    std::vector<Release> exit(WarpSlot warp);
    /// An operation of a warp is served. Nothing when the slot is empty or its warp is blocked.
    std::optional<Answer> serve(WarpSlot warp, const isa::Instruction &insn, LaneMask pmask, LaneMask contribution,
                                const isa::NarrowVectorOperands &vectors);

    /// Where the warp of a slot stands; nothing when it is empty.
    const std::optional<Place> &place(WarpSlot warp) const { return warps_[warp.value()]; }
    /// Whether warp `number` of the CTA in a slot has started, and be it that it has exited since.
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
