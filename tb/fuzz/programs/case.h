// A test case made from a tree, ready for the model and for the oracle.
#pragma once

#include <cstdint>
#include <string>

#include "model/launch/launch.h"

namespace smsim::fuzz {

struct Case {
    std::string text; ///< assembly without control fields, one kernel "fuzz"
    launch::Launch launch;
    std::uint64_t compared_registers = 0; ///< bit r: the final value of R r is fixed by the program
    std::uint8_t compared_predicates = 0; ///< bit p: likewise
    bool trap_handler = false;            ///< the symbol `trap_handler` is the handler
};

/// The launch as the text of a launch file (docs/launch-files.md) for the program `program`.
std::string launch_text(const Case &test, const std::string &program);

} // namespace smsim::fuzz
