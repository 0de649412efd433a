// Where a function should begin so that its loops cover few lines of the instruction cache: in a short loop, each line
// costs cycles after the branch of every round.
#pragma once

#include <cstdint>
#include <span>

namespace smsim::ptx::machine {

/// Instructions from the beginning of a function to the first and the last one of a loop, both inside the loop.
struct LoopSpan {
    std::uint32_t first;
    std::uint32_t last;
};

/// Instructions of a line of the instruction caches (model/config).
inline constexpr std::uint32_t kLineInstructions = 8;

/// Instructions to leave free before a function that would begin at instruction `at`, fewer than a line: with them its
/// loops, inner ones before outer ones, cover the fewest lines.
std::uint32_t room_before(std::uint32_t at, std::span<const LoopSpan> loops);

} // namespace smsim::ptx::machine
