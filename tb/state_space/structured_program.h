// Structured programs for one warp, or several that run the same, as trees: what the enumerated families consist of,
// their assembly text, and what each thread does when it runs by itself.
//
// All conditions and trip counts depend on the lane only. So a thread's events are known beforehand, and whether the
// program can end is decided by a few lines that know nothing of masks and reconvergence (`run_independently`).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/types.h"

namespace smsim::state_space {

/// Who goes into a branch, or how often a thread goes round.
enum class Choice : std::uint8_t {
    kOdd,     ///< lanes with bit 0
    kLower,   ///< the lower half of the threads (of three: lane 0)
    kByLane,  ///< loop: as often as the lane says
    kReverse, ///< loop: as often as there are threads above the lane
    kAll,     ///< all that come here
};

/// The parts of a program.
enum class PieceKind : std::uint8_t {
    kYield,          ///< YIELD
    kSleep,          ///< NANOSLEEP
    kGuardedYield,   ///< YIELD with a guard that is true in odd lanes
    kMeet,           ///< WARPSYNC of those that come here by the program's conditions, mask in the instruction
    kMeetByRegister, ///< the same, mask in a register
    kMeetAll,        ///< WARPSYNC of all threads of the warp
    kMeetOdd,        ///< WARPSYNC of the odd lanes of those that come here, by a guard
    kExitOdd,        ///< the odd lanes end
    kSpinYield,      ///< until the flag is set; YIELD on the way back
    kSpinSleep,      ///< the same with NANOSLEEP
    kSpinGuarded,    ///< the same with a guarded YIELD
    kSpinJoin,       ///< the same with YIELDs inside an if/else of its own, joined with B1
    kSet,            ///< sets the flag
    kIf,
    kIfElse,
    kLoop,
    // For the stacks alone (stack_program.h); those of `choice` do it, for calls also kAll
    kPlain,      ///< nothing but its number
    kBarrier,    ///< CTA barrier of all warps, outside of every container
    kExit,       ///< end
    kBreak,      ///< leave the innermost loop
    kBreakOuter, ///< leave the two innermost loops
    kContinue,   ///< go on with the next round of the innermost loop
    kReturn,     ///< leave the function
    kRepeat,     ///< loop with the condition behind the body
    kCall,       ///< call of a function with this body
};

struct Piece {
    PieceKind kind = PieceKind::kYield;
    Choice choice = Choice::kOdd;
    int barrier = -1; ///< B register of an if or loop, -1: not joined
    std::vector<Piece> body;
    std::vector<Piece> other; ///< else
};
using Block = std::vector<Piece>;

/// Assembly text for warps of `threads` threads. Warps have the flag in common, and meetings of their own. R1 ends as a
/// number that tells the way each thread has gone: behind each piece it is multiplied by 5 and gets the piece's number;
/// behind a meeting it also takes in how many have come there.
std::string text_of(const Block &program, unsigned threads);

/// How a program ends when its threads run independently.
struct Independent {
    enum class End : std::uint8_t {
        kCompletes,
        kDeadlock, ///< the threads that are left in some warp all wait at meetings
        kEndless,  ///< some thread waits for the flag for ever
    };
    End end = End::kCompletes;
    std::vector<std::uint32_t> r1; ///< of each thread, warp after warp, when it completes
};
Independent run_independently(const Block &program, unsigned threads, unsigned warps = 1);

} // namespace smsim::state_space
