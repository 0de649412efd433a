// A memory library of a future version.
#include "session/memory_library.h"

extern "C" const smsim::session::MemoryLibrary *smsim_memory_library() {
    static const smsim::session::MemoryLibrary library{smsim::session::kMemoryLibraryVersion + 1, nullptr};
    return &library;
}
