#include "model/error.h"

#include <array>

namespace smsim {

const char *fault_name(Fault fault) {
    constexpr std::array kNames = {"IllegalTarget",    "IllegalInstruction", "WarpSyncMembership",
                                   "SyncDeadlock",     "IllegalTrap",        "Trap",
                                   "BarrierCount",     "BarrierOperand",     "BarrierMismatch",
                                   "BarrierOverflow",  "BarrierBusy",        "BarrierDeadlock",
                                   "IllegalAddress",   "MisalignedAddress",  "MemoryError",
                                   "BadReconvergence", "BarrierDiverged",    "StackLeak",
                                   "StackOverflow",    "DivergentTarget",    "StackUnderflow",
                                   "TokenMismatch",    "WarpSyncDiverged",   "Hazard",
                                   "Watchdog",         "LockstepDifference", "RtlViolation",
                                   "NoResponse",       "MatrixDiverged"};
    return kNames.at(static_cast<std::size_t>(fault));
}

} // namespace smsim
