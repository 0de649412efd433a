// What all warps of one launch share and the parts read: program, constant banks, grid, local memory window. An SM is
// not built for a launch: it receives this with the warps (`WarpStart::launch`).
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/program/program.h"
#include "model/state/constant_banks.h"
#include "model/state/dim3.h"
#include "model/stats/warp_records.h"
#include "model/types.h"

namespace smsim {

/// Fixed before the first warp of the launch starts, unchanged until its last one has ended; must outlive the launch if
/// its program or kernel are queried afterwards.
struct LaunchContext {
    LaunchContext() = default;
    LaunchContext(const LaunchContext &) = delete; // `banks` are views of `bank_bytes`
    LaunchContext &operator=(const LaunchContext &) = delete;

    const Program *program = nullptr;
    const Kernel *kernel = nullptr;
    Dim3 grid;
    Dim3 block;
    ConstantBanks banks;           ///< of `bank_bytes`, or of bytes owned by another object
    std::uint64_t local_base = 0;  ///< global address of the local windows, one per warp slot of all SMs
    std::uint32_t local_bytes = 0; ///< per thread, a multiple of 4
    std::uint64_t code_base = 0;   ///< address of the program in instruction memory, in bytes
    Cycle clock_offset = 0;        ///< by how much SR_CLOCK is ahead of the cycle, so that it does not go back after
                                   ///< functional execution; set before the first warp starts in timed simulation

    WarpWish warp_wish; ///< which warps get records in the statistics

    /// Keeps the contents of bank `number` (below 32).
    void set_bank(std::size_t number, std::vector<std::uint8_t> bytes) {
        bank_bytes_.at(number) = std::move(bytes);
        banks.at(number) = bank_bytes_.at(number);
    }
    /// Bytes of one warp's local window.
    std::uint64_t local_window() const { return std::uint64_t{local_bytes} * kLanes; }

  private:
    std::array<std::vector<std::uint8_t>, 32> bank_bytes_;
};

} // namespace smsim
