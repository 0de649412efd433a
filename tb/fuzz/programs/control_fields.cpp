#include "tb/fuzz/programs/control_fields.h"

namespace smsim::fuzz {

using Field = Removal::Field;

const char *name_of(Field field) {
    constexpr const char *kNames[kRemovalFields] = {"wsb", "rsb", "req", "stall - 1", "stall = 1"};
    return kNames[static_cast<std::size_t>(field)];
}

std::vector<Removal> removals(const Program &program) {
    std::vector<Removal> all;
    for (std::size_t i = 0; i < program.code.size(); ++i) {
        const isa::Instruction &insn = program.code[i];
        if (insn.wsb != isa::kNoScoreboard) {
            all.push_back({i, Field::kWsb, 0});
        }
        if (insn.rsb != isa::kNoScoreboard) {
            all.push_back({i, Field::kRsb, 0});
        }
        for (unsigned s = 0; s < isa::kScoreboards; ++s) {
            if (((insn.req >> s) & 1U) != 0) {
                all.push_back({i, Field::kReq, s});
            }
        }
        if (insn.stall_cycles() > 1) {
            all.push_back({i, Field::kStallByOne, 0});
        }
        if (insn.stall_cycles() > 2) {
            all.push_back({i, Field::kStallToOne, 0});
        }
    }
    return all;
}

Program without(const Program &program, const Removal &removal) {
    Program changed = program;
    isa::Instruction &insn = changed.code.at(removal.index);
    switch (removal.field) {
    case Field::kWsb:
        insn.wsb = isa::kNoScoreboard;
        break;
    case Field::kRsb:
        insn.rsb = isa::kNoScoreboard;
        break;
    case Field::kReq:
        insn.req = static_cast<std::uint8_t>(insn.req & ~(1U << removal.scoreboard));
        break;
    case Field::kStallByOne:
        insn.stall = static_cast<std::uint8_t>(insn.stall_cycles() - 1);
        break;
    case Field::kStallToOne:
        insn.stall = 1;
        break;
    }
    return changed;
}

} // namespace smsim::fuzz
