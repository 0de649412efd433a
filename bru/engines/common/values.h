// Operands that all engines read alike, and the format of masks and addresses in their reports.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "bru/reconvergence_engine.h"
#include "model/isa/instruction.h"
#include "model/types.h"

namespace smsim::bru {

/// The time of a NANOSLEEP: the shortest among the threads of `lanes`, in ns [D-11].
std::uint32_t sleep_time(const isa::Instruction &insn, const Operands &operands, LaneMask lanes);

/// Member mask of every thread: the operand ('~' applied to R, U and C) limited to `valid`.
std::array<LaneMask, kLanes> member_masks(const isa::Instruction &insn, const Operands &operands, LaneMask valid);

/// "0x0000000f" and "0x0040": the format of masks and addresses in reports.
std::string text_of(LaneMask mask);
std::string text_of_pc(Pc pc);

} // namespace smsim::bru
