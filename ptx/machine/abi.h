// Registers with a meaning in modules with calls, and what they pass (docs/ptx-compiler.md Calls).
#pragma once

namespace smsim::ptx::machine {

/// Top of the memory of alloca, in modules that have it.
inline constexpr int kAllocaTop = 0;
/// Frame of the current device function; frames of kernels begin at address 0.
inline constexpr int kFrame = 1;
/// The first of the two registers of the return address.
inline constexpr int kReturnAddress = 2;
/// The first register of arguments and results of a call; words are consecutive, those of 64 bits aligned to two.
inline constexpr int kFirstArgument = 4;
/// The most words that are passed in one direction.
inline constexpr unsigned kMostArgumentWords = 64;

} // namespace smsim::ptx::machine
