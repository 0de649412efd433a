// What a rule of the token stack gives back beside the changed state, and what a design may choose.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/state/warp_life.h"
#include "model/types.h"

namespace smsim::bru::token_stack {

/// The exceptions of this engine.
enum class Cause : std::uint8_t {
    kStackUnderflow,     ///< a token that must be there is not, or threads would never run again
    kTokenMismatch,      ///< a token is there, but not the one that the threads wait in
    kStackOverflow,      ///< no room for a token
    kIllegalTarget,      ///< a thread would leave the program, or go between two instructions
    kWarpSyncDiverged,   ///< a WARPSYNC names threads that do not execute it
    kWarpSyncMembership, ///< a thread executes a WARPSYNC that does not name it
};

/// Why an instruction cannot be executed. The state is as it was before it.
struct Violation {
    Cause cause = Cause::kStackUnderflow;
    std::string detail;      ///< a sentence with the values involved
    unsigned lane = 0;       ///< the lowest thread that it concerns
    std::uint64_t value = 0; ///< kIllegalTarget: the target, 64 bits
};

/// What an instruction did.
struct Effect {
    Outcome outcome = Outcome::kContinue; ///< or kExited
    LaneMask jumped;                      ///< branches and CAL: threads that jumped
    bool split = false;                   ///< the active threads went different ways
    bool resumed = false;                 ///< a token was popped and its threads go on
    bool limited = false;                 ///< CAL, PRET: the call limit was reached, nothing was called
    std::optional<Violation> violation;   ///< with it the rest has no meaning
};

/// Choices of a design (`bru.token_stack`).
struct Options {
    bool taken_first = false;        ///< of a divergence the group that falls through goes on last, not first
    std::uint32_t depth = 32;        ///< tokens that the stack holds
    bool spills = true;              ///< further ones go to memory; else they are StackOverflow
    std::uint32_t spill_cycles = 30; ///< for a token to memory, and for one back
    std::uint32_t call_limit = 0;    ///< most RET tokens, 0: any number
};

} // namespace smsim::bru::token_stack
