// Memory kept aside for the end of a run that has used up that of the host: what it has computed is still reported.
#pragma once

#include <string>

namespace smsim::app {

/// While an object lives, an allocation that fails gets the reserve, once; the next one that fails throws
/// std::bad_alloc. One object at a time.
class MemoryReserve {
  public:
    MemoryReserve();
    ~MemoryReserve();
    MemoryReserve(const MemoryReserve &) = delete;
    MemoryReserve &operator=(const MemoryReserve &) = delete;

    /// Whether the reserve has been given away: the run is to end.
    bool used() const;
};

/// "out of memory: 1433 MiB of address space are in use, of 1464 MiB that this process may have (ulimit -v)".
std::string out_of_memory_text();

} // namespace smsim::app
