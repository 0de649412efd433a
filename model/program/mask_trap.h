// The TRAP of the PTX compiler where the mask of an operation names threads that are elsewhere (docs/ptx-compiler.md
// "Synchronisation"): a number that programs written by hand do not have by chance, so that the message can say it.
#pragma once

#include <cstdint>

namespace smsim {

inline constexpr std::uint32_t kMaskTrap = 0x6d61736b;

} // namespace smsim
