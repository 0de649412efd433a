// What a rule of the token stack returns besides the changed state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bru/engines/token_stack/control_state.h"
#include "model/error.h"
#include "model/state/warp_life.h"
#include "model/types.h"

namespace smsim::bru::token_stack {

/// Why an instruction cannot be executed. The state is unchanged.
struct Violation {
    Fault fault = Fault::kStackUnderflow;
    std::string detail;      ///< a sentence with the values involved
    unsigned lane = 0;       ///< the lowest thread concerned
    std::uint64_t value = 0; ///< IllegalTarget: the target, 64 bits
};

/// What an instruction did.
struct Effect {
    Outcome outcome = Outcome::kContinue; ///< or kExited
    LaneMask jumped;                      ///< branches and CAL: threads that jumped
    bool split = false;                   ///< branches and CAL: not all of the active threads continue
    std::optional<TokenKind> resumed;     ///< the token that resumed the threads that continue now
    bool limited = false;                 ///< CAL, PRET: the call limit was reached, nothing was called
    std::optional<Violation> violation;   ///< if set, the rest is meaningless
};

} // namespace smsim::bru::token_stack
