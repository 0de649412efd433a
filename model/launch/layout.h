// The placement of a launch's buffers, and the contents of constant bank 0: common to everything that runs a launch,
// the model and the references.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/launch/launch.h"
#include "model/program/program.h"

namespace smsim::launch {

/// Addresses of global memory that a launch uses.
struct BufferLayout {
    std::vector<std::uint64_t> addresses; ///< of each argument's buffer; 0 for scalars
    std::uint64_t end = 0;                ///< first address that may be used for something else
};

/// Lays out the buffers: the first one at 0x10000000, so that small integers used as pointers are detected, each in its
/// own region followed by at least 64 KiB of unmapped addresses, so that an overrun never reaches the next.
BufferLayout lay_out_buffers(const Launch &launch);

/// As above, for these arguments, which may include scalars.
BufferLayout lay_out_buffers(std::span<const Argument> arguments);

/// Bytes of shared memory of one CTA: the kernel's static ones, followed, aligned to 16, by the launch's dynamic ones.
std::uint32_t shared_bytes(const Launch &launch, const Kernel &kernel);

/// Contents of constant bank 0 (`constant_bank0`): extents, shared memory, arguments with buffers at `addresses`.
std::vector<std::uint8_t> constant_bank0_bytes(const Launch &launch, const Kernel &kernel,
                                               std::span<const std::uint64_t> addresses);

/// Throws InputError when grid, block, dynamic shared memory or argument block are beyond what a launch file may say:
/// for launches built in code.
void check_limits(const Launch &launch);

/// Throws InputError when the kernel declares its number of argument bytes and the launch has another number; the
/// message names the launch file, both sizes and the arguments.
void check_parameters(const Launch &launch, const Kernel &kernel);

/// Throws InputError when the kernel declares which CTAs it is for and the launch has others: larger than `.maxntid`,
/// which is the product of the extents, or with extents other than `.reqntid`. The message names the launch file, the
/// directive and both.
void check_block(const Launch &launch, const Kernel &kernel);

} // namespace smsim::launch
