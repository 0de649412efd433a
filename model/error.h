// Errors that a user can cause, and the exceptions that a running program can raise.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "model/types.h"

namespace smsim {

/// Bad input: thrown by loaders, assembler, configuration and launch; `what()` is one message with place and cause,
/// in the form "file:line:column: what is wrong; what was expected".
class InputError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Causes that end a run (bru.md Exceptions, bcu.md).
enum class Fault : std::uint8_t {
    kIllegalTarget,
    kIllegalInstruction,
    kWarpSyncMembership,
    kSyncDeadlock,
    kIllegalTrap,
    kTrap,
    kBarrierCount,
    kBarrierOperand,
    kBarrierMismatch,
    kBarrierOverflow,
    kBarrierBusy,
    kBarrierDeadlock,
    kIllegalAddress,
    kMisalignedAddress,
    kMemoryError,
    kBadReconvergence,
    kBarrierDiverged,
    kStackLeak,
    kStackOverflow,
    kDivergentTarget,
    kStackUnderflow,
    kTokenMismatch,
    kWarpSyncDiverged,
    kHazard,
    kWatchdog,
    kLockstepDifference,
    kRtlViolation,
    kNoResponse,
    kMatrixDiverged,
};

/// Name of a fault as the specification writes it ("IllegalTarget").
const char *fault_name(Fault fault);

/// What a core reports when an instruction cannot be executed: the cause and a sentence with the values involved.
/// Callers that know more (kernel, warp, CTA, PC, text, masks) add it.
struct FaultReport {
    Fault fault = Fault::kIllegalInstruction;
    std::string detail;
    std::uint64_t address = 0; ///< the refused address of global memory
    std::uint32_t bytes = 0;   ///< its length; 0: the fault has no such address
};

/// Why an arrival at a CTA barrier would be refused if the warp arrived at one before its next control instruction: its
/// control state does not allow it. A sentence without values.
struct ArrivalRefusal {
    Fault fault = Fault::kIllegalInstruction;
    std::string_view reason;
};

} // namespace smsim
