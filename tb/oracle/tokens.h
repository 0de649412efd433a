// The control instructions of the engine token_stack as one thread sees them: each thread has a stack of its own, which
// holds what its warp's stack holds for it. A divergence is of several threads, so no token DIV is ever pushed.
#pragma once

#include "tb/oracle/machine.h"

namespace smsim::oracle {

/// SSY, PBK, PCNT, PRET push; SYNC, BRK, CONT, RET leave for the place in a token (engines.md "Leaving").
void execute_region(Machine &machine, std::uint32_t thread, const Step &step, bool executes);

/// Byte address that BRA, BRX, JMP, JMX or CAL of token_stack leads the thread to, before it is judged.
std::int64_t token_target(const Step &step, const std::uint32_t *row);

/// CAL: pushes where to go on behind it. False at the call limit: the instruction is not executed [E-9].
bool enter_call(Machine &machine, std::uint32_t thread);

} // namespace smsim::oracle
