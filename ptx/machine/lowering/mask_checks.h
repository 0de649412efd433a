// Masks under simt_stack. Its WARPSYNC does nothing (engines.md [E-5]), so code that the compiler could not prove
// together compares the mask of an operation with the threads that are present.
//
// The engine does not report which threads have ended. Outside of every region, though, all that have not are active:
// their mask is saved there, and inside it shows which threads are alive. Threads that end in between count as
// missing.
#pragma once

#include <vector>

#include "ptx/machine/call_graph.h"
#include "ptx/machine/regions.h"

namespace smsim::ptx::machine {

class MaskChecks {
  public:
    /// `calls` of `module`; both must outlive the checks.
    MaskChecks(Module &module, const CallGraph &calls);

    /// Writes a check before each remaining WARPSYNC of a function, before the instructions of the mechanism are
    /// written: a branch to a TRAP kMaskTrap where a thread is not in its own mask, and inside of regions where
    /// threads that the mask names are not present. Outside, the mask of the whole warp needs none. Callers precede
    /// callees.
    void write(std::size_t function, const Regions &regions);

    /// Adds the traps to the checks of a function, once the instructions of the mechanism are written.
    static void lead_to_traps(Function &function);

  private:
    Module &module_;
    const CallGraph &calls_;
    std::vector<bool> meets_; ///< by function: it, or one that it calls, has a WARPSYNC
    std::vector<bool> apart_; ///< by function: called where other threads of the warp may be in other places
};

} // namespace smsim::ptx::machine
