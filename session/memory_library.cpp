#include "session/memory_library.h"

#include <dlfcn.h>

#include <fmt/format.h>

#include "model/error.h"
#include "model/protocol/clock.h"
#include "model/shared_library.h"

namespace smsim::session {

std::unique_ptr<MemoryBackend> load_memory(const std::string &argument, const Config &config) {
    const std::size_t colon = argument.find(':');
    const std::string path = argument.substr(0, colon);
    const std::string parameters = colon == std::string::npos ? "" : argument.substr(colon + 1);
    if (path.empty()) {
        throw InputError(fmt::format("--memory {}: expected LIBRARY or LIBRARY:PARAMETERS", argument));
    }
    const SharedLibrary library = load_shared_library(path);
    if (library.handle == nullptr) {
        throw InputError(fmt::format("--memory {}: the library cannot be loaded: {}", path, library.error));
    }
    using Entry = const MemoryLibrary *();
    auto *const entry = reinterpret_cast<Entry *>(dlsym(library.handle, kMemoryLibrarySymbol));
    if (entry == nullptr) {
        throw InputError(fmt::format("--memory {}: the library exports no function '{}'; expected a memory library "
                                     "(session/memory_library.h)",
                                     path, kMemoryLibrarySymbol));
    }
    const MemoryLibrary *made = entry();
    if (made == nullptr || made->version != kMemoryLibraryVersion) {
        throw InputError(fmt::format("--memory {}: the library was made for version {} of the interface; expected "
                                     "version {}: compile it with the headers of this smsim",
                                     path, made == nullptr ? 0 : made->version, kMemoryLibraryVersion));
    }
    if (made->create == nullptr) {
        throw InputError(fmt::format("--memory {}: the library creates no memory", path));
    }
    std::unique_ptr<MemoryBackend> memory(made->create({parameters, protocol::Clock(config).period(), config}));
    if (!memory) {
        throw InputError(
            fmt::format("--memory {}: the library has created no memory from the parameters '{}'", path, parameters));
    }
    return memory;
}

} // namespace smsim::session
