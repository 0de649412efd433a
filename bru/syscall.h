// What becomes of SYSCALL: the host is told. Plain C++.
#pragma once

#include <functional>

#include "model/isa/instruction.h"
#include "model/state/warp_life.h"
#include "model/types.h"

namespace smsim::bru {

/// What the host is told of a SYSCALL. References hold during the call only.
struct Syscall {
    const WarpStart &warp;        ///< identity of the warp: slot, CTA, position
    const isa::Instruction &insn; ///< the SYSCALL
    LaneMask active;              ///< ActiveMask
    LaneMask executed;            ///< active threads whose guard is true; not empty
    Cycle cycle = 0;              ///< in which it is executed
};
/// Called on each SYSCALL that some thread executes; the warp goes on afterwards.
using SyscallHandler = std::function<void(const Syscall &)>;
/// The handler where none is given: a line in the log.
void log_syscall(const Syscall &call);

} // namespace smsim::bru
