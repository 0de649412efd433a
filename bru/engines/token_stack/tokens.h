// The stack itself: room, spilling, and what all instructions share that make threads leave (engines.md token_stack,
// "Leaving", "Stack depth").
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "bru/engines/token_stack/control_state.h"
#include "bru/engines/token_stack/effect.h"
#include "model/config/sections/bru.h"

namespace smsim::bru::token_stack {

/// Limit of the tokens of one warp in stack and spill memory: a program that only ever pushes ends with an exception
/// instead of exhausting the host's memory.
inline constexpr std::size_t kMostTokens = 65536;

/// The violation StackOverflow when there is no room for `count` more tokens: beyond `depth` without spilling, beyond
/// kMostTokens with it.
std::optional<Violation> lacks_room(const ControlState &state, std::size_t count, const TokenStackConfig &config);

/// Tokens that an instruction moves between the stack and the memory below it.
struct Transfers {
    std::size_t spilled = 0; ///< to memory
    std::size_t filled = 0;  ///< back
};
/// The transfers needed to go from `before` to `after` tokens: those beyond `depth` are in memory. No instruction both
/// pushes and pops.
Transfers transfers_between(std::size_t before, std::size_t after, std::uint32_t depth);

/// The topmost token that holds a thread of `valid`; null when there is none.
const Token *next_waiting(const ControlState &state, LaneMask valid);

/// `leavers`, a part of the active threads, become inactive. The other active ones continue with the next instruction
/// and nothing is popped [E-7]; when there are none, the stack is popped up to and including the first token with valid
/// threads, whatever its kind, and these continue at its PC. If there is no such token the warp has ended.
/// Precondition: some thread continues, or no thread is valid.
void leave(ControlState &state, LaneMask leavers, Effect &effect);

} // namespace smsim::bru::token_stack
