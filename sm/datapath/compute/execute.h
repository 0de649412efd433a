// The semantics of the compute instructions: one call executes one instruction for the lanes of a warp.
//
// The functions here know nothing of time, pipes or scoreboards; the datapath decides when an instruction happens and
// calls `execute` once. docs/records/compute-set.md holds the semantics of every operation and the decisions on them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "model/config/sections/tensor.h"
#include "model/error.h"
#include "model/isa/instruction.h"
#include "model/state/constant_banks.h"
#include "model/state/dim3.h"
#include "model/types.h"
#include "sm/datapath/compute/registers.h"

namespace smsim::sm::compute {

/// The values of special registers that do not change during the life of a warp.
struct WarpIdentity {
    Row tid_x{};
    Row tid_y{};
    Row tid_z{};
    Dim3 ctaid{0, 0, 0};
    Dim3 ntid;
    Dim3 nctaid;
    std::uint32_t warp_in_cta = 0; ///< SR_WARPID
    std::uint32_t smid = 0;        ///< SR_SMID

    /// The identity of warp `warp_in_cta` of CTA `ctaid`; threads are numbered x first, then y, then z. An extent of 0
    /// counts as 1. Lanes beyond the CTA's last thread continue the sequence.
    static WarpIdentity of(Dim3 ctaid, Dim3 ntid, Dim3 nctaid, std::uint32_t warp_in_cta, std::uint32_t smid);
};

/// The little-endian 32-bit word at byte `offset` of a bank; none when any of its bytes is outside the bank.
std::optional<std::uint32_t> read_constant32(const ConstantBanks &banks, std::uint32_t bank, std::uint64_t offset);
/// The little-endian 64-bit word at byte `offset` of a bank; none when any of its bytes is outside the bank.
std::optional<std::uint64_t> read_constant64(const ConstantBanks &banks, std::uint32_t bank, std::uint64_t offset);

/// What an instruction can read besides its warp's registers.
struct ExecutionContext {
    const WarpIdentity &identity;
    const ConstantBanks &constants;
    Cycle cycle = 0;               ///< SR_CLOCK, cycles since the start of the simulation
    std::uint64_t nanoseconds = 0; ///< SR_GLOBALTIMER, simulated time in ns
    /// What products of matrices exist, and how they are rounded; null: TensorConfig's defaults.
    const TensorConfig *tensor = nullptr;
};

/// The first general register that `insn` uses but a warp with `count` registers does not have.
std::optional<std::uint8_t> unallocated_register(const isa::Instruction &insn, unsigned count);
/// A quick test that a warp with `count` registers has all that `insn` uses; false: `unallocated_register` decides.
inline bool has_all_registers(const isa::Instruction &insn, unsigned count) {
    // RZ (255) wraps to 0 and passes; uniform destinations are handled by `unallocated_register`.
    const auto past = [](std::uint8_t reg) { return static_cast<std::uint8_t>(reg + 1); };
    return std::max(std::max(past(insn.rd), past(insn.ra)), std::max(past(insn.rb), past(insn.rc))) <= count;
}

/// IllegalInstruction when `insn` uses a general register that a warp with `count` registers does not have.
std::optional<FaultReport> register_fault(const isa::Instruction &insn, unsigned count);

/// Whether `execute` knows the operation: every operation of an execution pipe or of the uniform datapath, and SHFL,
/// MOVM and LDC.
bool is_compute(isa::Op op);

/// Executes one instruction for the lanes in `executed` (active lanes whose guard holds). No other lane changes, and
/// operations between lanes (VOTE, MATCH, REDUX, SHFL, R2UR, S2UR) see only these lanes; with no lane nothing happens,
/// not even to uniform registers.
///
/// Returns nullopt on success. On a fault no register has changed:
/// - IllegalAddress: a constant operand, or an LDC address of a lane, is outside its bank;
/// - MisalignedAddress: an LDC address is no multiple of the access size;
/// - IllegalInstruction: the operation is none of `is_compute`, a register is not allocated to the warp, or the
///   configuration has no such product of matrices (a rate of 0);
/// - MatrixDiverged: some, but not all 32 lanes execute a product of matrices or MOVM (tensor.md 1).
std::optional<FaultReport> execute(const isa::Instruction &insn, WarpRegisters &regs, LaneMask executed,
                                   const ExecutionContext &ctx);

/// Number of different values that MATCH.ANY has found, from its result; 1 for MATCH.ALL, or without a result register.
unsigned match_values(const isa::Instruction &insn, const WarpRegisters &regs, LaneMask executed);

} // namespace smsim::sm::compute
