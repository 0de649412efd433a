// A memory library of a version that is yet to come.
#include "session/memory_library.h"

extern "C" const smsim::session::MemoryLibrary *smsim_memory_library() {
    static const smsim::session::MemoryLibrary library{smsim::session::kMemoryLibraryVersion + 1, nullptr};
    return &library;
}
