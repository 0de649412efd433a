// Moves operands and results between a warp's registers and the units outside the datapath, without SystemC. The
// description of the operation says what is read and written; the code here knows no individual operation.
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

/// Reads the operands of a control instruction (BRU): vector operands and the scalar one, pairs where the description
/// says so. Returns the fault of a constant outside its bank (IllegalAddress).
std::optional<FaultReport> read_operands(const isa::Instruction &insn, const compute::WarpRegisters &registers,
                                         const ConstantBanks &banks, isa::VectorOperands &vectors,
                                         std::uint64_t &scalar);
/// Reads the operands of a barrier instruction (BCU): vector operands of single registers.
void read_operands(const isa::Instruction &insn, const compute::WarpRegisters &registers,
                   isa::NarrowVectorOperands &vectors);
/// What decides in which lanes a control instruction executes: its guard and its second guard or condition test.
struct BranchGuards {
    LaneMask first;
    LaneMask second;
};
BranchGuards branch_guards(const isa::Instruction &insn, const compute::WarpRegisters &registers);
/// The guard if all of `active` (not empty) behave as their lowest lane does (`ideal.branches`).
LaneMask as_lowest(LaneMask active, LaneMask guard);
/// The same for the operands of a jump: targets and register comparisons. Member masks of WARPSYNC do not change.
void as_lowest(const isa::Instruction &insn, LaneMask active, isa::VectorOperands &vectors);
/// The fault of `insn`, if it arrives at a CTA barrier with the threads `executed` of a warp for which the branch unit
/// reports `refusal` of arrivals.
std::optional<FaultReport> arrival_fault(const isa::Instruction &insn, LaneMask executed,
                                         const std::optional<ArrivalRefusal> &refusal);
/// Writes `value` to the general register or pair that is the destination of `insn`, in `lanes`; writes nothing without
/// a destination.
void write_result(const isa::Instruction &insn, compute::WarpRegisters &registers, LaneMask lanes, std::uint64_t value);
/// Writes `value` to the predicate that is the destination of `insn`, in `lanes`; writes nothing without a destination.
void write_predicate(const isa::Instruction &insn, compute::WarpRegisters &registers, LaneMask lanes, bool value);

/// Registers of a memory instruction, [word][lane].
using Words = std::array<std::array<std::uint32_t, kLanes>, 4>;
/// Byte address of each lane in the instruction's space: 64 bits for global memory, 32 bits for other spaces; the sum
/// wraps. In form U it is the same in all lanes.
void read_addresses(const isa::Instruction &insn, const compute::WarpRegisters &registers,
                    std::array<std::uint64_t, kLanes> &address);
/// Data of a store or atomic, and the compare value of a compare-and-swap: of two vector operands the first is the
/// compare value, the last is the data.
void read_store_data(const isa::Instruction &insn, const compute::WarpRegisters &registers, Words &data,
                     std::array<std::array<std::uint32_t, kLanes>, 2> &compare);
/// Everything that a load, store or atomic of `lanes` (not empty) sends to the load/store unit. `local_slot` is the
/// number of the warp's window in local memory. Sets only the parts of `request` that the instruction needs. LDSM and
/// STSM, executed by all threads, become accesses by those that have the addresses of rows, whose data are the rows.
void read_access(const isa::Instruction &insn, LaneMask lanes, const compute::WarpRegisters &registers,
                 const WarpStart &start, std::uint64_t local_slot, MemoryRequest &request);
/// Whether a load or store takes the warp as a whole (LDSM, STSM) but not all its threads execute it, which is an
/// exception: `compute::move_fault`.
inline bool lacks_threads(const isa::OpSpec &spec, LaneMask executed) {
    return spec.has(isa::kMatrixRows) && executed != LaneMask::all();
}
/// Writes loaded `data` to the destination of `insn`, in `lanes`; of LDSM, whose data are rows, in all threads.
void write_loaded(const isa::Instruction &insn, compute::WarpRegisters &registers, LaneMask lanes, const Words &data);

} // namespace smsim::sm
