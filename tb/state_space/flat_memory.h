// Loads, stores and atomics of the functional machine: immediate, in lane order, on flat arrays.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/error.h"
#include "model/isa/instruction.h"
#include "sm/datapath/compute/registers.h"

namespace smsim::state_space {

/// An address space.
struct Window {
    std::vector<std::uint8_t> &bytes;
    std::uint64_t base = 0; ///< address of its first byte
};

/// Executes a shared or global memory instruction for `lanes`, lowest lane first. Faults leave memory and registers
/// unchanged: MisalignedAddress, IllegalAddress outside the window; IllegalInstruction for local memory, which the
/// machine does not have.
std::optional<FaultReport> access(const isa::Instruction &insn, LaneMask lanes, sm::compute::WarpRegisters &registers,
                                  Window window);

} // namespace smsim::state_space
