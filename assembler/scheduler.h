// The scheduler pass: sets the control fields of code that has none (sm.md Control fields).
//
// Waits are per thread and per path: a value in flight at an instruction is in flight after each of its successors, so
// a wait is on the path of the threads that own the value. Uniform registers belong to all paths of a warp and are
// settled before an instruction that may switch to another path. Before indirect jumps, calls and returns everything in
// flight is awaited, so that every entry point begins with nothing in flight.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "model/program/program.h"
#include "model/timing/dependence.h"

namespace smsim::assembler {

/// Instructions first..last-1, as indices into Program::code.
struct CodeRange {
    std::size_t first = 0;
    std::size_t last = 0;
};

/// Code that cannot be scheduled as it is: `count` NOPs are missing before instruction `index` (which may be the end of
/// the code), because a stall of 15 cycles is too short.
struct NopRequest {
    std::size_t index = 0;
    unsigned count = 0;
};

/// Replaces the control fields of the instructions in `ranges`; those outside do not change. Returns the NOPs that must
/// be inserted before the pass is run again; empty when the schedule is complete.
std::vector<NopRequest> schedule(Program &program, std::span<const CodeRange> ranges,
                                 const timing::SchedulingModel &model);

/// A dependence that the control fields do not protect, or an operand that the reuse cache keeps for too long.
struct MissingProtection {
    Pc producer = 0;
    Pc consumer = 0;
    std::string reason; ///< "result needs 4 cycles, 1 is ensured"
};

/// Finds, by following every producer along every path, the dependences that no wait protects. It shares only the
/// latencies with the pass; a complete schedule gives an empty list.
std::vector<MissingProtection> verify_schedule(const Program &program, const timing::SchedulingModel &model);

} // namespace smsim::assembler
