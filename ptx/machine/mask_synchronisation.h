// Where the members of a mask meet: a WARPSYNC, and the instruction over lanes that belongs to it.
//
// PTX lets threads meet that execute the same operation with the same mask, wherever it is; the machine lets them meet
// only at one address. So places of one operation that threads may reach at the same time, on different sides of a
// branch, become one place. And where threads may hold different masks, each of which meets separately, an instruction
// over all present lanes is adjusted to give each thread the result of the lanes in its own mask.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::machine {

/// Most places that a function may merge into others.
inline constexpr unsigned kMostMeetingsMoved = 64;

/// Merges two places where the same operation with the same mask, or a mask in a register, is on different sides of a
/// branch that may diverge, inside one round of the same loop, and neither precedes the other: both sides go there,
/// and back by a predicate that records where they came from. Places are merged in the order in which threads reach
/// them, so that ways never turn around. `together`: the warp is together where the function begins. Returns how many
/// places were moved.
unsigned meet_in_one_place(Function &function, bool together);

/// Makes votes and matches over a mask that may differ between the present threads leave out lanes of other masks. A
/// reduction over such a mask becomes a loop, in which the threads with the lowest mask meet, reduce, and leave.
/// Returns how many there were.
unsigned separate_masks(Function &function);

} // namespace smsim::ptx::machine
