// Where a launch puts its buffers, and what constant bank 0 holds: the same for everything that runs a launch, the
// model and references beside it.
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

/// Lays the buffers out: the first one at 0x10000000, so that small integers used as pointers are found, each in a
/// region of its own with at least 64 KiB of unmapped addresses behind it, so that an overrun never meets the next.
BufferLayout lay_out_buffers(const Launch &launch);

/// As above, for these buffers, between which there may be scalars.
BufferLayout lay_out_buffers(std::span<const Argument> arguments);

/// Bytes of shared memory of one CTA: the kernel's static ones, and behind them, aligned to 16, the launch's dynamic
/// ones.
std::uint32_t shared_bytes(const Launch &launch, const Kernel &kernel);

/// Contents of constant bank 0 (`constant_bank0`): extents, shared memory, arguments with buffers at `addresses`.
std::vector<std::uint8_t> constant_bank0_bytes(const Launch &launch, const Kernel &kernel,
                                               std::span<const std::uint64_t> addresses);

/// Throws InputError when the kernel says how many bytes of arguments it expects and the launch gives another number;
/// the message names the launch file, both sizes and the arguments.
void check_parameters(const Launch &launch, const Kernel &kernel);

/// Throws InputError when the kernel says which CTAs it is for and those of the launch are others: larger than
/// `.maxntid`, which is the product of the extents, or of other extents than `.reqntid`. The message names the launch
/// file, the directive and both.
void check_block(const Launch &launch, const Kernel &kernel);

} // namespace smsim::launch
