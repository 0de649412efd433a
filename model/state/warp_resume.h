// A warp that continues in timed simulation from where functional execution has left it (docs/estimate.md "From an
// instruction on"): what every part needs besides `WarpStart`. Plain data; parts that only one kind of part can read
// are opaque to the others.
#pragma once

#include <any>
#include <optional>

#include "model/error.h"
#include "model/types.h"

namespace smsim {

/// The warp is not asleep, its results are all written, and its accesses are performed. This does not change until the
/// launch has ended.
struct WarpResume {
    Pc pc = 0;                                      ///< address of its next instruction
    LaneMask active;                                ///< threads that execute it
    bool waits_at_barrier = false;                  ///< blocked at a CTA barrier, at which it has arrived
    std::optional<ArrivalRefusal> refuses_arrivals; ///< reported by its last control instruction
    std::any registers;                             ///< from the datapath: std::shared_ptr<const WarpRegisters>
    std::any control;                               ///< from the reconvergence engine, the result of its `save`
    std::any barriers; ///< from the barrier unit: std::shared_ptr<const CtaBarriers> of its CTA, in which it is blocked
                       ///< if it waits, and warps that have ended before are marked as exited
};

} // namespace smsim
