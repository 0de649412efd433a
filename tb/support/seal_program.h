// Corrects the checksum of a binary program, so that tests reach the checks after it.
#pragma once

#include <cstdint>
#include <vector>

namespace smsim::test {

/// Writes the CRC-32 of the content into the header; false if `bytes` are too few for a header.
inline bool seal_program(std::vector<std::uint8_t> &bytes) {
    constexpr std::size_t kChecksum = 12; // after magic and version
    constexpr std::size_t kContent = 16;
    if (bytes.size() < kContent) {
        return false;
    }
    std::uint32_t crc = ~0U;
    for (std::size_t i = kContent; i < bytes.size(); ++i) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
        }
    }
    for (unsigned i = 0; i < 4; ++i) {
        bytes[kChecksum + i] = static_cast<std::uint8_t>(~crc >> (8 * i));
    }
    return true;
}

} // namespace smsim::test
