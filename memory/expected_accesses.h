// Who is told of accesses to global memory before they come, to have their bytes at hand by then. It is a matter of the
// host's caches alone: nothing in the simulation depends on it. Plain C++.
#pragma once

#include <cstdint>

namespace smsim::memory {

class ExpectedAccesses {
  public:
    virtual ~ExpectedAccesses() = default;

    /// The `bytes` (at least 1) from `address` on, all of them mapped, will be accessed; perhaps, and perhaps late.
    virtual void expect(std::uint64_t address, std::uint64_t bytes) const = 0;
};

} // namespace smsim::memory
