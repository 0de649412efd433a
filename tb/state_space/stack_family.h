// Families of structured programs for the two stacks: all trees of a given number of pieces, each under every option of
// its engine.
#pragma once

#include "tb/state_space/family.h"
#include "tb/state_space/stack_search.h"

namespace smsim::state_space {

/// Branches, loops, breaks, continues, exits, functions and returns.
Alphabet control_alphabet();
/// What has a part in barriers between warps: these, exits, and branches and loops between them.
Alphabet barrier_alphabet();

/// Searches the programs of a family that can be lowered, as the settings of `run` say (which may name further
/// options). Each must always end with the results of its threads alone, on a stack of the depth that it may need at
/// most.
StackFamilyResult run_stack_family(Family &family, Stack stack, const FamilyRun &run);

} // namespace smsim::state_space
