// Which regions of a function become tokens of the token stack, where they are pushed, and how each edge leaves them
// (engines.md Lowering, token_stack). Regions nest by construction of the analysis except where threads leave loops.
// An edge that would have to pass a token of its own kind cannot be written and is reported, so that it can be led
// another way.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ptx/machine/regions.h"

namespace smsim::ptx::machine {

/// What is pushed for a region, and with which instruction threads leave it.
enum class TokenKind : std::uint8_t {
    kSync,     ///< SSY, SYNC: its token is the topmost where threads leave
    kBreak,    ///< PBK, BRK: threads leave it out of regions inside
    kContinue, ///< PCNT, CONT: likewise, to the end of a loop's round
};

/// An edge between blocks, and the tokens it leaves and enters.
struct TokenEdge {
    BlockIndex from = kNoBlock;
    BlockIndex to = kNoBlock;
    std::optional<TokenKind> leaves{}; ///< with this instruction; none: by a jump
    std::vector<RegionIndex> enters{}; ///< pushed on the edge, the outermost first
};

/// An edge that cannot be written: it leaves regions in a way for which there is no instruction, or leads from one
/// region directly into another.
struct TokenConflict {
    BlockIndex from = kNoBlock;
    BlockIndex to = kNoBlock;
    RegionIndex region = kNoRegion; ///< the one that it must leave first, by its own instruction
    bool goes_on = false;           ///< from the region's meeting its threads continue to `to`, not with the others
};

struct TokenPlan {
    std::vector<TokenKind> kinds;                 ///< by region
    std::vector<std::vector<RegionIndex>> pushes; ///< by block: at its end, the outermost first
    std::vector<TokenEdge> edges;                 ///< those that leave or enter something
    bool in_order = true; ///< false: a region would have to be entered around an open one, which no push does
    std::optional<TokenConflict> conflict; ///< if set, the rest is incomplete
};

/// The plan for `regions`, whose graph must be reducible.
TokenPlan plan_tokens(const Regions &regions);

} // namespace smsim::ptx::machine
