// One transaction of a warp access as a record: cheaper than a payload when there are many at once. Plain C++.
#pragma once

#include <cstdint>

namespace smsim {

/// A read, a write or an atomic of contiguous bytes; the access knows which.
struct MemoryRow {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;       ///< at least 1
    unsigned char *data = nullptr; ///< `bytes` of them: to write, or what was read; for an atomic the old value
    const unsigned char *enables = nullptr; ///< 0xff or 0 for each byte, as in a generic payload; null: all take part
    std::uint64_t operand = 0;              ///< of an atomic
    std::uint64_t compare = 0;              ///< of an atomic that compares

    // Answer.
    std::uint64_t when = 0; ///< time from which it is valid: absolute, in units of the time resolution
    bool cache_hit = false; ///< a cache has answered it from its lines
};

} // namespace smsim
