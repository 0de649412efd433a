// The model's barriers beside a barrier unit of RTL: they get the same operations, starts and exits in the order that
// docs/pins.md gives them, and say where the other differs. Plain C++.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "cosim/barrier_slots.h"
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
        Cycle due = 0;              ///< here: cycle in which the model gives it; there: of no meaning
    };
    /// An answer there beside the one here.
    struct Comparison {
        std::optional<std::string> difference; ///< each field that differs, with both values
        std::optional<Cycle> due;              ///< cycle in which the model gives it; empty: it gives none
    };

    BcuReference(const BcuConfig &config, unsigned warps, unsigned ctas);

    /// A warp starts, or has exited, with effect in cycle `effect`.
    void start(const WarpStart &start, Cycle effect);
    void exit(WarpSlot warp, Cycle effect);
    /// An operation of `warp` that has come in cycle `arrival` was taken in cycle `taken`. The model serves it in the
    /// order of `taken`, and is asked when it would have answered had it been taken at `arrival`.
    void operation(WarpSlot warp, const isa::Instruction &insn, LaneMask pmask, LaneMask contribution,
                   const isa::NarrowVectorOperands &vectors, Cycle arrival, Cycle taken);
    /// Lets everything happen that happens up to cycle `now`. Gives the warps whose operations were served.
    std::vector<WarpSlot> advance(Cycle now);

    /// Compares an answer for `warp` there, taken in cycle `taken`, with the oldest of its kind here, which is then
    /// done.
    Comparison compare(WarpSlot warp, const Answer &there, Cycle taken);
    /// The first answer that the model gives in cycle `due` or before and that was never taken, in words.
    std::optional<std::string> missing(Cycle due) const;
    /// Compares the state words of the barriers of a CTA. Nothing when they are equal.
    std::optional<std::string> difference(CtaSlot cta, const std::array<std::uint32_t, kBarriers> &there) const;

    /// Compares WarpBarState of a warp. Nothing when they are equal, or when the warp has exited.
    std::optional<std::string> difference(WarpSlot warp, std::uint32_t there) const;

    /// An answer in words.
    static std::string text_of(const Answer &answer);

  private:
    struct Operation {
        Cycle arrival;
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
    void live(const Life &event);
    void serve(const Operation &operation, Cycle service);
    void let_go(const BarrierSlots::Release &release, Cycle completed);

    /// Answers of one kind that the unit has room for: served, and not taken up to the cycle before.
    class Room {
      public:
        explicit Room(std::size_t places) : places_(places) {}
        void served() { ++filled_; }
        void taken(Cycle cycle) { taken_.push_back(cycle); }
        /// Whether there is none left in `cycle`; cycles come in ascending order.
        bool is_full(Cycle cycle) {
            while (!taken_.empty() && taken_.front() < cycle) {
                taken_.pop_front();
                --filled_;
            }
            return filled_ >= places_;
        }

      private:
        std::size_t places_;
        std::size_t filled_ = 0;
        std::deque<Cycle> taken_; ///< cycles in which places were freed
    };

    Cycle arrival_latency_;
    Cycle interval_;
    Cycle release_latency_;
    Cycle release_interval_;
    Cycle move_latency_;
    Cycle free_at_ = 0;
    Room acks_;
    Room moves_;
    std::deque<Operation> operations_; ///< in the order in which they are served
    std::vector<Life> life_;
    BarrierSlots slots_;
    std::vector<std::deque<Answer>> answers_; ///< by warp slot: expected
};

} // namespace smsim::cosim
