// Structured programs for the engines simt_stack and token_stack: nested branches, loops that threads leave at
// different times and from inside, functions, exits, and barriers between warps. They are lowered as described in
// engines.md Lowering, and each thread alone determines the expected results: threads wait for one another only at
// barriers that all reach.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/config/sections/bru.h"
#include "tb/state_space/structured_program.h"

namespace smsim::state_space {

enum class Stack : std::uint8_t { kSimt, kToken };

/// "simt_stack" or "token_stack".
const char *engine_of(Stack stack);

/// Whether a program is meaningful and can be lowered to `stack` without flags other than those of kBreakOuter: breaks
/// and continues are in loops, returns in functions, barriers outside everything. simt_stack has no exits in
/// functions, and none inside a container together with a barrier.
bool is_lowered(const Block &program, Stack stack);

/// Assembly text for warps of `threads` threads. R1 ends as a number that identifies the path of each thread: after
/// each piece it is multiplied by 5 and the piece's number is added; after a barrier also the number of arrivals.
std::string text_of(const Block &program, Stack stack, unsigned threads);

/// R1 of each thread, warp after warp.
std::vector<std::uint32_t> results_of(const Block &program, unsigned threads, unsigned warps);

/// The most entries or tokens that a program may need in a warp of `threads` threads (engines.md "Stack depth"): on
/// simt_stack they depend only on threads and order, on token_stack on the program.
std::size_t depth_bound(const Block &program, Stack stack, unsigned threads, const BruConfig &config);

} // namespace smsim::state_space
