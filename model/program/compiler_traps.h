// The TRAPs of the PTX compiler's own checks (docs/ptx-compiler.md "Traps"): numbers that hand-written programs are
// unlikely to use, so that the message of the exception can say what the check has found.
#pragma once

#include <cstdint>

namespace smsim {

inline constexpr std::uint32_t kMaskTrap = 0x6d61736b;     ///< a mask does not agree with the threads present
inline constexpr std::uint32_t kNullCallTrap = 0x6e756c6c; ///< a call through a null pointer
inline constexpr std::uint32_t kTableTrap = 0x62727869;    ///< the index of a brx.idx is outside its table
inline constexpr std::uint32_t kConstantTrap = 0x636f6e73; ///< a store or an atomic on a .const variable

} // namespace smsim
