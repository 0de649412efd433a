// The RTL blocks of this project as compiled models.
#pragma once

#include <cstdint>
#include <memory>

#include "cosim/block.h"

namespace smsim::cosim {

/// Of branch units there is one for each reconvergence engine; kBru has convergence barriers.
enum class BlockKind : unsigned char { kBru, kBcu, kSleepTimer, kSharedMemory, kBruSimtStack, kBruTokenStack };

/// A block of its own, not yet reset. InputError when this program was built without Verilator.
std::unique_ptr<Block> make_block(BlockKind kind);

/// What the block of shared memory holds, bytes; 0 without Verilator.
std::uint64_t shared_memory_bytes();

} // namespace smsim::cosim
