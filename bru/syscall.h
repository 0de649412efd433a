// SYSCALL: notifies the host. Plain C++.
#pragma once

#include <functional>

#include "model/isa/instruction.h"
#include "model/state/warp_life.h"
#include "model/types.h"

namespace smsim::bru {

/// The data of a SYSCALL for the host. References are valid during the call only.
struct Syscall {
    const WarpStart &warp;        ///< identity of the warp: slot, CTA, position
    const isa::Instruction &insn; ///< the SYSCALL
    LaneMask active;              ///< ActiveMask
    LaneMask executed;            ///< active threads whose guard is true; not empty
    Cycle cycle = 0;              ///< in which it is executed
};
/// Called on each SYSCALL that some thread executes; the warp continues afterwards.
using SyscallHandler = std::function<void(const Syscall &)>;
/// The default handler: writes a line to the log.
void log_syscall(const Syscall &call);

} // namespace smsim::bru
