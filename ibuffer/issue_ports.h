// What the issue stage needs from its surroundings; implemented by the SystemC shell, or by a test.
#pragma once

#include <cstdint>

#include "model/isa/instruction.h"
#include "model/state/warp_life.h"
#include "model/stats/fetch_cause.h"
#include "model/types.h"

namespace smsim::ibuffer {

/// Calls of one issue stage, all from within its `step`.
class IssuePorts {
  public:
    struct Fetched {
        const isa::Instruction *insn = nullptr; ///< null: no instruction at that address
        Cycle ready = 0;                        ///< cycle in which it is in the buffer; kNever: `fetched` follows
        std::uint64_t ticket = 0;               ///< identifies this fetch when the answer follows
        FetchCause cause = FetchCause::kFetch;  ///< where it is served from, as far as known
    };
    struct Issued {
        enum class Kind : std::uint8_t {
            kDone,      ///< everything is known: result at `result_at`
            kAccepted,  ///< the result follows by `answered`
            kQueueFull, ///< the same, and the unit accepts nothing before `unit_ready`
            kFault,     ///< the run ends; the port has reported it
        };
        Kind kind = Kind::kDone;
        Cycle result_at = 0;        ///< kDone
        std::uint32_t interval = 1; ///< cycles until the unit takes the next instruction
        Outcome outcome = Outcome::kContinue;
        Pc next_pc = 0;       ///< operations that may jump
        LaneMask next_active; ///< operations that may jump
        LaneMask executed;    ///< active lanes whose guard was true
    };

    virtual ~IssuePorts() = default;
    /// Fetches the instruction at `pc` for a warp of this sub-partition.
    virtual Fetched fetch(unsigned warp, Pc pc) = 0;
    /// Sends one instruction to the units.
    virtual Issued issue(unsigned warp, const isa::Instruction &insn, LaneMask active, std::uint64_t sequence) = 0;
    /// All threads of the warp have exited, its memory operations have their place in order, and every other answer has
    /// arrived: the warp counts as exited for barriers (bcu.md "BAR.SYNC, BAR.ARV, BAR.RED").
    virtual void exited(unsigned warp) = 0;
    /// After `exited`, possibly in the same cycle: its results are written too, so that its slot is free.
    /// `stores_left`: some of its stores are under way, and `performed` follows.
    virtual void ended(unsigned warp, bool stores_left) = 0;
    /// After `ended`: the stores that the warp of `start` left under way are performed at cycle `at`, which may be in
    /// the future.
    virtual void performed(const WarpStart &start, Cycle at) = 0;
    /// The warp would run past the end of the program (bru.md "Fine points": raised when it would be fetched).
    virtual void ran_past_end(unsigned warp, Pc pc, LaneMask active) = 0;
};

} // namespace smsim::ibuffer
