// The model's barriers, run beside a barrier unit of RTL: they get the same operations, starts and exits in the order
// that docs/pins.md defines, and report where the RTL differs. Plain C++.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "cosim/barrier_slots.h"
#include "model/config/sections/bcu.h"
#include "model/error.h"
#include "model/isa/operands.h"
#include "model/state/warp_life.h"

namespace smsim::cosim {

class BcuReference {
  public:
    /// The outcome of an operation.
    struct Answer {
        enum class Kind : std::uint8_t { kAck, kMove, kGo };
        Kind kind = Kind::kAck;
        bool blocked = false;       ///< kAck
        std::optional<Fault> fault; ///< kAck
        std::uint32_t value = 0;    ///< kMove
        bool predicate = false;     ///< kMove
        bool writes = false;        ///< kMove
        bool undefined = false;     ///< kMove
        Cycle due = 0;              ///< model: cycle in which it answers; RTL: unused
    };
    /// An answer of the RTL compared with that of the model.
    struct Comparison {
        std::optional<std::string> difference; ///< each field that differs, with both values
        std::optional<Cycle> due;              ///< cycle in which the model answers; empty: it does not
    };

    BcuReference(const BcuConfig &config, unsigned warps, unsigned ctas);

    /// Starts a warp, or records its exit, with effect in cycle `effect`.
    void start(const WarpStart &start, Cycle effect);
    void exit(WarpSlot warp, Cycle effect);
    /// Records an operation of `warp` that arrived in cycle `arrival` and was taken in cycle `taken`. The model serves
    /// operations in the order of `taken`, and computes when it would have answered if it had taken this one at
    /// `arrival`.
    void operation(WarpSlot warp, const isa::Instruction &insn, LaneMask pmask, LaneMask contribution,
                   const isa::NarrowVectorOperands &vectors, Cycle arrival, Cycle taken);
    /// Advances the model to the end of cycle `now`. Returns the warps whose operations were served.
    std::vector<WarpSlot> advance(Cycle now);

    /// Compares the RTL's answer for `warp`, taken in cycle `taken`, with the model's oldest one of that kind, and
    /// removes the latter.
    Comparison compare(WarpSlot warp, const Answer &there, Cycle taken);
    /// Describes the first answer that the model gives by cycle `due` and that was never taken.
    std::optional<std::string> missing(Cycle due) const;
    /// Compares the state words of a CTA's barriers. Returns nothing when they are equal.
    std::optional<std::string> difference(CtaSlot cta, const std::array<std::uint32_t, kBarriers> &there) const;

    /// Compares the WarpBarState of a warp. Returns nothing when they are equal, or when the warp has exited.
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

    /// The unit's room for answers of one kind that are served, but not taken by the end of the previous cycle.
    class Room {
      public:
        explicit Room(std::size_t places) : places_(places) {}
        void served() { ++filled_; }
        void taken(Cycle cycle) { taken_.push_back(cycle); }
        /// Whether no room is left in `cycle`; call with ascending cycles.
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
