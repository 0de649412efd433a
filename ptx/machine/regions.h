// The analysis of a function's control flow before any mechanism of reconvergence writes its instructions: which
// branches may diverge, where the ways meet again, how these regions nest and what leaves them, loops and calls
// (lowering.md Convergence insertion, engines.md Lowering). All mechanisms are written from this one analysis, so that
// their convergence points are the same.
//
// A region is what lies between a divergent branch, or the front of a loop that threads leave in different rounds, and
// the block where all its ways meet. Ways are analysed loop by loop: inside a loop those that leave it do not count,
// so that the threads that stay meet in every round. Regions with the same meeting are one region with several
// entries.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "ptx/machine/divergence.h"

namespace smsim::ptx::machine {

using RegionIndex = std::uint32_t;
inline constexpr RegionIndex kNoRegion = 0xffffffff;

/// Blocks in ascending order; there is a set for each region, so its size is proportional to its number of blocks.
class BlockSet {
  public:
    BlockSet() = default;
    /// From distinct blocks, in any order.
    explicit BlockSet(std::vector<BlockIndex> blocks) : blocks_(std::move(blocks)) { std::ranges::sort(blocks_); }
    bool has(BlockIndex block) const { return std::ranges::binary_search(blocks_, block); }
    std::size_t size() const { return blocks_.size(); }
    auto begin() const { return blocks_.begin(); }
    auto end() const { return blocks_.end(); }

  private:
    std::vector<BlockIndex> blocks_;
};

struct Region {
    BlockIndex meeting = kNoBlock;     ///< the block after it, where its ways meet
    std::vector<BlockIndex> entries{}; ///< at the ends of these blocks threads enter it
    BlockSet blocks{};                 ///< at whose ends threads are inside; entries of branches among them
    /// Depth of nesting, the outermost 0. From kMostDepth on the numbers do not show which region contains which.
    unsigned depth = 0;
    RegionIndex parent = kNoRegion; ///< the one around it, in which it begins
};

/// Depths up to here are exact; far beyond what the mechanisms support, and a bound where regions contain one another.
inline constexpr unsigned kMostDepth = 32;

/// A block that can go to several others.
struct Branch {
    BlockIndex block = kNoBlock;
    bool divergent = false;
    /// The immediate post-dominator of the branch in its function, where guarded EXITs count as ways to the end;
    /// kNoBlock: the ways meet only at the end of the function, or not at all.
    BlockIndex meeting = kNoBlock;
    /// The region of a divergent branch; kNoRegion where no two ways go on, or they do not meet, or meet at a plain
    /// end.
    RegionIndex region = kNoRegion;
};

/// Information about a loop beside FlowGraph::loops.
struct LoopExits {
    bool divergent = false;        ///< threads may leave it in different rounds
    bool waits = false;            ///< its end may depend on what other threads write
    bool stalls = false;           ///< and a thread makes no progress there before another one has written
    BlockIndex meeting = kNoBlock; ///< where its ways out meet, not counting ways out of further loops; otherwise
                                   ///< kNoBlock
    RegionIndex region = kNoRegion;
};

/// An edge that leaves regions other than at their meetings.
struct WayOut {
    BlockIndex from = kNoBlock;
    BlockIndex to = kNoBlock;
    std::vector<RegionIndex> regions{}; ///< that it leaves this way, the innermost first
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
    /// A block of a loop in which a thread may wait for another one of its warp that has left the loop or has not
    /// entered it yet: the header of the first loop that stalls and is left in different rounds. kNoBlock: none.
    BlockIndex needs_progress = kNoBlock;
};

/// Analyses `function`, whose loops must be normal (`normalise_loops`). The result is valid while blocks, edges and
/// positions of instructions do not change.
Regions find_regions(const Function &function, const Divergence &divergence);

} // namespace smsim::ptx::machine
