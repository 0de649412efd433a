// Choices of a path from shared libraries (model/policy_library.h), for `bru.election`: which of the waiting paths of a
// warp runs next. The model's own are functions (election.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "model/config/sections/bru.h"
#include "model/policy_library.h"
#include "model/types.h"

namespace smsim::bru::convergence_barrier {

/// Candidates at one address.
struct Path {
    Pc pc;               ///< where they continue
    LaneMask threads;    ///< at least one
    std::uint32_t place; ///< of the thread that has waited longest, in the order in which the waiting threads of the
                         ///< warp left ActiveMask, 0 the earliest; those that left together share a place
};

/// Strategy that picks a path. Deterministic; may keep state of its own, which a launch that continues in time after
/// functional execution does not take over. One object serves all warps of an SM.
class PathChoice {
  public:
    virtual ~PathChoice() = default;
    /// The index in `paths` of the one that runs next. `paths` has at least two, in the order of their lowest lanes.
    /// The call is also made for paths of which the warp sleeps until its timer fires. `warp`: slot of the warp.
    virtual std::size_t choose(WarpSlot warp, std::span<const Path> paths) = 0;
    /// A warp starts in slot `warp`.
    virtual void started(WarpSlot /*warp*/) {}
};

/// What a library exports as `smsim_path_choice`; `PolicyRequest::warps` is the number of warp slots.
using PathChoiceLibrary = PolicyLibrary<PathChoice>;

/// The choice of the configuration (`bru.election`) when it is from a library; otherwise null. Throws InputError for a
/// library that cannot be used.
std::unique_ptr<PathChoice> make_path_choice(const BruConfig &config, std::uint32_t warps);

} // namespace smsim::bru::convergence_barrier
