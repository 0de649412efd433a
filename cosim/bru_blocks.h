// The blocks of the branch unit, one for each reconvergence engine: which one a configuration selects, and its
// properties that must be known before its pins. Plain C++. In cosim/, only this table and bru_engine_pins.h know
// engines.
#pragma once

#include "cosim/verilated/blocks.h"
#include "model/config/sections/bru.h"

namespace smsim::cosim {

struct BruBlock {
    BlockKind kind;      ///< of this project
    unsigned fault_bits; ///< of `rsp_fault`
    const char *rules;   ///< document that says what the engine's instructions mean
};

/// The block for the engine selected by `config`.
const BruBlock &bru_block(const BruConfig &config);

} // namespace smsim::cosim
