// Interface for code that observes every instruction of a functional execution.
#pragma once

#include <cstdint>

#include "model/isa/instruction.h"
#include "model/state/memory_request.h"
#include "model/state/warp_life.h"
#include "model/types.h"
#include "sm/datapath/compute/registers.h"

namespace smsim::sm::functional {

/// An executed warp instruction. References are valid during the call.
struct Executed {
    std::uint64_t number = 0; ///< of the instructions of all warps, from 0, over all launches
    const WarpStart &start;
    const isa::Instruction &insn;
    LaneMask active;                         ///< ActiveMask before it
    LaneMask executed;                       ///< those whose guard was true
    std::uint64_t sequence = 0;              ///< instructions of its warp before it
    const compute::WarpRegisters &registers; ///< with its result
    const MemoryRequest *access = nullptr;   ///< of a load, store or atomic that some thread executes
};

class Watcher {
  public:
    virtual ~Watcher() = default;
    /// What a load, store or atomic that some thread executes accesses, before it is performed.
    virtual void accesses(const MemoryRequest &request) = 0;
    /// Called after each instruction, but not for one that raises an exception.
    virtual void executed(const Executed &instruction) = 0;
    /// All threads of a warp have exited.
    virtual void ended(const WarpStart &start, const compute::WarpRegisters &registers) = 0;
};

} // namespace smsim::sm::functional
