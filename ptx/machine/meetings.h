// Where the members of a mask meet: a WARPSYNC, and the instruction over lanes that belongs to it.
//
// PTX lets threads meet that execute the same operation with the same mask, wherever it stands; the machine lets them
// meet at one address. So places of one operation that threads may come to at the same time, on different sides of a
// branch, become one place. And where threads may hold different masks, which meet each for itself, an instruction
// over all lanes that are there gives each thread what the lanes of its own mask give.
#pragma once

#include "ptx/machine/code.h"

namespace smsim::ptx::machine {

/// Places that a function may make one of others.
inline constexpr unsigned kMostMeetingsMoved = 64;

/// Makes one place of two where the same operation with the same mask, or a mask in a register, stands on different
/// sides of a branch that may part a warp, inside one round of the same loop, and neither comes before the other: both
/// sides go there, and back by a predicate that says where from. In the order in which threads come to them, so that
/// ways never turn round. `together`: the warp is so where the function begins. Returns how many it has moved.
unsigned meet_in_one_place(Function &function, bool together);

/// Votes and matches over a mask that may differ between the threads that are there leave out lanes of other masks; a
/// reduction over one becomes a loop, in which those with the lowest mask meet, reduce, and leave. Returns how many
/// there were.
unsigned separate_masks(Function &function);

} // namespace smsim::ptx::machine
