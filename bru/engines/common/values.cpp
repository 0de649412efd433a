// Operands and texts.
#include "bru/engines/common/values.h"

#include <algorithm>

#include <fmt/format.h>

namespace smsim::bru {

std::uint32_t sleep_time(const isa::Instruction &insn, const Operands &operands, LaneMask lanes) {
    switch (insn.form) {
    case isa::Form::kR: {
        std::uint32_t shortest = ~std::uint32_t{0};
        for_each_lane(lanes, [&](unsigned lane) {
            shortest = std::min(shortest, static_cast<std::uint32_t>(operands.vectors[0][lane]));
        });
        return shortest;
    }
    case isa::Form::kI:
        return static_cast<std::uint32_t>(insn.imm);
    default: // U, C
        return static_cast<std::uint32_t>(operands.scalar);
    }
}

std::string text_of(LaneMask mask) {
    return fmt::format("{:#010x}", mask.bits());
}
std::string text_of_pc(Pc pc) {
    return fmt::format("{:#06x}", pc);
}

} // namespace smsim::bru
