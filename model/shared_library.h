// Shared libraries that a user names: loaded, or refused with the cause.
#pragma once

#include <string>

namespace smsim {

/// A library, or why there is none.
struct SharedLibrary {
    void *handle = nullptr; ///< for dlsym; the library stays loaded until the process ends
    std::string error;      ///< not empty where `handle` is null
};

/// Loads a shared library. A path without a folder is a file of the working directory. A file that has been cut off,
/// which the system's loader takes and which then ends the process when its code is touched, is refused.
SharedLibrary load_shared_library(const std::string &path);

} // namespace smsim
