// Memory reserved for the end of a run that has used up the host's memory: its results so far are still reported.
#pragma once

#include <string>

namespace smsim::app {

/// For the lifetime of the object, the first failing allocation gets the reserve; the next one that fails throws
/// std::bad_alloc. One object at a time.
class MemoryReserve {
  public:
    MemoryReserve();
    ~MemoryReserve();
    MemoryReserve(const MemoryReserve &) = delete;
    MemoryReserve &operator=(const MemoryReserve &) = delete;

    /// Whether the reserve has been used: the run must end.
    bool used() const;
};

/// "out of memory: 1433 MiB of address space are in use, of 1464 MiB that this process may have (ulimit -v)".
std::string out_of_memory_text();

} // namespace smsim::app
