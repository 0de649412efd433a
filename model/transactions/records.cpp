#include "model/transactions/records.h"

namespace smsim::transactions {

const char *part_name(Part part) {
    constexpr std::array kNames = {"bru", "bcu", "timer", "shared"};
    return kNames.at(static_cast<std::size_t>(part));
}

Cycle cycle_of(const Record &record) {
    return std::visit([](const auto &one) { return one.at; }, record);
}

unsigned rank_of(const Record &record) {
    constexpr unsigned kStart = 3; // after the stop, the third kind of an event
    constexpr unsigned kLast = 6;
    if (const auto *event = std::get_if<Event>(&record)) {
        const auto kind = static_cast<unsigned>(event->kind);
        return kind < kStart ? kind : kind + 1;
    }
    return std::holds_alternative<Start>(record) ? kStart : kLast;
}

WarpSlot warp_of(const Record &record) {
    return std::visit(
        [](const auto &one) {
            if constexpr (requires { one.warp; }) {
                return one.warp;
            } else {
                return WarpSlot();
            }
        },
        record);
}

OperandUse operands_read(const isa::Instruction &insn) {
    OperandUse use;
    for (const isa::OperandSpec &operand : isa::find_form(insn.spec(), insn.form)->operands) {
        switch (operand.place) {
        case isa::Place::kRa:
        case isa::Place::kRb:
        case isa::Place::kRbHigh:
        case isa::Place::kRc:
        case isa::Place::kRcLow:
        case isa::Place::kRe:
            ++use.vectors;
            break;
        default:
            use.scalar = use.scalar || operand.kind == isa::Kind::kUreg || operand.kind == isa::Kind::kConst;
            break;
        }
    }
    return use;
}

} // namespace smsim::transactions
