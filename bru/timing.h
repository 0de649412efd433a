// How long control instructions take: the class of an operation with its timing values.
#pragma once

#include <cstdint>

#include "model/config/sections/bru.h"
#include "model/isa/instruction.h"
#include "model/types.h"

namespace smsim::bru {

/// Cycles of one instruction class.
struct ClassTiming {
    std::uint32_t latency = 1;  ///< start in the pipeline to result
    std::uint32_t interval = 1; ///< cycles before the pipeline starts the next
};

/// Class and timing values of an instruction (`bru.*_latency`, `bru.*_interval`): branch for BRA, BRX, CALL, RET, EXIT,
/// RTT, TRAP, SYSCALL, VBEQ and its like, ENDPRG, JMP, JMX, CAL, BRK and CONT; barrier for BSSY, BREAK, LEPC, SETRPC,
/// SSY, PBK, PCNT, PRET and BMOV to a B register; sync for BSYNC, WARPSYNC, JOIN and SYNC; yield for YIELD and
/// NANOSLEEP; move for BMOV from a B register.
ClassTiming timing_of(const BruConfig &config, const isa::Instruction &insn);

} // namespace smsim::bru
