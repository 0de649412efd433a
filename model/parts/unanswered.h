// Transactions on memory that have no answer, for who asks why a run does not go on.
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
    Cycle sent = 0;         ///< its BEGIN_REQ
    bool accepted = false;  ///< the memory has ended the request, and has not answered it
    std::size_t others = 0; ///< further ones that have no answer, those included that could not be sent yet
};

/// A memory instruction that waits for an answer.
struct WaitingAccess {
    WarpSlot warp;
    std::uint64_t age = 0; ///< of its warp (WarpStart): the slot may have another one
    const isa::Instruction *insn = nullptr;
    LaneMask active;
    LaneMask lanes; ///< threads that access
    Cycle issued = 0;
};

} // namespace smsim::parts
