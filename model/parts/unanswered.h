// Unanswered transactions on memory, for diagnosing a run that does not continue.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/isa/instruction.h"
#include "model/types.h"

namespace smsim::parts {

/// The transaction that has waited longest for the memory.
struct UnansweredRequest {
    enum class Kind : std::uint8_t { kRead, kWrite, kAtomic };
    Kind kind = Kind::kRead;
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    Cycle sent = 0;         ///< time of its BEGIN_REQ
    bool accepted = false;  ///< the memory has ended the request, but has not answered it
    std::size_t others = 0; ///< further unanswered ones, including those that could not be sent yet
};

/// A memory instruction that waits for an answer.
struct WaitingAccess {
    WarpSlot warp;
    std::uint64_t age = 0; ///< of its warp (WarpStart): its slot may have another one
    const isa::Instruction *insn = nullptr;
    LaneMask active;
    LaneMask lanes; ///< threads that take part in the access
    Cycle issued = 0;
};

} // namespace smsim::parts
