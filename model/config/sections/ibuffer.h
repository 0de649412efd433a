// Instruction buffers and the choice of the warps that fetch and issue.
#pragma once

#include <cstdint>

#include "model/config/policy_choice.h"

namespace smsim {

/// Warp issue policies of a sub-partition (ibuffer/policies/).
enum class IssuePolicyKind : std::uint8_t {
    kGreedyThenYoungest,
    kGreedyThenOldest,
    kGreedyThenLeastRecent,
    kLooseRoundRobin,
    kTwoLevel,
    kCacheConscious,
    kCriticalityAware,
    kBarrierAware,
    kDivergentFirst,
};
/// The warp for which a sub-partition fetches when the warp that issued last has no room in its buffer: a warp with an
/// empty buffer first, in cyclic order; the youngest; or the one with the least recent fetch.
enum class FetchPolicyKind : std::uint8_t { kEmptyFirst, kYoungest, kLeastRecent };

struct IBufferConfig {
    std::uint32_t depth = 3;           ///< entries per warp
    std::uint32_t fetch_per_cycle = 1; ///< instructions that a sub-partition fetches per cycle and issue slot
    std::uint32_t issue_width = 1;     ///< instructions that a sub-partition issues per cycle, each of another warp
    std::uint32_t decode_latency = 1;  ///< cycles from the fetch response to issue-ready
    PolicyChoice<IssuePolicyKind> policy = IssuePolicyKind::kGreedyThenYoungest;
    FetchPolicyKind fetch_policy = FetchPolicyKind::kEmptyFirst;
    std::uint32_t redirect_latency = 0; ///< cycles from a jump that takes effect to the fetch at its target
    std::uint32_t redirect_penalty = 0; ///< additional cycles, when the target's line is not among those fetched last
                                        ///< for the warp
    std::uint32_t line_buffer = 3;      ///< the number of these lines
    bool fetch_behind_branch = true;    ///< the path after a control instruction is fetched while that is under way
    std::uint32_t two_level_active = 4; ///< active set of the two-level policy, warps
    /// The most cycles for which a warp that could issue is passed over, whatever the policy; 0: for ever
    std::uint32_t starvation_limit = 10000;
};

} // namespace smsim
