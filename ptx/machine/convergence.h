// Where a warp is certainly together, so that it needs no meetings there.
//
// Paths that diverge at a branch reconverge at the meeting point of their region. On every engine they certainly do so
// when the whole warp has entered the region at one place and nothing in it can hold threads back or let others
// overtake them: no sleep, no yield, no other meeting, no call, no way out that leads past the meeting point. Nor may
// a thread have yielded earlier without passing a BSYNC since: it is still in YieldMask, and no BSYNC waits for it
// (bru.md BSYNC 4).
#pragma once

#include <vector>

#include "ptx/machine/regions.h"

namespace smsim::ptx::machine {

/// True for each block at whose beginning all threads of the warp that have not ended are certainly together. `entry`:
/// they are together where the function begins. The regions of a device function do not count: a caller may have taken
/// the barriers that they need.
std::vector<bool> find_converged(const Function &function, const Regions &regions, const Divergence &divergence,
                                 bool entry);

/// True when the warp is together after `instruction`, which it reaches `together` or not.
bool together_behind(const Instruction &instruction, bool together);

/// Which masks are certainly the whole warp: constants, and registers that are only ever assigned that constant.
class WholeMasks {
  public:
    explicit WholeMasks(const Function &function);

    /// True when the mask of a WARPSYNC leaves out no thread.
    bool names_all(const Instruction &meeting) const;

  private:
    std::vector<bool> all_; ///< by register
};

/// Removes each WARPSYNC that is `removable` and whose threads are together already: where the whole warp is there and
/// in the mask, or after another one with the same mask. Others may leave out threads that are there, which they
/// detect. True when there was one.
bool remove_meetings(Function &function, const std::vector<bool> &converged);

} // namespace smsim::ptx::machine
