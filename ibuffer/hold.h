// What holds a running warp in a cycle: the one place that says so, for the cycle that is evaluated and for a later one
// that is foreseen.
#pragma once

#include <cstdint>

#include "ibuffer/fetch_buffers.h"
#include "ibuffer/warp.h"
#include "model/isa/instruction.h"
#include "model/stats/stall.h"

namespace smsim::ibuffer {

/// The first thing that holds a warp, in the order of docs/architecture.md "State machine of a warp", and its charge.
struct Hold {
    enum class Kind : std::uint8_t {
        kStall,       ///< the stall count of the last instruction
        kInstruction, ///< the next instruction is not in the buffer
        kPastEnd,     ///< there is none: the warp has run past the end of the program
        kScoreboard,  ///< a result, or sources that are not read
        kFence,       ///< earlier accesses, for a fence
        kPlace,       ///< the order of memory, for an arrival or MEMBAR.CTA
        kConstant,    ///< the constant operand
        kNothing,     ///< the warp applies for the latch of its instruction, which decides the charge
    };
    Kind kind;
    Charge charge;
    unsigned scoreboard = isa::kNoScoreboard; ///< kScoreboard: the one that counts
};

/// The hold of a constant operand that is not there.
constexpr Hold kConstantHold{Hold::Kind::kConstant, {WarpState::kWaitUnit, StallReason::kImcMiss, false}};

/// How long after its issue an instruction that is ordered after the warp's earlier accesses takes effect; by then they
/// have their places in the order of memory. Cycles.
struct PlaceLead {
    Cycle arrival = 0; ///< until it reaches the barrier (timing.md 8)
    Cycle fence = 0;   ///< until MEMBAR.CTA lets its warp go on (timing.md 11)

    Cycle of(const isa::Instruction &insn) const { return insn.spec().has(isa::kFence) ? fence : arrival; }
};

/// What holds `warp`, which runs, in cycle `at`. `head`: its next instruction, null when the buffer is empty. Correct
/// for a later cycle than the present one as far as no message changes the warp before it; releases of scoreboards
/// count when `Scoreboards::advance` has applied them.
[[gnu::always_inline]] inline Hold hold_of(const Warp &warp, const FetchBuffers::Entry *head, Cycle at,
                                           const PlaceLead &lead) {
    using Kind = Hold::Kind;
    if (at < warp.stall_until) {
        return {Kind::kStall, {WarpState::kStalled, StallReason::kWait, false}};
    }
    if (head == nullptr || head->ready > at) { // for a while after a jump that is the price of the jump
        return at < warp.redirected_until
                   ? Hold{Kind::kInstruction, {WarpState::kBranch, StallReason::kBranchResolve, false}}
                   : Hold{Kind::kInstruction, {WarpState::kFetching, StallReason::kNoInstruction, false}};
    }
    if (head->insn == nullptr) [[unlikely]] {
        return {Kind::kPastEnd, {WarpState::kExited, StallReason::kNoInstruction, false}};
    }
    const isa::Instruction &insn = *head->insn;
    if (insn.req != 0) {
        const auto [wait, scoreboard] = warp.scoreboards.waits_at(insn.req, at);
        if (wait != Scoreboards::Wait::kNone) {
            const bool is_long = wait == Scoreboards::Wait::kLong;
            const StallReason reason = is_long ? StallReason::kLongScoreboard : StallReason::kShortScoreboard;
            return {Kind::kScoreboard, {WarpState::kWaitScoreboard, reason, is_long}, scoreboard};
        }
    }
    if (warp.scoreboards.outstanding_memory() != 0 && insn.spec().has(isa::kFence)) {
        // Within the CTA the order of memory is enough.
        if (static_cast<isa::Scope>(insn.mod[0]) != isa::Scope::kCta) {
            return {Kind::kFence, {WarpState::kMemoryDrain, StallReason::kMembar, true}};
        }
        if (!warp.may_arrive(at, lead.fence)) {
            return {Kind::kPlace, {WarpState::kMemoryDrain, StallReason::kMembar, true}};
        }
    }
    // An arrival is ordered after the warp's earlier accesses; it does not wait for their effects (bcu.md "Memory
    // order"). Places count when it reaches the barrier.
    if (!warp.may_arrive(at, lead.arrival) && isa::waits_at_barrier(insn)) {
        return {Kind::kPlace, {WarpState::kWaitUnit, StallReason::kMioThrottle, false}};
    }
    if (at < warp.constant_at) [[unlikely]] {
        return kConstantHold;
    }
    return {Kind::kNothing, {WarpState::kReady, StallReason::kNotSelected, false}};
}

} // namespace smsim::ibuffer
