// A randomly generated control instruction with what it reads.
#pragma once

#include <cstdint>

#include "bru/reconvergence_engine.h"
#include "model/isa/instruction.h"

namespace smsim::independent_rules {

/// One control instruction with what it reads.
struct RandomStep {
    isa::Instruction insn;
    LaneMask guard;
    LaneMask guard_pp;
    isa::VectorOperands vectors{};
    std::uint64_t scalar = 0;

    bru::Operands operands() const { return {guard, guard_pp, vectors, scalar}; }
};

} // namespace smsim::independent_rules
