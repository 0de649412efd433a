// Where a function should begin so that its loops lie on few lines of the instruction cache: each line costs a round of
// a short loop cycles behind its branch.
#pragma once

#include <cstdint>
#include <span>

namespace smsim::ptx::machine {

/// Instructions from the beginning of a function to those that a loop begins and ends with, both in the loop.
struct LoopSpan {
    std::uint32_t first;
    std::uint32_t last;
};

/// Instructions of a line of the instruction caches (model/config).
inline constexpr std::uint32_t kLineInstructions = 8;

/// Instructions to leave free in front of a function that would begin at instruction `at`, fewer than a line: with them
/// its loops, inner ones before outer ones, lie on the fewest lines.
std::uint32_t room_before(std::uint32_t at, std::span<const LoopSpan> loops);

} // namespace smsim::ptx::machine
