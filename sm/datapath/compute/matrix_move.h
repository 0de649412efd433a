// LDSM, STSM and MOVM, without memory and time: matrices between the registers of a warp and their rows (tensor.md 1).
//
// LDSM and STSM travel as accesses of 16 bytes, each of them a row of a matrix, by the threads that have the addresses
// of the rows. Only here such a row becomes elements of all 32 threads, or they a row.
#pragma once

#include <array>
#include <cstdint>

#include "model/error.h"
#include "model/isa/instruction.h"
#include "model/types.h"
#include "sm/datapath/compute/registers.h"

namespace smsim::sm::compute {

/// The words of a row of 16 bytes, [word][lane], by the lane that has its address.
using RowWords = std::array<std::array<std::uint32_t, kLanes>, 4>;

/// The fault of a move of matrices that only `executed`, not all 32 threads of the warp, execute: MatrixDiverged.
FaultReport move_fault(LaneMask executed);

/// The threads that have the addresses of the rows of `insn`, LDSM or STSM.
LaneMask row_lanes(const isa::Instruction &insn);

/// LDSM: writes the matrices whose rows are `rows` to the registers at `insn.rd`.
void put_matrices(const isa::Instruction &insn, const RowWords &rows, WarpRegisters &registers);

/// STSM: reads the rows of the matrices that are in the registers at `insn.rb`; words of other lanes stay.
void take_matrices(const isa::Instruction &insn, const WarpRegisters &registers, RowWords &rows);

} // namespace smsim::sm::compute
