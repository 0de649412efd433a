// What is there of the RTL blocks in a build without Verilator.
#include "cosim/verilated/blocks.h"
#include "model/error.h"

namespace smsim::cosim {

std::unique_ptr<Block> make_block(BlockKind) {
    throw InputError("this program holds no RTL: Verilator was not there when it was built");
}

} // namespace smsim::cosim
