// What is there of the RTL blocks in a build without Verilator.
#include "cosim/verilated/blocks.h"
#include "model/error.h"

namespace smsim::cosim {

std::unique_ptr<Block> make_block(BlockKind) {
    throw InputError("this program holds no RTL: Verilator was not there when it was built");
}

std::uint64_t shared_memory_bytes() {
    return 0;
}

} // namespace smsim::cosim
