// The RTL blocks of this project as compiled models.
#pragma once

#include <cstdint>
#include <memory>

#include "cosim/block.h"

namespace smsim::cosim {

/// There is one branch unit for each reconvergence engine; kBru has convergence barriers.
enum class BlockKind : unsigned char { kBru, kBcu, kSleepTimer, kSharedMemory, kBruSimtStack, kBruTokenStack };

/// Makes an independent block, not yet reset. InputError with the reason when this program was built without it.
std::unique_ptr<Block> make_block(BlockKind kind);

/// The size of the shared memory block in bytes; 0 without that block.
std::uint64_t shared_memory_bytes();

/// One function per block, for make_block.
std::unique_ptr<Block> make_bru();
std::unique_ptr<Block> make_bru_simt_stack();
std::unique_ptr<Block> make_bru_token_stack();
std::unique_ptr<Block> make_bcu();
std::unique_ptr<Block> make_sleep_timer();
std::unique_ptr<Block> make_shared_memory();

} // namespace smsim::cosim
