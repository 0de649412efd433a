// Calls of functions and their limit (engines.md token_stack, CAL, PRET).
#pragma once

#include <cstdint>

#include "bru/engines/token_stack/branches.h"
#include "bru/engines/token_stack/control_state.h"
#include "bru/engines/token_stack/effect.h"

namespace smsim::bru::token_stack {

/// Whether as many RET tokens are on the stack as `call_limit` allows; 0 allows any number.
bool at_call_limit(const ControlState &state, std::uint32_t call_limit);

/// CAL: pushes a RET token that holds all active threads, and those of `callers` jump, one group per target; the others
/// wait in the token [E-7]. At the call limit nothing is called [E-9]. LMT does not change. Violations: IllegalTarget,
/// StackOverflow.
Effect call(ControlState &state, LaneMask callers, const Targets &targets, Pc program_bytes,
            const TokenStackConfig &config);

/// PRET: pushes a RET token that holds the active threads, with the return address `end`, and clears LMT; at the call
/// limit it sets LMT and pushes nothing. Violations as for `open_region`.
Effect prepare_return(ControlState &state, std::int64_t end, Pc program_bytes, const TokenStackConfig &config);

} // namespace smsim::bru::token_stack
