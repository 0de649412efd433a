// Hand-written programs for what the generated kernels cannot cover: control flow, calls, packed moves, special
// registers, contended atomics, partial masks.
#pragma once

#include <string>
#include <vector>

#include "model/launch/launch.h"

namespace smsim::ptx_differential {

struct HandWritten {
    std::string name;
    std::vector<std::string> opcodes; ///< of control instructions that it covers
    std::string text;                 ///< the module
    launch::Launch launch;            ///< of kernel "k" with one buffer of 32-bit words
    bool traps = false;               ///< the run ends with an exception
};

std::vector<HandWritten> hand_written_programs();

} // namespace smsim::ptx_differential
