// The exception that ended a run, as fields for programs; its message for people is stored beside it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "model/error.h"
#include "model/types.h"

namespace smsim {

/// What is known of an exception. BarrierDeadlock and Watchdog do not belong to a single warp and have no place.
struct RaisedException {
    /// The instruction that raised it. An exception of its operands is found at its issue, and nothing of the warp runs
    /// after it; one that depends on a barrier's state or on the memory is found later.
    struct Place {
        SmId sm;
        std::uint64_t cta = 0; ///< linear number in the grid
        std::array<std::uint32_t, 3> cta_id{};
        std::uint32_t warp = 0; ///< of the CTA
        Pc pc = 0;
        std::string instruction; ///< as the disassembler writes it; empty: none at `pc`
        std::string file;        ///< source; empty: not known
        std::uint32_t line = 0;  ///< in `file`, 0: not known
        LaneMask active;         ///< ActiveMask before the instruction
        LaneMask threads;        ///< those that executed it: their guard was true
        Cycle issued = 0;
        std::uint64_t issued_since = 0; ///< instructions that the warp issued between then and the exception
    };
    Fault kind = Fault::kIllegalInstruction;
    Cycle cycle = 0; ///< in which it was found
    std::optional<Place> place;
};

} // namespace smsim
