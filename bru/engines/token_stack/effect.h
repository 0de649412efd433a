// What a rule of the token stack gives back beside the changed state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bru/engines/token_stack/control_state.h"
#include "model/error.h"
#include "model/state/warp_life.h"
#include "model/types.h"

namespace smsim::bru::token_stack {

/// Why an instruction cannot be executed. The state is as it was before it.
struct Violation {
    Fault fault = Fault::kStackUnderflow;
    std::string detail;      ///< a sentence with the values involved
    unsigned lane = 0;       ///< the lowest thread that it concerns
    std::uint64_t value = 0; ///< IllegalTarget: the target, 64 bits
};

/// What an instruction did.
struct Effect {
    Outcome outcome = Outcome::kContinue; ///< or kExited
    LaneMask jumped;                      ///< branches and CAL: threads that jumped
    bool split = false;                   ///< branches and CAL: not all of the active threads go on
    std::optional<TokenKind> resumed;     ///< what has brought the threads back that go on now
    bool limited = false;                 ///< CAL, PRET: the call limit was reached, nothing was called
    std::optional<Violation> violation;   ///< with it the rest has no meaning
};

} // namespace smsim::bru::token_stack
