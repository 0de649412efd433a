// Shared libraries named by a user: loaded, or rejected with the cause.
#pragma once

#include <string>

namespace smsim {

/// A library, or why there is none.
struct SharedLibrary {
    void *handle = nullptr; ///< for dlsym; the library stays loaded until the process ends
    std::string error;      ///< not empty if `handle` is null
};

/// Loads a shared library. A path without a folder is a file of the working directory. Rejects a truncated file, which
/// the system's loader would accept and which would then end the process when its code is accessed.
SharedLibrary load_shared_library(const std::string &path);

} // namespace smsim
