// Which RTL block is which. Each is made by a function in a source that the build writes: of the compiled model of
// tb/rtl, or, where that is left out, one that says why.
#include "cosim/verilated/blocks.h"

namespace smsim::cosim {

std::unique_ptr<Block> make_block(BlockKind kind) {
    switch (kind) {
    case BlockKind::kBru:
        return make_bru();
    case BlockKind::kBcu:
        return make_bcu();
    case BlockKind::kSleepTimer:
        return make_sleep_timer();
    case BlockKind::kBruSimtStack:
        return make_bru_simt_stack();
    case BlockKind::kBruTokenStack:
        return make_bru_token_stack();
    case BlockKind::kSharedMemory:
        break;
    }
    return make_shared_memory();
}

std::uint64_t shared_memory_bytes() {
    return SMSIM_RTL_SHARED_BYTES;
}

} // namespace smsim::cosim
