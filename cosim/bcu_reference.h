// The model's barriers beside a barrier unit of RTL: they get the same operations, starts and exits in the order that
// docs/pins.md gives them, and say where the other differs. Plain C++.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bcu/barrier.h"
#include "model/config/config.h"
#include "model/error.h"
#include "model/isa/operands.h"
#include "model/state/warp_life.h"

namespace smsim::cosim {

class BcuReference {
  public:
    /// What becomes of an operation.
    struct Answer {
        enum class Kind : std::uint8_t { kAck, kMove, kGo };
        Kind kind = Kind::kAck;
        bool blocked = false;       ///< kAck
        std::optional<Fault> fault; ///< kAck
        std::uint32_t value = 0;    ///< kMove
        bool predicate = false;     ///< kMove
        bool writes = false;        ///< kMove
        bool undefined = false;     ///< kMove
    };

    BcuReference(const BcuConfig &config, unsigned warps, unsigned ctas);

    /// A warp starts, or has exited, with effect in cycle `effect`.
    void start(const WarpStart &start, Cycle effect);
    void exit(WarpSlot warp, Cycle effect);
    /// An operation of `warp` was taken in cycle `taken`.
    void operation(WarpSlot warp, const isa::Instruction &insn, LaneMask pmask, LaneMask contribution,
                   const isa::NarrowVectorOperands &vectors, Cycle taken);
    /// Lets everything happen that happens up to cycle `now`. Gives the CTAs in which an operation was served.
    std::vector<CtaSlot> advance(Cycle now);

    /// Compares an answer for `warp` there with the oldest of its kind here, which is then done. Nothing when they are
    /// equal.
    std::optional<std::string> difference(WarpSlot warp, const Answer &there);
    /// Compares the state words of the barriers of a CTA.
    std::optional<std::string> difference(CtaSlot cta, const std::array<std::uint32_t, kBarriers> &there) const;

  private:
    struct Operation {
        Cycle taken;
        WarpSlot warp;
        const isa::Instruction *insn;
        LaneMask pmask;
        LaneMask contribution;
        isa::NarrowVectorOperands vectors;
    };
    struct Life {
        Cycle effect;
        bool start;
        WarpSlot warp;
        WarpStart data;
    };
    struct Warp {
        std::optional<CtaSlot> cta;
        std::uint32_t number = 0;
        std::deque<Answer> answers; ///< expected
    };
    struct Cta {
        std::optional<bcu::CtaBarriers> barriers;
        std::map<std::uint32_t, WarpSlot> slots; ///< by number in the CTA
    };

    void live(const Life &event);
    void serve(const Operation &operation);
    void release(Cta &cta, const bcu::Completion &completion);

    Cycle arrival_latency_;
    Cycle interval_;
    Cycle free_at_ = 0;
    std::deque<Operation> operations_; ///< in the order in which they are served
    std::vector<Life> life_;
    std::vector<Warp> warps_;
    std::vector<Cta> ctas_;
};

} // namespace smsim::cosim
