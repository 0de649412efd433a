// Blocks that do not know every instruction (`bru.rtl_operations`): what the model executes beside them, and which
// kernels need more than that.
#pragma once

#include <string>

#include "model/config/config.h"
#include "model/isa/instruction.h"
#include "model/program/program.h"

namespace smsim::cosim {

/// Whether `insn` of the branch unit changes nothing that a block holds, so that the model can execute it in its place:
/// LEPC, SYSCALL, BMOV from a B register.
bool only_reads(const isa::Instruction &insn);

/// What `kernel` needs and cannot have: control instructions that the branch unit's block does not claim and that
/// change its state, each mnemonic with its first place. Empty when the kernel can run. Code of other kernels of the
/// program does not count.
std::string unclaimed(const Config &config, const Program &program, const Kernel &kernel);

} // namespace smsim::cosim
