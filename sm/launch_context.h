// What all warps of a launch have in common and the parts read: program, constant banks, grid, local memory window.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/program/program.h"
#include "sm/compute/execute.h"

namespace smsim::sm {

/// Fixed before the first cycle, unchanged during the run.
struct LaunchContext {
    const Program *program = nullptr;
    const Kernel *kernel = nullptr;
    compute::Dim3 grid;
    compute::Dim3 block;
    std::array<std::vector<std::uint8_t>, 32> bank_bytes;
    compute::ConstantBanks banks;  ///< views of `bank_bytes`
    std::uint64_t local_base = 0;  ///< global address of the local windows, one per warp slot
    std::uint32_t local_bytes = 0; ///< per thread, a multiple of 4

    /// Bytes of one warp's local window.
    std::uint64_t local_window() const { return std::uint64_t{local_bytes} * kLanes; }
};

} // namespace smsim::sm
