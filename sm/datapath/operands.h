// The way of operands and results between a warp's registers and the units outside the datapath, without SystemC. What
// is read and written follows the description of the operation; no operation is known here by its number.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "model/error.h"
#include "model/isa/instruction.h"
#include "model/isa/operands.h"
#include "model/state/constant_banks.h"
#include "model/types.h"
#include "sm/datapath/compute/registers.h"

namespace smsim::sm {

/// What a control instruction reads (BRU): vector operands and the scalar one, pairs where the description says so.
/// Returns the fault of a constant that lies outside its bank (IllegalAddress).
std::optional<FaultReport> read_operands(const isa::Instruction &insn, const compute::WarpRegisters &registers,
                                         const ConstantBanks &banks, isa::VectorOperands &vectors,
                                         std::uint64_t &scalar);
/// What a barrier instruction reads (BCU): vector operands of single registers.
void read_operands(const isa::Instruction &insn, const compute::WarpRegisters &registers,
                   isa::NarrowVectorOperands &vectors);
/// Writes `value` to the general register or pair that `insn` has as destination, in `lanes`; an instruction without
/// one writes none.
void write_result(const isa::Instruction &insn, compute::WarpRegisters &registers, LaneMask lanes, std::uint64_t value);
/// Writes `value` to the predicate that `insn` has as destination, in `lanes`; an instruction without one writes none.
void write_predicate(const isa::Instruction &insn, compute::WarpRegisters &registers, LaneMask lanes, bool value);

/// Registers of a memory instruction, [word][lane].
using Words = std::array<std::array<std::uint32_t, kLanes>, 4>;
/// Byte address of each lane in the instruction's space: 64 bits for global memory, 32 bits elsewhere; the sum wraps.
/// Of form U it is the same in all lanes.
void read_addresses(const isa::Instruction &insn, const compute::WarpRegisters &registers,
                    std::array<std::uint64_t, kLanes> &address);
/// Data that a store or atomic brings, and the value that a compare-and-swap compares with: of two vector operands the
/// first is compared, the last is the data.
void read_store_data(const isa::Instruction &insn, const compute::WarpRegisters &registers, Words &data,
                     std::array<std::array<std::uint32_t, kLanes>, 2> &compare);
/// Writes loaded `data` to the destination of `insn`, in `lanes`.
void write_loaded(const isa::Instruction &insn, compute::WarpRegisters &registers, LaneMask lanes, const Words &data);

} // namespace smsim::sm
