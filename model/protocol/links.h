// The internal links of the SM: for each its protocol traits, its payload type, and the one extension that its payloads
// contain.
//
// Common rules:
// - Non-blocking only. A request is BEGIN_REQ on the forward path. The target answers on the call with TLM_COMPLETED
//   (everything is known: the delay is the latency from now to the result), or with TLM_UPDATED and END_REQ (accepted,
//   the result follows), or with TLM_ACCEPTED (accepted, but its queue is now full: END_REQ follows on the backward
//   path, and the initiator sends nothing more to that unit before). The result follows as BEGIN_RESP on the backward
//   path, answered with TLM_COMPLETED.
// - Delays are annotated and kept; every message from one part to another takes effect at the annotated time, which is
//   at least one cycle later. A part therefore never depends on the order of processes within one time step.
// - The response status is OK, or GENERIC_ERROR with `fault` filled in.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/error.h"
#include "model/isa/instruction.h"
#include "model/isa/operands.h"
#include "model/protocol/payload_pool.h"
#include "model/protocol/socket.h"
#include "model/state/cache_answer.h"
#include "model/state/memory_request.h"
#include "model/state/warp_life.h"
#include "model/types.h"

namespace smsim::protocol {

using smsim::MemoryRequest;
using smsim::Outcome;
using smsim::WarpStart;

// --- issue: IBuffer -> datapath ------------------------------------------------------------------------------------

using IssueLink = Link<struct IssueExtension>;
using IssuePayload = LinkPayload<IssueExtension>;

/// One warp instruction on its way from the issue stage to the units.
struct IssueExtension final : PooledExtension<IssueExtension> {
    // request
    WarpSlot warp;
    std::uint64_t age = 0; ///< of the warp (WarpStart): when a store is answered, its slot may have another one
    const isa::Instruction *insn = nullptr;
    LaneMask active;
    std::uint64_t sequence = 0; ///< warp instructions that this warp has issued before
    Cycle issued = 0;           ///< cycle of the request; kept while the answer is awaited
    bool placed = false;        ///< PLACED has been received; for the initiator only
    bool asks_cache = false;    ///< for loads from global or local memory: `found` is wanted
    // response
    std::uint32_t interval = 1; ///< cycles until the unit takes the next instruction of this sub-partition
    Outcome outcome = Outcome::kContinue;
    Pc next_pc = 0;       ///< valid for operations with kMayJump
    LaneMask next_active; ///< valid for operations with kMayJump
    LaneMask executed;    ///< active lanes whose guard was true
    Cycle placed_at = 0;  ///< with the answer of a memory instruction: when it had its place in the order of memory
    CacheAnswer found;    ///< with the answer, if `asks_cache`: what the L1 had of the data
    FaultReport fault;
};

/// Extended phase on the issue and load/store links: the unit has read its sources (`rsb` may be released).
DECLARE_EXTENDED_PHASE(SOURCES_READ);
/// Extended phase on the issue and load/store links: the access has its place in the order of memory, and everything
/// started from now on follows it. An answer sent before or without this phase implies it.
DECLARE_EXTENDED_PHASE(PLACED);

// --- branch: datapath -> BRU ---------------------------------------------------------------------------------------

using BranchLink = Link<struct BranchExtension>;
using BranchPayload = LinkPayload<BranchExtension>;

/// A control instruction with its operands (bru.md). Operands are given for all 32 lanes, because threads that are at a
/// WARPSYNC without executing it count with their present register values (bru.md "Fine points").
struct BranchExtension final : PooledExtension<BranchExtension> {
    // request
    WarpSlot warp;
    const isa::Instruction *insn = nullptr;
    LaneMask guard;                ///< guard(Pg) of every lane, negation applied
    LaneMask guard_pp;             ///< guard(Pp) or condition test of every lane, negation applied
    isa::VectorOperands vectors{}; ///< those that the operation reads (model/isa/operands.h); the others are arbitrary
    std::uint64_t scalar = 0;      ///< uniform or constant operand, zero-extended; '~' not yet applied
    std::uint64_t sequence = 0;    ///< warp instructions that this warp has issued before this one
    IssuePayload *upstream = nullptr; ///< the issue payload this belongs to; for the initiator only
    // response
    std::uint32_t interval = 1;
    Outcome outcome = Outcome::kContinue;
    Pc next_pc = 0;
    LaneMask next_active;
    LaneMask write_lanes; ///< lanes whose destination takes `value`
    std::uint64_t value = 0;
    std::optional<ArrivalRefusal> refuses_arrivals; ///< until the warp's next answer: why it may not arrive at a
                                                    ///< barrier
    FaultReport fault;
};

// --- barrier: datapath -> BCU --------------------------------------------------------------------------------------

using BarrierLink = Link<struct BarrierExtension>;
using BarrierPayload = LinkPayload<BarrierExtension>;

/// A CTA-barrier instruction with its operands (bcu.md).
struct BarrierExtension final : PooledExtension<BarrierExtension> {
    // request
    WarpSlot warp;
    const isa::Instruction *insn = nullptr;
    LaneMask pmask;                      ///< active threads whose guard is true
    LaneMask contribution;               ///< pp of every lane, negation applied (BAR.RED)
    isa::NarrowVectorOperands vectors{}; ///< those that the operation reads (model/isa/operands.h)
    IssuePayload *upstream = nullptr;    ///< the issue payload this belongs to; for the initiator only
    // response
    Outcome outcome = Outcome::kContinue;
    std::uint32_t value = 0; ///< B2R, B2R.RESULT: rd of the lanes of pmask
    bool predicate = false;  ///< B2R.RESULT: pu of the lanes of pmask
    bool writes = false;     ///< value and predicate must be written
    FaultReport fault;
};

// --- load/store: datapath -> load/store unit -----------------------------------------------------------------------

using LoadStoreLink = Link<struct LoadStoreExtension>;
using LoadStorePayload = LinkPayload<LoadStoreExtension>;

/// A memory instruction of a warp, sent to the load/store unit and back.
struct LoadStoreExtension final : PooledExtension<LoadStoreExtension>, MemoryRequest {
    IssuePayload *upstream = nullptr; ///< the issue payload this belongs to
    CacheAnswer *found = nullptr;     ///< if not null: to be filled in with what the L1 had of the data
    // response
    Cycle placed = 0; ///< when the access has its place in the order of memory; valid with PLACED and with the answer
    FaultReport fault;
};

// --- timer: BRU -> sleep timer, and its expiry back ----------------------------------------------------------------

using TimerLink = Link<struct TimerExtension>;
using TimerPayload = LinkPayload<TimerExtension>;

/// Request: let the warp's timer expire at the earlier of its present expiry and now + `cycles` (bru.md NANOSLEEP).
/// On the expiry link: the timer of `warp` has expired. Completed on the call.
struct TimerExtension final : PooledExtension<TimerExtension> {
    WarpSlot warp;
    Cycle cycles = 0;
};

// --- wake: BCU -> IBuffer, BRU -> IBuffer --------------------------------------------------------------------------

using WakeLink = Link<struct WakeExtension>;
using WakePayload = LinkPayload<WakeExtension>;

/// A blocked or sleeping warp may continue after the annotated delay. Completed on the call.
struct WakeExtension final : PooledExtension<WakeExtension> {
    WarpSlot warp;
};

// --- lifecycle: CTA dispatch -> parts, IBuffer -> CTA dispatch -----------------------------------------------------

using LifecycleLink = Link<struct LifecycleExtension>;
using LifecyclePayload = LinkPayload<LifecycleExtension>;

/// The instruction that has raised an exception, as its IBuffer knows it.
struct RaisedAt {
    const isa::Instruction *insn = nullptr; ///< null: there is no instruction at `pc`
    Pc pc = 0;
    LaneMask active;                ///< ActiveMask before it
    LaneMask executed;              ///< those whose guard was true; `active` where there is no instruction
    Cycle issued = 0;               ///< earlier than the exception if that was found after the issue
    std::uint64_t issued_since = 0; ///< instructions that the warp has issued since
};

/// Start and end of warps; completed on the call.
struct LifecycleExtension final : PooledExtension<LifecycleExtension> {
    enum class Kind : std::uint8_t {
        kWarpStart,  ///< dispatch -> all parts: `start` is valid
        kWarpExited, ///< IBuffer -> dispatch -> BCU: all threads of `warp` have executed EXIT, its accesses have their
                     ///< place in the order of memory
        kWarpEnded, ///< IBuffer -> dispatch -> datapath, timer: its results are written too; `stores_left` says whether
                    ///< some of its stores are under way
        kWarpPerformed, ///< IBuffer -> dispatch: the stores that the warp of `start` left under way are performed
        kFault,         ///< IBuffer -> dispatch: the run ends with `fault` of `warp`, which `raised` describes
    };
    Kind kind = Kind::kWarpStart;
    bool stores_left = false;
    WarpStart start;
    WarpSlot warp;
    CtaSlot cta;
    RaisedAt raised;
    FaultReport fault;
};

} // namespace smsim::protocol
