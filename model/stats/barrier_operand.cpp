#include "model/stats/barrier_operand.h"

#include <fmt/format.h>

namespace smsim {

std::string text_of(const BarrierOperand &operand) {
    const std::uint32_t used = operand.acts_as();
    switch (operand.kind) {
    case BarrierOperand::Kind::kBarrier:
        return fmt::format("R{} holds {}, which acts as barrier {}", operand.reg, operand.value, used);
    case BarrierOperand::Kind::kCount:
        return fmt::format("R{} holds {}, which acts as count {}", operand.reg, operand.value, used);
    default:
        return fmt::format("R{} holds {:#x}, which acts as barrier {} with count {}", operand.reg, operand.value,
                           used & BarrierOperand::kBarrierBits, used >> BarrierOperand::kJointCountLsb);
    }
}

} // namespace smsim
