// What happens inside the parts while a kernel runs, for timelines and waveforms: each kind of event is a plain
// structure, and an observer implements one function.
//
// A part holds a pointer to its observer, null by default: an unobserved run pays one branch per possible event.
// sm/execution_observer.h reports what instructions compute, with registers and control state; this interface reports
// when things happen, and why.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "model/isa/instruction.h"
#include "model/isa/isa.h"
#include "model/state/warp_life.h"
#include "model/stats/level_stats.h"
#include "model/stats/release_kind.h"
#include "model/stats/stall.h"
#include "model/stats/utilisation.h"
#include "model/types.h"

namespace smsim::observation {

// Every event begins with the cycle in which it takes effect, and the warp slot that it concerns.

/// A warp starts: from `at` on it is in state Fetching, charged as no_instruction.
struct WarpStarted {
    Cycle at = 0;
    SmId sm;
    WarpSlot warp;
    CtaSlot cta;
    std::uint64_t cta_number = 0; ///< linear, in the grid
    std::uint32_t warp_in_cta = 0;
    LaneMask valid;
    Pc entry = 0;
    std::uint64_t age = 0; ///< number of the warp in the order of their starts
    std::uint32_t warps_in_cta = 1;
};
/// All threads of the warp have exited and its results are written; some of its stores may be under way.
struct WarpEnded {
    Cycle at = 0;
    WarpSlot warp;
};
/// From `at` on the warp's cycles are charged like this. The last event of a cycle counts.
struct StateChanged {
    Cycle at = 0;
    WarpSlot warp;
    WarpState state = WarpState::kEmpty;
    StallReason reason = StallReason::kNoInstruction;
    Pc pc = 0; ///< the instruction that the cycles are charged to
    /// For a wait at a scoreboard: the scoreboard and the instruction that holds it; isa::kNoScoreboard: no such wait.
    std::uint8_t scoreboard = isa::kNoScoreboard;
    Pc producer = 0;
};

/// The instruction buffer requests the instruction at `pc`. `ticket` identifies this fetch within its sub-partition.
struct FetchStarted {
    Cycle at = 0;
    WarpSlot warp;
    std::uint64_t ticket = 0;
    Pc pc = 0;
};
/// It is in the buffer. Also reported for a fetch that was discarded meanwhile.
struct FetchEnded {
    Cycle at = 0;
    WarpSlot warp;
    std::uint64_t ticket = 0;
};
/// The warp jumped away: the instruction, or the fetch under way, is dropped.
struct FetchDiscarded {
    Cycle at = 0;
    WarpSlot warp;
    std::uint64_t ticket = 0;
};
/// The instruction leaves the buffer for its unit.
struct InstructionIssued {
    Cycle at = 0;
    WarpSlot warp;
    std::uint64_t ticket = 0;
    std::uint64_t sequence = 0; ///< warp instructions that this warp has issued before
    Pc pc = 0;
    LaneMask active;
    LaneMask executed; ///< active lanes whose guard was true
};
/// The result of instruction `sequence` of the warp that started as number `age` is there. `blocked`: it waits at a CTA
/// barrier, and ends with the BarrierReleased of its warp. For a store, the slot may have another warp by then.
struct InstructionCompleted {
    Cycle at = 0;
    WarpSlot warp;
    std::uint64_t sequence = 0;
    bool blocked = false;
    std::uint64_t age = 0;
};

enum class MemorySpace : std::uint8_t { kShared, kGlobal, kLocal };
/// A memory instruction has reached the queue of the load/store unit. `number` counts those of its sub-partition.
struct AccessQueued {
    Cycle at = 0;
    WarpSlot warp;
    std::uint64_t number = 0;
    Pc pc = 0;
    LaneMask lanes;
};
/// The unit has taken it from the queue and sent its transactions.
struct AccessStarted {
    Cycle at = 0;
    WarpSlot warp;
    std::uint64_t number = 0;
    Pc pc = 0;
    MemorySpace space = MemorySpace::kShared;
    std::uint32_t transactions = 0;
};
/// Its last transaction is answered: the data is back, or the stores are performed.
struct AccessPerformed {
    Cycle at = 0;
    WarpSlot warp;
    std::uint64_t number = 0;
};

/// The result of a BSYNC or WARPSYNC.
enum class SyncResult : std::uint8_t { kNone, kPassed, kSwitched };
/// The branch unit executes a control instruction in the cycles `at` to `until` - 1.
struct ControlExecuted {
    Cycle at = 0;
    WarpSlot warp;
    Outcome outcome = Outcome::kContinue;
    SyncResult sync = SyncResult::kNone; ///< kNone: no sync
    bool split = false;                  ///< the active threads went different ways
    isa::Op op = isa::Op::kNop;
    Pc pc = 0;
    Cycle until = 0;
    LaneMask active;
    LaneMask jumped; ///< threads that jumped (branches)
    LaneMask next_active;
    Pc next_pc = 0;
    std::optional<ReleaseKind> release{}; ///< BSYNC that passed: which threads it releases, and why
    std::optional<LevelName> measured{};  ///< the part of the warp's control state whose size is `level` from now on
    std::uint64_t level = 0;
};
/// The active threads of a warp have diverged at a branch. `sequence` (of the branch) identifies the divergence within
/// the warp.
struct Diverged {
    Cycle at = 0;
    WarpSlot warp;
    std::uint64_t sequence = 0;
    Pc pc = 0;
    LaneMask stayed; ///< threads that continue at once
    LaneMask left;
};
/// A divergence is over: threads of both sides have passed a sync together (`reconverged`), or one side has exited, or
/// both have met in another way.
struct DivergenceEnded {
    Cycle at = 0;
    WarpSlot warp;
    std::uint64_t sequence = 0;
    bool reconverged = false;
};

/// The state of a CTA barrier has changed: a warp has arrived, or R2B has restored it (`restored`).
struct BarrierChanged {
    Cycle at = 0;
    WarpSlot warp; ///< the warp that changed it
    CtaSlot cta;
    BarrierId barrier;
    std::uint32_t arrived = 0;  ///< warps, including this one
    std::uint32_t expected = 0; ///< warps; 0: all that are alive
    bool blocks = false;        ///< the warp waits
    bool restored = false;
    std::uint32_t word = 0; ///< the state word (bcu.md B-1); for a barrier that completes now, the last one before
};
/// A CTA barrier completes, by the arrival or the exit of `warp`.
struct BarrierCompleted {
    Cycle at = 0;
    WarpSlot warp;
    CtaSlot cta;
    BarrierId barrier;
};
/// The barrier lets `warp` continue from cycle `resumes`; `last` was the last one. Not reported for `last` itself.
struct BarrierReleased {
    Cycle at = 0;
    WarpSlot warp;
    WarpSlot last;
    BarrierId barrier;
    Cycle resumes = 0;
    bool by_exit = false; ///< `last` did not arrive but exited
};

/// The sleep timer of the warp is started: it expires in cycle `expires` at the earliest.
struct TimerStarted {
    Cycle at = 0;
    WarpSlot warp;
    Cycle expires = 0;
};
struct TimerExpired {
    Cycle at = 0;
    WarpSlot warp;
};
/// No thread of the warp is awake: it sleeps until WarpWoken.
struct WarpSlept {
    Cycle at = 0;
    WarpSlot warp;
};
struct WarpWoken {
    Cycle at = 0;
    WarpSlot warp;
};

/// In the order in which to read events of one warp and one cycle.
using Event = std::variant<WarpStarted, StateChanged, FetchStarted, FetchEnded, FetchDiscarded, InstructionIssued,
                           InstructionCompleted, AccessQueued, AccessStarted, AccessPerformed, ControlExecuted,
                           Diverged, DivergenceEnded, BarrierChanged, BarrierCompleted, BarrierReleased, TimerStarted,
                           TimerExpired, WarpSlept, WarpWoken, WarpEnded>;

/// Cycle in which `event` takes effect.
inline Cycle at(const Event &event) {
    return std::visit([](const auto &e) { return e.at; }, event);
}
/// Warp slot that `event` concerns.
inline WarpSlot warp_of(const Event &event) {
    return std::visit([](const auto &e) { return e.warp; }, event);
}

class Observer {
  public:
    virtual ~Observer() = default;
    /// `event` became known in cycle `now` and takes effect in this cycle or later. Within one cycle the order of calls
    /// is that in which the parts happen to run; an observer whose output must not depend on that sorts them
    /// (views/timeline/event_order.h).
    virtual void observe(Cycle now, const Event &event) = 0;
    /// A launch that began in cycle `begin` and took `cycles` has ended: how much of each unit was in use, by intervals
    /// that count from `begin`. A session calls it on the observer that it was given, before `end`.
    virtual void used(Cycle begin, Cycle cycles, const UnitUses &units) {
        static_cast<void>(begin);
        static_cast<void>(cycles);
        static_cast<void>(units);
    }
    /// The run has ended; what takes effect after cycle `end` never happens. Called once, also after an exception.
    virtual void end(Cycle end) { static_cast<void>(end); }
};

} // namespace smsim::observation
