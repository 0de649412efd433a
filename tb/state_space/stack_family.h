// Families of structured programs for the two stacks: all trees of a given number of pieces, each under every option of
// its engine.
#pragma once

#include "tb/state_space/family.h"
#include "tb/state_space/stack_search.h"

namespace smsim::state_space {

/// Branches, loops, breaks, continues, exits, functions and returns.
Alphabet control_alphabet();
/// Everything that affects barriers between warps: barriers, exits, and branches and loops between them.
Alphabet barrier_alphabet();

/// Searches the programs of a family that can be lowered, under the settings of `run` (which may name further
/// options). Each must always end with the results of its threads run alone, on a stack of the maximum depth that it
/// may need.
StackFamilyResult run_stack_family(Family &family, Stack stack, const FamilyRun &run);

} // namespace smsim::state_space
