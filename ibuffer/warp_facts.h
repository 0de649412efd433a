// What an issue policy can ask about the warps of its sub-partition. Each answer is computed when it is asked for, so
// that what a policy does not ask costs nothing. Answers hold for the cycle of the choice, before its issue, and do not
// depend on the order of processes.
#pragma once

#include <cstdint>

#include "ibuffer/warp_set.h"
#include "model/isa/instruction.h"
#include "model/state/warp_life.h"
#include "model/stats/stall.h"
#include "model/types.h"

namespace smsim::ibuffer {

/// Warps are identified by their index in the sub-partition; except for `resident`, they must be resident.
class WarpFacts {
  public:
    virtual ~WarpFacts() = default;
    virtual WarpSet resident() const = 0;
    /// CTA, place in the CTA, start order (`age`) and threads from the block size.
    virtual const WarpStart &start_of(unsigned warp) const = 0;
    /// Resident warps of its CTA in this sub-partition, the warp included.
    virtual WarpSet of_cta(unsigned warp) const = 0;

    /// Decoded instructions in its buffer.
    virtual unsigned buffered(unsigned warp) const = 0;
    /// Its next instruction: operation, unit, operands; null when it is not in the buffer.
    virtual const isa::Instruction *head(unsigned warp) const = 0;
    /// Whether its next instruction waits for nothing but its unit and its turn.
    virtual bool operands_ready(unsigned warp) const = 0;
    virtual WarpState state(unsigned warp) const = 0;
    virtual StallReason reason(unsigned warp) const = 0;
    /// The cycle since which it has been in this state for this reason with the same next instruction.
    virtual Cycle since(unsigned warp) const = 0;
    /// Instructions that it has issued.
    virtual std::uint64_t instructions(unsigned warp) const = 0;

    /// Active threads; none while a control instruction of the warp is under way.
    virtual LaneMask active(unsigned warp) const = 0;
    /// Threads on other paths: neither active nor exited; likewise none while a control instruction is under way.
    virtual LaneMask parked(unsigned warp) const = 0;

    /// Memory instructions whose answers it awaits.
    virtual unsigned outstanding_accesses(unsigned warp) const = 0;
    /// Warps that have arrived at a CTA barrier and have not been released.
    virtual WarpSet at_barrier() const = 0;
};

} // namespace smsim::ibuffer
