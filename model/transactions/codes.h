// Constants of the layout that both directions use (docs/transactions.md).
#pragma once

#include <cstdint>

namespace smsim::transactions {

// The first byte of a record; those below are events.
inline constexpr std::uint8_t kEventKinds = 5;
inline constexpr std::uint8_t kStart = 5;
inline constexpr std::uint8_t kBranch = 6;
inline constexpr std::uint8_t kBarrier = 7;
inline constexpr std::uint8_t kAccess = 8;

inline constexpr unsigned kMaskBytes = 4;
// The encodings of the lanes of a vector.
inline constexpr std::uint8_t kAllZero = 0;
inline constexpr std::uint8_t kAllEqual = 1;
inline constexpr std::uint8_t kEach = 2;
// The first byte of an answer.
inline constexpr std::uint8_t kNoAnswer = 0;
inline constexpr std::uint8_t kAnswer = 1;
inline constexpr std::uint8_t kException = 2;
inline constexpr std::int8_t kStatusZero = 16; ///< statuses are -5 to 1

} // namespace smsim::transactions
