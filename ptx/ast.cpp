#include "ptx/ast.h"

#include <array>

namespace smsim::ptx {

std::uint64_t size_in_bytes(const Variable &variable) {
    std::uint64_t bytes = std::uint64_t{variable.type.bits / 8} * variable.vector;
    for (const std::uint64_t dimension : variable.dimensions) {
        if (__builtin_mul_overflow(bytes, dimension, &bytes)) {
            return ~std::uint64_t{0};
        }
    }
    return bytes;
}

std::string full_name(const Instruction &instruction) {
    std::string name = instruction.opcode;
    for (const std::string &modifier : instruction.modifiers) {
        name += "." + modifier;
    }
    return name;
}

bool is_plain_name(const Operand &operand) {
    return operand.kind == OperandKind::kName && operand.component.empty() && !operand.negated && operand.value == 0;
}

std::string_view space_name(Space space) {
    constexpr std::array<std::string_view, 6> kNames = {"reg", "const", "global", "local", "param", "shared"};
    return kNames.at(static_cast<std::size_t>(space));
}

} // namespace smsim::ptx
