// Jumps and traps: of a single thread, and of a set of threads that branch together (bru.md Branches, TRAP).
#pragma once

#include "tb/oracle/machine.h"

namespace smsim::oracle {

/// BRA without condition, BRX, CALL, RET, VBEQ and similar, and the jumps of token_stack without .U, by one thread.
void jump(Machine &machine, std::uint32_t thread, const Step &step, bool executes);

/// BRA.U, BRA.DIV, BRA.CONV, JMP.U by a thread that is not known to be together with others: any outcome that some
/// state of the warp allows.
void branch_alone(Machine &machine, std::uint32_t thread, const Step &step, bool executes);

/// BRA.U, BRA.DIV, BRA.CONV, JMP.U by the active threads `members`; what depends on threads outside is drawn at
/// random, the same for all members.
void branch_together(Machine &machine, std::uint32_t warp, std::uint32_t members, std::uint32_t executing,
                     const Step &step);

/// Whether TRAP waits for the set: with a guard, one thread with a true guard takes all active threads along.
bool trap_needs_set(const Machine &machine, std::uint32_t thread, const Step &step);

/// TRAP or RTT by one thread; without a known set, a thread whose guard is false may be taken along.
void trap_alone(Machine &machine, std::uint32_t thread, const Step &step, bool executes);

/// TRAP by the active threads `members`.
void trap_together(Machine &machine, std::uint32_t warp, std::uint32_t members, std::uint32_t executing);

} // namespace smsim::oracle
