// Structured programs for the engines simt_stack and token_stack: nested branches, loops that threads leave at
// different times and from inside, functions, exits, and barriers between warps. They are lowered as engines.md
// Lowering says, and each thread alone tells what must come out: no thread waits for another one but at a barrier that
// all reach.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/config/config.h"
#include "tb/state_space/structured_program.h"

namespace smsim::state_space {

enum class Stack : std::uint8_t { kSimt, kToken };

/// "simt_stack" or "token_stack".
const char *engine_of(Stack stack);

/// Whether a program makes sense, and can be lowered to `stack` without flags beside those of kBreakOuter: breaks and
/// continues stand in loops, returns in functions, barriers outside of everything. simt_stack has no exits in
/// functions, and none inside a container together with a barrier.
bool is_lowered(const Block &program, Stack stack);

/// Assembly text for warps of `threads` threads. R1 ends as a number that tells the way of each thread: behind each
/// piece it is multiplied by 5 and gets the piece's number; behind a barrier it also takes in how many have come there.
std::string text_of(const Block &program, Stack stack, unsigned threads);

/// R1 of each thread, warp after warp.
std::vector<std::uint32_t> results_of(const Block &program, unsigned threads, unsigned warps);

/// Entries or tokens that a program may need at most in a warp of `threads` threads (engines.md "Stack depth"): on
/// simt_stack they depend on threads and order alone, on token_stack on the program.
std::size_t depth_bound(const Block &program, Stack stack, unsigned threads, const BruConfig &config);

} // namespace smsim::state_space
