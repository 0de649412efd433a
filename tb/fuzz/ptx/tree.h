// A random PTX program as a tree. Every tree is a program: what would be illegal at its place is left out of the text,
// so a tree can be reduced freely.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/config/sections/bru.h"

namespace smsim::ptx_fuzz {

enum class NodeKind : std::uint8_t {
    kArithmetic, ///< a few operations on the registers
    kMemory,     ///< store and load of the thread's own words in some space
    kIf,         ///< on a register; children: then, else
    kLaneIf,     ///< on the lane, so that the members of both sides are known; children: then, else
    kLoop,       ///< loop with a trip count that differs between threads; child: body
    kUniformLoop,
    kBreak,    ///< out of one or more loops, if a register requires it
    kContinue, ///< likewise
    kSwitch,   ///< brx.idx; children: the cases
    kCall,     ///< of a function by name
    kTableCall,
    kRecurse, ///< recursive call, to itself or an earlier function, a few times
    kReturn,  ///< early, if a register requires it
    kExit,
    kWild, ///< pieces of text with jumps among them, also into loops; children: the pieces
    kVote,
    kShuffle,
    kMatch,
    kReduce,
    kMatrix, ///< a product of matrices, or a move of some
    kWarpBarrier,
    kExchange, ///< through shared memory, between barriers of the CTA
    kBarrierReduce,
    kSplitBarrier, ///< both sides of a branch arrive at the same barrier
    kHandOver,     ///< bar.arrive by some warps, bar.sync by the others
    kAtomic,       ///< on words of all threads, where the order does not matter
    kOwnAtomic,    ///< on the thread's own word, with its result
    kLock,         ///< a spin lock around an update whose order does not matter
    kPeerWait,     ///< waits for a flag of another thread of the warp
    kChain,        ///< threads of the CTA run one after another
    kSleep,
    kPredicated, ///< guarded instructions
};

struct Node {
    NodeKind kind = NodeKind::kArithmetic;
    std::array<std::uint32_t, 6> random{}; ///< all choices of the node
    std::vector<std::vector<Node>> children;
};

struct Tree {
    std::uint64_t seed = 0;
    std::uint32_t threads = 32;
    std::uint32_t ctas = 1;
    /// The engine to run on. Without independent progress no thread waits for others of its warp.
    ReconvergenceEngineKind engine = ReconvergenceEngineKind::kConvergenceBarrier;
    bool beyond_compiler = false;             ///< features that PTX permits and the compiler does not support
                                              ///< (docs/testing.md)
    std::vector<std::vector<Node>> functions; ///< called from the kernel and from earlier functions
    std::vector<Node> kernel;
};

/// The tree of a seed.
Tree grow(std::uint64_t seed);

/// Nodes of the tree, all levels.
std::size_t count_nodes(const Tree &tree);

} // namespace smsim::ptx_fuzz
