// Global memories in shared libraries: `--memory LIB.so[:PARAMETERS]` of `smsim run` and `smsim batch`. A library
// includes this header, is built with the compiler and the SystemC of smsim, and exports one function with C linkage:
//
//     smsim::session::MemoryBackend *create(const smsim::session::MemoryLibraryRequest &request) {
//         return new MyMemory(request.parameters, request.period);
//     }
//     extern "C" const smsim::session::MemoryLibrary *smsim_memory_library() {
//         static const smsim::session::MemoryLibrary library{smsim::session::kMemoryLibraryVersion, create};
//         return &library;
//     }
//
// tb/memory_example/ is one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <systemc>

#include "model/config/config.h"
#include "session/memory_backend.h"

namespace smsim::session {

/// Changes whenever this header, MemoryBackend or a class that they name changes: a library only works with the
/// version that it was compiled with.
inline constexpr std::uint32_t kMemoryLibraryVersion = 2;

/// The parameters of a library's memory.
struct MemoryLibraryRequest {
    std::string parameters;  ///< the text after the colon of --memory, unchanged; may be empty
    sc_core::sc_time period; ///< of the SM's clock
    const Config &config;    ///< outlives the memory
};

/// What a library exports.
struct MemoryLibrary {
    std::uint32_t version; ///< kMemoryLibraryVersion; stays the first member in all versions
    /// Creates a memory with `new`, before the simulation starts. Throws InputError for parameters that it does not
    /// understand.
    MemoryBackend *(*create)(const MemoryLibraryRequest &request);
};

/// The name under which a library exports `const MemoryLibrary *()`.
inline constexpr const char *kMemoryLibrarySymbol = "smsim_memory_library";

/// Loads the library that `argument` names ("LIB.so" or "LIB.so:PARAMETERS"; a name without a slash is a file in the
/// current folder) and has it create its memory. The library stays loaded until the process ends. Throws InputError,
/// with the path and the cause, when the library does not exist, does not export the function, has another version, or
/// creates no memory; and whatever its `create` throws.
std::unique_ptr<MemoryBackend> load_memory(const std::string &argument, const Config &config);

} // namespace smsim::session
