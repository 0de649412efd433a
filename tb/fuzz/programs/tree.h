// A random program as a tree of statements: the generator grows it, the shrinker cuts it, and the emitter writes it as
// assembly.
//
// A node holds raw random numbers and does not determine registers, labels or legality. The emitter gives them a
// meaning at the place of the node and leaves out a node that would be illegal there. So every tree is a legal
// program, whatever the shrinker has removed.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace smsim::fuzz {

/// Kinds of statements. "Team" statements need threads that are known to meet, and are used only where the emitter
/// knows which ones do.
enum class Kind : std::uint8_t {
    kCompute,  ///< integer arithmetic, logic, moves, predicates
    kPrivate,  ///< load or store of the thread's own global, shared or local memory, all widths
    kGather,   ///< load from read-only global memory at a computed index
    kAtomic,   ///< an atomic whose result does not depend on the order, shared or global
    kIf,       ///< blocks: then, else
    kLoop,     ///< block: body, run a number of times per thread
    kSwitch,   ///< blocks: the cases of a jump table
    kCall,     ///< call of one of the functions of the tree
    kBreakOut, ///< leaves one or several enclosing ifs, loops or switches
    kExit,     ///< some threads end
    kYield,
    kSleep,
    kBarrierRegister, ///< BSSY, BREAK, BMOV, BSYNC without any context: hints that must not change a result
    kNothing,         ///< NOP, SYSCALL, LEPC, MEMBAR, CS2R of a clock
    kTrap,
    kLock,        ///< critical section that the threads of one or all CTAs contend for
    kEither,      ///< block, written twice: which of the two a BRA.U, .DIV or .CONV chooses must not matter
    kMeet,        ///< team: WARPSYNC, perhaps in groups
    kExchange,    ///< team: values over shared memory or between lanes, between two meetings
    kKnownBranch, ///< team: BRA.U, .DIV or .CONV where a meeting has fixed what it does
    kChain,       ///< team: each thread of the CTA waits for the one before it
    kBarrier,     ///< team: BAR.SYNC in all forms, perhaps with data over it
    kReduce,      ///< team: BAR.RED in all forms
    kProducer,    ///< team: some warps BAR.ARV, others BAR.SYNC
    kPartBarrier, ///< team: BAR by some lanes of every warp while the others are at other places
    kContext,     ///< team: barrier state saved, cleared and restored
    kLate,        ///< team: a meeting at which some lanes are one turn of a loop before they take part
    kButterfly,   ///< team: values between lanes whose numbers differ in one bit, pair by pair
};
inline constexpr unsigned kKinds = static_cast<unsigned>(Kind::kButterfly) + 1;

struct Node {
    Kind kind = Kind::kNothing;
    std::array<std::uint32_t, 6> p{}; ///< raw random numbers
    std::vector<std::vector<Node>> blocks;
};
using Block = std::vector<Node>;

/// A whole program and the grid it runs on.
struct Tree {
    std::uint64_t data_seed = 0; ///< of the input data
    std::uint32_t ctas = 1;
    std::uint32_t threads = 32; ///< per CTA; the last warp may be partial
    bool trap_handler = false;
    std::vector<Block> functions; ///< function i may call those after it
    Block body;
};

/// Number of nodes in a block, including nested blocks.
inline std::size_t size_of(const Block &block) {
    std::size_t size = block.size();
    for (const Node &node : block) {
        for (const Block &inner : node.blocks) {
            size += size_of(inner);
        }
    }
    return size;
}

/// True if the block or one of its nested blocks contains a node of that kind.
inline bool contains(const Block &block, Kind kind) {
    for (const Node &node : block) {
        if (node.kind == kind) {
            return true;
        }
        for (const Block &inner : node.blocks) {
            if (contains(inner, kind)) {
                return true;
            }
        }
    }
    return false;
}

} // namespace smsim::fuzz
