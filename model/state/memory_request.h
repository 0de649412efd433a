// A memory instruction of a warp with the addresses and data of its threads: what registers and load/store unit
// exchange, independent of its transport. Plain C++.
#pragma once

#include <array>
#include <cstdint>

#include "model/isa/instruction.h"
#include "model/types.h"

namespace smsim {

struct MemoryRequest {
    WarpSlot warp;
    const isa::Instruction *insn = nullptr;
    LaneMask lanes; ///< threads that take part in the access; not empty; of LDSM and STSM those with addresses of rows
    std::array<std::uint64_t, kLanes> address{}; ///< byte address in the instruction's space
    std::array<std::array<std::uint32_t, kLanes>, 4>
        data{}; ///< [word][lane]: store data, atomic operand; loaded data on return
    std::array<std::array<std::uint32_t, kLanes>, 2> compare{}; ///< [word][lane]: CAS compare value
    std::uint64_t window_base = 0;  ///< shared: CTA's base in the SM's shared memory; local: base of the warp's window
    std::uint64_t window_bytes = 0; ///< shared: bytes of the CTA; local: bytes per thread
};

} // namespace smsim
