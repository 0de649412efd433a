// The parts of a module that are left out of its program.
#pragma once

#include <string>

namespace smsim::ptx {

/// A kernel that needs what is not covered, or what the engine cannot run.
struct LeftOut {
    std::string kernel;
    std::string message; ///< "file:line:column: why", of itself or of a function that it needs
};

} // namespace smsim::ptx
