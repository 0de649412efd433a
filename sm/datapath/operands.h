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
#include "model/state/memory_request.h"
#include "model/state/warp_life.h"
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
/// What decides in which lanes a control instruction is executed: its guard and its second guard or condition test.
struct BranchGuards {
    LaneMask first;
    LaneMask second;
};
BranchGuards branch_guards(const isa::Instruction &insn, const compute::WarpRegisters &registers);
/// A guard as it is where all of `active` (not empty) do as the lowest of them does (`ideal.branches`).
LaneMask as_lowest(LaneMask active, LaneMask guard);
/// Likewise what a jump reads: targets and comparisons of registers. Masks that WARPSYNC waits for stay as they are.
void as_lowest(const isa::Instruction &insn, LaneMask active, isa::VectorOperands &vectors);
/// The fault of `insn`, if it arrives at a CTA barrier with the threads `executed` of a warp whose branch unit says
/// `refusal` about arrivals.
std::optional<FaultReport> arrival_fault(const isa::Instruction &insn, LaneMask executed,
                                         const std::optional<ArrivalRefusal> &refusal);
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
/// All that a load, store or atomic of `lanes` (not empty) brings to the load/store unit. `local_slot` is the number of
/// the warp's window among those of local memory. Of `request` only what the instruction needs is set.
void read_access(const isa::Instruction &insn, LaneMask lanes, const compute::WarpRegisters &registers,
                 const WarpStart &start, std::uint64_t local_slot, MemoryRequest &request);
/// Writes loaded `data` to the destination of `insn`, in `lanes`.
void write_loaded(const isa::Instruction &insn, compute::WarpRegisters &registers, LaneMask lanes, const Words &data);

} // namespace smsim::sm
