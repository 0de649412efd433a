// The control instructions of the engine token_stack as one thread sees them: each thread has its own stack, which
// holds what its warp's stack holds for it. A divergence involves several threads, so no DIV token is ever pushed.
#pragma once

#include "tb/oracle/machine.h"

namespace smsim::oracle {

/// SSY, PBK, PCNT, PRET push; SYNC, BRK, CONT, RET jump to the place in a token (engines.md "Leaving").
void execute_region(Machine &machine, std::uint32_t thread, const Step &step, bool executes);

/// Byte address that BRA, BRX, JMP, JMX or CAL of token_stack leads the thread to, before it is checked.
std::int64_t token_target(const Step &step, const std::uint32_t *row);

/// CAL: pushes the address after it. False at the call limit: the instruction is not executed [E-9].
bool enter_call(Machine &machine, std::uint32_t thread);

} // namespace smsim::oracle
