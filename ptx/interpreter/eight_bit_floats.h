// The 8-bit floats e4m3 and e5m2 by the numbers that their codes stand for.
#pragma once

#include <cstdint>
#include <optional>

#include "ptx/type.h"

namespace smsim::ptx::interpreter {

enum class EightBits : std::uint8_t { kE4m3, kE5m2 };

/// The format of the elements of e4m3x2 and e5m2x2; nothing for other types.
std::optional<EightBits> eight_bits_of(ptx::Type type);

/// The number that the lower 8 bits of `code` stand for; exact.
long double decode_eight(EightBits format, std::uint64_t code);

/// The code of the finite number nearest to `value`, of two the even one; 0x7f for a NaN. The sign of zero is kept.
std::uint64_t encode_eight(EightBits format, long double value);

} // namespace smsim::ptx::interpreter
