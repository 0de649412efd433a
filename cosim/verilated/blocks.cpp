// Maps kinds to RTL blocks. Each block is made by a function in a source that the build generates: from the compiled
// model of cosim/rtl or, if that is left out, a function that reports why.
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
