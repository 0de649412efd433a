// The blocks of a branch unit, one for each reconvergence engine: which one a configuration wants, and what of it must
// be known before its pins are. Plain C++. This table and the pins of bru_engine_pins.h are all in cosim/ that knows
// engines.
#pragma once

#include "cosim/verilated/blocks.h"
#include "model/config/config.h"

namespace smsim::cosim {

struct BruBlock {
    BlockKind kind;      ///< of this project
    unsigned fault_bits; ///< of `rsp_fault`
    const char *rules;   ///< document that says what the engine's instructions mean
};

/// The block for the engine of `config`.
const BruBlock &bru_block(const BruConfig &config);

} // namespace smsim::cosim
