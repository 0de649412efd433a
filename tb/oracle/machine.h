// The state of an oracle run: threads, warps and CTAs in flat arrays, memory, and what ends a run early.
//
// Resident CTAs have slots; warps and threads are numbered across all slots, a warp always taking 32 thread numbers.
// The files of the oracle are functions on this state, grouped by subject; run.cpp iterates over the threads.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tb/oracle/oracle.h"
#include "tb/oracle/random.h"
#include "tb/oracle/step.h"

namespace smsim::oracle {

/// Ends the run; thrown by the code that finds the cause, caught in `run`.
struct Stop {
    Failure failure;
};

enum class State : std::uint8_t {
    kReady,
    kAtSet,      ///< waits for the other members of its set
    kAtWarpsync, ///< waits for the threads of its mask
    kAtBarrier,  ///< waits for the completion of a CTA barrier; its pc is after the instruction
    kExited,
    kAbsent, ///< a lane of a partial warp, or of a free slot
};

/// What pushed a token of token_stack: SSY, PBK, PCNT, a call.
enum class TokenKind : std::uint8_t { kSync, kBrk, kCont, kRet };

struct Token {
    TokenKind kind = TokenKind::kSync;
    std::uint32_t pc = 0; ///< index of the instruction at which the thread resumes
};

struct Thread {
    std::uint32_t pc = 0;          ///< index of the next instruction
    std::uint32_t set = 0;         ///< lanes known to be together, including exited ones; 0: not known
    std::uint32_t meeting = 0;     ///< incremented at each WARPSYNC passed: shows whether `set` is still the same
    std::uint32_t mask = 0;        ///< of the WARPSYNC at which it waits
    std::uint32_t trap_return = 0; ///< index of the instruction after the TRAP
    std::uint32_t trap_meeting = 0;
    std::uint8_t predicates = 0x80; ///< bit 7 is PT
    std::uint8_t barrier = 0;       ///< the CTA barrier at which it waits
    State state = State::kAbsent;
    bool queued = false; ///< is in the list of the run
    bool in_trap = false;
    std::uint8_t flags = 0;      ///< condition flags (flags.h)
    bool limit_reached = false;  ///< LMT of token_stack
    std::vector<Token> tokens{}; ///< of token_stack; the top is the last
};

struct Warp {
    std::uint32_t living = 0;
    std::uint32_t at_set = 0;
    std::uint32_t at_warpsync = 0;
    std::uint32_t at_barrier = 0;
    std::uint32_t barrier_state = 0; ///< bcu.md State, `WarpBarState`
    std::uint32_t number = 0;        ///< in its CTA
    std::uint32_t cta = 0;           ///< slot
};

/// A CTA barrier (bcu.md State).
struct Barrier {
    std::uint32_t arrived = 0;  ///< warps
    std::uint32_t expected = 0; ///< warps; 0: all alive
    std::uint8_t kind = 0;      ///< 0 idle, 1 SYNC/ARV, 2 RED
    std::uint8_t redop = 0;
    bool logical = false;        ///< result so far of AND and OR
    std::uint32_t ones = 0;      ///< of POPC
    std::uint32_t red_warps = 0; ///< warps that arrived by RED
    std::uint32_t blocked = 0;   ///< threads that wait
};

struct Cta {
    std::uint32_t number = 0; ///< linear, in the grid
    std::uint32_t living_warps = 0;
    std::array<Barrier, kBarriers> barriers{};
};

/// The reconvergence engine that the program is for.
enum class Engine : std::uint8_t { kConvergenceBarrier, kSimtStack, kTokenStack };

class Machine {
  public:
    Machine(const Launch &launch, std::uint64_t seed);

    const Launch &launch;
    Engine engine = Engine::kConvergenceBarrier;
    Steps program;
    Random random;
    std::uint32_t threads_per_cta = 0;
    std::uint32_t warps_per_cta = 0;
    std::uint64_t ctas_in_grid = 0;

    std::vector<Thread> threads;
    std::vector<Warp> warps;
    std::vector<Cta> ctas;
    std::vector<std::uint32_t> rows;   ///< `program.row_words` words per thread
    std::vector<std::uint8_t> shared;  ///< of each slot
    std::vector<std::uint8_t> local;   ///< of each thread
    std::vector<Region> regions;       ///< global memory
    std::vector<std::uint32_t> sorted; ///< regions by address
    std::uint32_t last_region = 0;     ///< where the last access was
    std::uint32_t meetings = 0;        ///< passes of WARPSYNC so far
    std::vector<std::uint32_t> queue;  ///< threads that can run, and some that have just stopped

    const Step &step_at(std::uint32_t pc) const { return program.steps[pc]; }
    std::uint32_t *row(std::uint32_t thread) { return rows.data() + std::size_t{thread} * program.row_words; }
    Warp &warp_of(std::uint32_t thread) { return warps[thread / kLanes]; }
    Cta &cta_of(std::uint32_t thread) { return ctas[warps[thread / kLanes].cta]; }
    /// Number of the thread in its CTA.
    std::uint32_t number_of(std::uint32_t thread) { return warp_of(thread).number * kLanes + thread % kLanes; }

    /// Whether `thread` executes `step`, according to its guards, condition test and LMT.
    bool executes(std::uint32_t thread, const Step &step) const;
    /// Index of the instruction at a byte address that `thread` jumps to; IllegalTarget if there is none.
    std::uint32_t index_of(std::uint32_t thread, std::int64_t address);

    /// Lets a waiting thread continue at `pc`.
    void wake(std::uint32_t thread, std::uint32_t pc);
    /// Lets the waiting threads `lanes` of warp `warp` continue after the instruction at which they wait.
    void let_go(std::uint32_t warp, std::uint32_t lanes);
    /// Places CTA `number` of the grid in a slot.
    void place(std::uint32_t slot, std::uint32_t number);

    /// "CTA 3, thread 17 at 0x0040 (BAR.RED)".
    std::string where(std::uint32_t thread);
    /// Ends the run with a fault of `thread`.
    [[noreturn]] void fault(std::uint32_t thread, Fault fault, const std::string &what);
    /// Ends the run because `thread` needs something that the oracle cannot know.
    [[noreturn]] void illegal(std::uint32_t thread, const std::string &what);
    /// Faults of the instruction itself: a register that the thread lacks, a constant outside its bank.
    [[noreturn]] void defect(std::uint32_t thread, const Step &step);
};

} // namespace smsim::oracle
