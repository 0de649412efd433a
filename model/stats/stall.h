// Where a warp's time goes: the states of the warp state machine and the reasons to which cycles are charged.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "model/types.h"

namespace smsim {

/// States of a resident warp in its IBuffer (sm.md Parts 1).
enum class WarpState : std::uint8_t {
    kEmpty,          ///< slot not in use
    kFetching,       ///< no instruction in the buffer
    kReady,          ///< could issue
    kStalled,        ///< counting down the stall field
    kWaitScoreboard, ///< a required scoreboard is not clear
    kWaitUnit,       ///< the unit does not accept
    kBranch,         ///< a control instruction is in the BRU
    kMemoryDrain,    ///< waiting until earlier memory operations are performed
    kBarrier,        ///< blocked at a CTA barrier
    kSleeping,       ///< all candidate threads asleep
    kExited,
};
inline constexpr unsigned kWarpStates = 11;

/// Reasons to which warp-cycles are charged, named as profilers name them (sm.md "What a run gives").
enum class StallReason : std::uint8_t {
    kSelected,         ///< issued an instruction in this cycle
    kNotSelected,      ///< could have issued, another warp was chosen
    kNoInstruction,    ///< instruction buffer empty
    kWait,             ///< fixed stall count
    kBranchResolve,    ///< control instruction in flight
    kBarrier,          ///< CTA barrier
    kSleeping,         ///< NANOSLEEP
    kShortScoreboard,  ///< result of shared memory, special function, conversion, barrier read
    kLongScoreboard,   ///< result of global or local memory
    kMathPipeThrottle, ///< execution pipe busy
    kMioThrottle,      ///< load/store queue full, for an instruction that does not access global or local memory; or a
                       ///< CTA barrier after accesses that have not left it
    kMembar,           ///< memory barrier
    kDispatch,         ///< BRU or BCU does not accept, or registers cannot be read fast enough
    kDrain,            ///< all threads have exited, and accesses hold the warp
    kImcMiss,          ///< constant operand not in its cache
    kLgThrottle,       ///< load/store queue full, for an access to global or local memory
};
inline constexpr unsigned kStallReasons = 16;

/// "long_scoreboard" and so on.
constexpr std::string_view stall_name(StallReason reason) {
    constexpr std::array<std::string_view, kStallReasons> kNames = {"selected",        "not_selected",
                                                                    "no_instruction",  "wait",
                                                                    "branch_resolve",  "barrier",
                                                                    "sleeping",        "short_scoreboard",
                                                                    "long_scoreboard", "math_pipe_throttle",
                                                                    "mio_throttle",    "membar",
                                                                    "dispatch",        "drain",
                                                                    "imc_miss",        "lg_throttle"};
    return kNames[static_cast<std::size_t>(reason)];
}

/// "WaitScoreboard" and so on.
constexpr std::string_view state_name(WarpState state) {
    constexpr std::array<std::string_view, kWarpStates> kNames = {"Empty",          "Fetching", "Ready",  "Stalled",
                                                                  "WaitScoreboard", "WaitUnit", "Branch", "MemoryDrain",
                                                                  "Barrier",        "Sleeping", "Exited"};
    return kNames[static_cast<std::size_t>(state)];
}

using StallCycles = std::array<Cycle, kStallReasons>;
using StateCycles = std::array<Cycle, kWarpStates>;

} // namespace smsim
