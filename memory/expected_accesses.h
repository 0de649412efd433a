// Interface that is notified of accesses to global memory in advance, to have their bytes at hand. It affects only the
// host's caches, never the simulation. Plain C++.
#pragma once

#include <cstdint>

namespace smsim::memory {

class ExpectedAccesses {
  public:
    virtual ~ExpectedAccesses() = default;

    /// The `bytes` (at least 1) starting at `address`, all of them mapped, will be accessed. The notice may be wrong or
    /// late.
    virtual void expect(std::uint64_t address, std::uint64_t bytes) const = 0;
};

} // namespace smsim::memory
