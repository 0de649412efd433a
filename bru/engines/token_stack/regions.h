// Regions: SSY, PBK, PCNT open one, SYNC, BRK, CONT, RET leave one, EXIT leaves them all (engines.md token_stack).
#pragma once

#include "bru/engines/token_stack/control_state.h"
#include "bru/engines/token_stack/effect.h"
#include "model/config/sections/bru.h"

namespace smsim::bru::token_stack {

/// SSY, PBK, PCNT (`kind`): pushes a token that holds the active threads, which meet again at `end`. Violations:
/// IllegalTarget when `end` is no instruction of the program, StackOverflow.
Effect open_region(ControlState &state, TokenKind kind, std::int64_t end, Pc program_bytes,
                   const TokenStackConfig &config);

/// SYNC: `leavers` wait for the other threads of their SSY. Violations: StackUnderflow with an empty stack;
/// TokenMismatch unless the topmost token other than DIV is a SYNC that holds them [E-8].
Effect sync(ControlState &state, LaneMask leavers);

/// BRK, CONT, RET (`kind`): `leavers` go to the topmost token of that kind, out of all tokens above it. Violations:
/// StackUnderflow without one; TokenMismatch when it does not hold them, or a BRK or CONT would leave a function.
Effect leave_region(ControlState &state, TokenKind kind, LaneMask leavers);

/// EXIT: `leavers` exit. Violation: StackUnderflow when no thread continues although threads are left.
Effect exit_threads(ControlState &state, LaneMask leavers);

} // namespace smsim::bru::token_stack
