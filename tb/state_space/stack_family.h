// Families of structured programs for the two stacks: all trees of a given number of pieces, each under every option of
// its engine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tb/state_space/family.h"
#include "tb/state_space/stack_program.h"

namespace smsim::state_space {

/// Branches, loops, breaks, continues, exits, functions and returns.
Alphabet control_alphabet();
/// What has a part in barriers between warps: these, exits, and branches and loops between them.
Alphabet barrier_alphabet();

/// The options under which each program of an engine is run: every order of sides.
std::vector<std::vector<std::string>> options_of(Stack stack);

/// Sums over a family, and the first programs that do not end as each thread alone.
struct StackFamilyResult {
    std::uint64_t programs = 0; ///< that are lowered, each run under all options
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;
    std::uint64_t tight = 0; ///< programs that need all of the stack that they may need, under some order
    std::uint64_t wrong = 0;
    std::vector<std::string> wrong_programs; ///< text, options, what is wrong and how it comes to it; the first few
};

/// Searches the programs of a family that can be lowered, as the settings of `run` say (which may name further
/// options). Each must always end with the results of its threads alone, on a stack of the depth that it may need at
/// most.
StackFamilyResult run_stack_family(Family &family, Stack stack, const FamilyRun &run);

} // namespace smsim::state_space
