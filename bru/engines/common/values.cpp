// Operand values and texts.
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

std::array<LaneMask, kLanes> member_masks(const isa::Instruction &insn, const Operands &operands, LaneMask valid) {
    const auto cut = [&](std::uint64_t value) {
        const LaneMask mask(static_cast<std::uint32_t>(value));
        return (insn.bitnot ? ~mask : mask) & valid;
    };
    std::array<LaneMask, kLanes> members;
    switch (insn.form) {
    case isa::Form::kR:
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            members[lane] = cut(operands.vectors[0][lane]);
        }
        break;
    case isa::Form::kI:
        members.fill(cut(static_cast<std::uint64_t>(insn.imm)));
        break;
    default: // U, C
        members.fill(cut(operands.scalar));
        break;
    }
    return members;
}

std::string text_of(LaneMask mask) {
    return fmt::format("{:#010x}", mask.bits());
}
std::string text_of_pc(Pc pc) {
    return fmt::format("{:#06x}", pc);
}

} // namespace smsim::bru
