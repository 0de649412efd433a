// Copies a number of bytes unknown to the compiler: nearly always a word, the words of a thread or a row of a whole
// warp, for which a call of memcpy takes longer than the copy.
#pragma once

#include <cstdint>
#include <cstring>

namespace smsim {

/// As memcpy.
inline void copy_bytes(void *to, const void *from, std::uint64_t count) {
    switch (count) {
    case 4:
        std::memcpy(to, from, 4);
        return;
    case 8:
        std::memcpy(to, from, 8);
        return;
    case 16:
        std::memcpy(to, from, 16);
        return;
    case 128:
        std::memcpy(to, from, 128);
        return;
    default:
        std::memcpy(to, from, count);
    }
}

} // namespace smsim
