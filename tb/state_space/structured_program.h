// Structured programs for one warp, or for several that run the same program, as trees: the programs of the enumerated
// families, their assembly text, and the behaviour of each thread run alone.
//
// All conditions and trip counts depend only on the lane. So a thread's events are known in advance, and a few lines
// that are independent of masks and reconvergence decide whether the program can end (`run_independently`).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/types.h"

namespace smsim::state_space {

/// Which threads enter a branch, or how often a thread goes round.
enum class Choice : std::uint8_t {
    kOdd,     ///< lanes with bit 0
    kLower,   ///< the lower half of the threads (of three: lane 0)
    kByLane,  ///< loop: as often as the lane number
    kReverse, ///< loop: as often as there are threads above the lane
    kAll,     ///< all that arrive here
};

/// The parts of a program.
enum class PieceKind : std::uint8_t {
    kYield,          ///< YIELD
    kSleep,          ///< NANOSLEEP
    kGuardedYield,   ///< YIELD with a guard that is true in odd lanes
    kMeet,           ///< WARPSYNC of the threads that the program's conditions lead here, mask in the instruction
    kMeetByRegister, ///< the same, mask in a register
    kMeetAll,        ///< WARPSYNC of all threads of the warp
    kMeetOdd,        ///< WARPSYNC of the odd lanes of those that arrive here, by a guard
    kExitOdd,        ///< the odd lanes end
    kSpinYield,      ///< spins until the flag is set; YIELD in the loop
    kSpinSleep,      ///< the same with NANOSLEEP
    kSpinGuarded,    ///< the same with a guarded YIELD
    kSpinJoin,       ///< the same with YIELDs inside a separate if/else, joined with B1
    kSet,            ///< sets the flag
    kIf,
    kIfElse,
    kLoop,
    // For the stacks only (stack_program.h); the threads of `choice` do it, for calls also kAll
    kPlain,      ///< nothing but its number
    kBarrier,    ///< CTA barrier of all warps, outside of every container
    kExit,       ///< end
    kBreak,      ///< leave the innermost loop
    kBreakOuter, ///< leave the two innermost loops
    kContinue,   ///< continue with the next round of the innermost loop
    kReturn,     ///< leave the function
    kRepeat,     ///< loop with the condition after the body
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

/// Assembly text for warps of `threads` threads. Warps share the flag and have separate meetings. R1 ends as a number
/// that identifies the path of each thread: after each piece it is multiplied by 5 and the piece's number is added;
/// after a meeting also the number of arrived threads.
std::string text_of(const Block &program, unsigned threads);

/// How a program ends when its threads run independently.
struct Independent {
    enum class End : std::uint8_t {
        kCompletes,
        kDeadlock, ///< the remaining threads of some warp all wait at meetings
        kEndless,  ///< some thread waits for the flag forever
    };
    End end = End::kCompletes;
    std::vector<std::uint32_t> r1; ///< of each thread, warp by warp, if it completes
};
Independent run_independently(const Block &program, unsigned threads, unsigned warps = 1);

} // namespace smsim::state_space
