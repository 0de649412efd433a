// Where a warp is certainly together, and the meetings that it needs nowhere else.
//
// Ways that a branch parts come together again where their region meets. On every engine they do so for certain when
// the whole warp has entered the region at one place and nothing in it can keep threads back or lets others pass them:
// no sleep, no yield, no other meeting, no call, no way out that goes elsewhere. Nor may a thread have yielded before
// and passed no BSYNC since: it is in YieldMask still, and no BSYNC waits for it (bru.md BSYNC 4).
#pragma once

#include <vector>

#include "ptx/machine/regions.h"

namespace smsim::ptx::machine {

/// True for each block at whose beginning all threads of the warp that have not ended are together for certain.
/// `entry`: they are so where the function begins. Of a device function the regions do not count: a caller may have
/// taken the barriers that they need.
std::vector<bool> find_converged(const Function &function, const Regions &regions, const Divergence &divergence,
                                 bool entry);

/// True when the warp is together behind `instruction`, which it meets `together` or not.
bool together_behind(const Instruction &instruction, bool together);

/// Which masks are the whole warp for certain: numbers, and registers that are given that number once and nothing else.
class WholeMasks {
  public:
    explicit WholeMasks(const Function &function);

    /// True when the mask of a WARPSYNC leaves out nobody.
    bool names_all(const Instruction &meeting) const;

  private:
    std::vector<bool> all_; ///< by register
};

/// Removes each WARPSYNC that is `removable` and whose threads are together already: where the whole warp is and in the
/// mask, or behind another one with the same mask. Others may leave out threads that are there, which they find. True
/// when there was one.
bool remove_meetings(Function &function, const std::vector<bool> &converged);

} // namespace smsim::ptx::machine
