// A construct in a function that this compiler does not cover: not an error of the module, but nothing that can run
// either.
#pragma once

#include <string>

#include "ptx/ast.h"

namespace smsim::ptx {

struct Refusal {
    std::string function;
    Position place;
    std::string message;
};

} // namespace smsim::ptx
