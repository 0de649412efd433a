// The RTL blocks of this project as compiled models.
#pragma once

#include <memory>

#include "cosim/block.h"

namespace smsim::cosim {

enum class BlockKind : unsigned char { kBru, kBcu, kSleepTimer, kSharedMemory };

/// A block of its own, not yet reset. InputError when this program was built without Verilator.
std::unique_ptr<Block> make_block(BlockKind kind);

} // namespace smsim::cosim
