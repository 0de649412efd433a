// Blocks that do not implement every instruction (`bru.rtl_operations`): what the model executes in their place, and
// which kernels need more than that.
#pragma once

#include <string>

#include "model/isa/instruction.h"
#include "model/program/program.h"

namespace smsim {
struct Config;
}

namespace smsim::cosim {

/// Whether `insn` of the branch unit changes nothing that a block holds, so that the model can execute it in its place:
/// LEPC, SYSCALL, BMOV from a B register.
bool only_reads(const isa::Instruction &insn);

/// The instructions that `kernel` needs but cannot have: control instructions that the branch unit's block does not
/// claim and that change its state, each mnemonic with its first place. Empty when the kernel can run. Code of other
/// kernels in the program does not count.
std::string unclaimed(const Config &config, const Program &program, const Kernel &kernel);

} // namespace smsim::cosim
