// Who wants to see every instruction of a functional execution.
#pragma once

#include <cstdint>

#include "model/isa/instruction.h"
#include "model/state/memory_request.h"
#include "model/state/warp_life.h"
#include "model/types.h"
#include "sm/datapath/compute/registers.h"

namespace smsim::sm::functional {

/// A warp instruction that has been executed. References hold during the call.
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
    /// Behind each instruction; not of one that raises an exception.
    virtual void executed(const Executed &instruction) = 0;
    /// All threads of a warp have ended.
    virtual void ended(const WarpStart &start, const compute::WarpRegisters &registers) = 0;
};

} // namespace smsim::sm::functional
