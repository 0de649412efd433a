// Output of a running program for its user: texts of printf and failed assertions, as records in global memory. The
// program's data holds a mark from which the place is found, so that no file format needs to record it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/program/program.h"

namespace smsim::device_output {

/// The mark: two words of 64 bits, 16-byte aligned in the program's global data. It is followed by four 64-bit numbers:
/// the address of the area, its size in bytes, the number of bytes requested, and the number of records that found no
/// room.
inline constexpr std::array<std::uint64_t, 2> kMark = {0x6564206d69736d73, 0x74756f2065636976}; // "smsim device out"
inline constexpr std::uint64_t kAreaOffset = 16;
inline constexpr std::uint64_t kCapacityOffset = 24;
inline constexpr std::uint64_t kUsedOffset = 32;
inline constexpr std::uint64_t kLostOffset = 40;
inline constexpr std::uint64_t kHeaderBytes = 48;

/// Records: bytes of the record (a multiple of 8), then its kind, which is written last. In a text these are followed
/// by the sizes of its format and of its arguments, 32 bits each, then format, arguments and the strings that these
/// point to, each of the three at a multiple of 8. In an assertion they are followed by its line, the thread's and the
/// CTA's three numbers, and at kStringsOffset three strings of kStringBytes: message, file, function.
inline constexpr std::uint32_t kTextKind = 1;
inline constexpr std::uint32_t kAssertionKind = 2;
inline constexpr std::uint32_t kTextHeaderBytes = 16;
inline constexpr std::uint32_t kStringsOffset = 40;
inline constexpr std::uint32_t kStringBytes = 256;
inline constexpr std::uint32_t kAssertionBytes = kStringsOffset + 3 * kStringBytes;
/// Bytes of the area that compiled programs have.
inline constexpr std::uint32_t kCapacity = 1 << 20;
/// Maximum number of characters of a format or string, including its zero; longer ones are cut.
inline constexpr std::uint32_t kMostCharacters = 4096;

/// A failed assertion.
struct Assertion {
    std::string message;
    std::string file;
    std::uint32_t line = 0;
    std::string function;
    std::array<std::uint32_t, 3> thread{};
    std::array<std::uint32_t, 3> cta{};
    /// "assertion 'n > 0' failed in f at a.cu:7, thread (0,0,0) of CTA (1,0,0)".
    std::string text() const;
};

/// The contents of an area.
struct Output {
    std::string text; ///< of all printf calls, in the order in which they requested room
    std::vector<Assertion> assertions;
    std::uint64_t lost = 0; ///< records that found no room
    bool broken = false;    ///< an invalid record: the program has overwritten the area
};

/// Address of the header in global memory; none when the program has none.
std::optional<std::uint64_t> header_of(const Program &program);

/// Reads the records of an area of which the first `used` bytes were requested. Accepts any bytes.
Output read_records(std::span<const std::uint8_t> area, std::uint64_t used);

} // namespace smsim::device_output
