// A warp that goes on in time where execution without time has left it (docs/functional.md "From an instruction on"):
// what every part needs beside `WarpStart`. Plain data; what only one kind of part can read is opaque to the others.
#pragma once

#include <any>
#include <optional>

#include "model/error.h"
#include "model/types.h"

namespace smsim {

/// It sleeps nowhere, its results are all there, and its accesses are performed. It stays as it is until the launch has
/// ended.
struct WarpResume {
    Pc pc = 0;                                      ///< address of its next instruction
    LaneMask active;                                ///< that execute it
    bool waits_at_barrier = false;                  ///< blocked at a CTA barrier, whose arrival it has made
    std::optional<ArrivalRefusal> refuses_arrivals; ///< what its last control instruction has said
    std::any registers;                             ///< of the datapath: std::shared_ptr<const WarpRegisters>
    std::any control;                               ///< of the reconvergence engine, as its `save` has given it
    std::any barriers; ///< of the barrier unit: std::shared_ptr<const CtaBarriers> of its CTA, in which it is blocked
                       ///< where it waits, and warps that have ended before are exited
};

} // namespace smsim
