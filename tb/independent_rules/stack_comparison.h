// Compares the engines simt_stack and token_stack with their rules written a second time, under random programs and in
// random states: the correct engines must pass, and a seeded bug must not.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "bru/reconvergence_engine.h"
#include "model/error.h"

namespace smsim::independent_rules {

/// What the compared steps covered.
struct Seen {
    std::map<bru::StepEvent::Kind, unsigned> kinds;
    std::map<Fault, unsigned> faults;
    unsigned passed = 0;
    unsigned handed_over = 0;
    unsigned splits = 0;
    unsigned refusals = 0; ///< steps after which the warp may not arrive at a barrier
};

/// The first difference in `programs` random programs with 100 random states each: the instruction, what differs, and
/// the state before it. Nothing if both implementations always do the same.
std::optional<std::string> simt_difference(std::uint32_t programs, Seen &seen);
std::optional<std::string> token_difference(std::uint32_t programs, Seen &seen);

/// The first condition test that passes for other threads than the formulas of engines.md define, over all flags, or
/// whose name does not parse back to it.
std::optional<std::string> condition_test_difference();

} // namespace smsim::independent_rules
