// What is known of a function's control flow before any mechanism of reconvergence writes its instructions: which
// branches may part a warp, where the ways meet again, how these regions nest and what leaves them, loops and calls
// (lowering.md Convergence insertion, engines.md Lowering). All mechanisms are written from this one analysis, so that
// their convergence points are the same.
//
// A region is what lies between a divergent branch, or the front of a loop that threads leave in different rounds, and
// the block where all its ways meet. Ways are looked at loop by loop: inside a loop those that leave it do not count,
// so that the threads that stay meet in every round. Regions with one meeting are one region with several entries.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "ptx/machine/divergence.h"

namespace smsim::ptx::machine {

using RegionIndex = std::uint32_t;
inline constexpr RegionIndex kNoRegion = 0xffffffff;

/// Blocks in rising order; there is a set for each region, so it takes no more room than it has blocks.
class BlockSet {
  public:
    BlockSet() = default;
    /// Of different blocks, in any order.
    explicit BlockSet(std::vector<BlockIndex> blocks) : blocks_(std::move(blocks)) { std::ranges::sort(blocks_); }
    bool has(BlockIndex block) const { return std::ranges::binary_search(blocks_, block); }
    std::size_t size() const { return blocks_.size(); }
    auto begin() const { return blocks_.begin(); }
    auto end() const { return blocks_.end(); }

  private:
    std::vector<BlockIndex> blocks_;
};

struct Region {
    BlockIndex meeting = kNoBlock;     ///< the block behind it, where its ways meet
    std::vector<BlockIndex> entries{}; ///< at the ends of these blocks threads enter it
    BlockSet blocks{};                 ///< at whose ends threads are inside; entries of branches among them
    /// Regions inside one another, the outermost 0. From kMostDepth on the numbers do not tell who holds whom.
    unsigned depth = 0;
    RegionIndex parent = kNoRegion; ///< the one around it, in which it begins
};

/// Depths up to here are exact; far beyond what the mechanisms can hold, and a bound where regions hold one another.
inline constexpr unsigned kMostDepth = 32;

/// A block that can go to several others.
struct Branch {
    BlockIndex block = kNoBlock;
    bool divergent = false;
    /// The immediate post-dominator of the branch in its function, guarded EXITs counted as ways to the end; kNoBlock:
    /// the ways meet at the end of the function only, or not at all.
    BlockIndex meeting = kNoBlock;
    /// Of a divergent one; kNoRegion where no two ways go on, where they do not meet, or meet at a plain end.
    RegionIndex region = kNoRegion;
};

/// What is known of a loop beside FlowGraph::loops.
struct LoopExits {
    bool divergent = false;        ///< threads may leave it in different rounds
    bool waits = false;            ///< its end may depend on what other threads write
    bool stalls = false;           ///< and a thread gets no further there before another one has written
    BlockIndex meeting = kNoBlock; ///< where its ways out meet, further loops' ways out not counted; else kNoBlock
    RegionIndex region = kNoRegion;
};

/// An edge that leaves regions elsewhere than at their meetings.
struct WayOut {
    BlockIndex from = kNoBlock;
    BlockIndex to = kNoBlock;
    std::vector<RegionIndex> regions{}; ///< that it leaves so, the innermost first
};

struct CallSite {
    BlockIndex block = kNoBlock;
    std::size_t index = 0;  ///< of the instruction in the block
    bool divergent = false; ///< through a pointer that may send threads to different functions
    unsigned depth = 0;     ///< of regions around it: 0 for none
};

struct Regions {
    FlowGraph graph;
    std::vector<Region> regions;
    std::vector<Branch> branches; ///< in the order of blocks
    std::vector<LoopExits> loops; ///< by FlowGraph::loops
    std::vector<WayOut> ways_out; ///< in the order of blocks, and of their successors
    std::vector<CallSite> calls;  ///< in the order of the code
    /// A block of a loop in which a thread may wait for another one of its warp that is not in the loop any more, or
    /// not yet: the header of the first loop that stalls and is left in different rounds. kNoBlock: none.
    BlockIndex needs_progress = kNoBlock;
};

/// Analyses `function`, whose loops must be normal (`normalise_loops`). What is found holds while blocks, edges and
/// places of instructions stay.
Regions find_regions(const Function &function, const Divergence &divergence);

} // namespace smsim::ptx::machine
