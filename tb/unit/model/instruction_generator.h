// Makes valid instructions of any form of the instruction-set table, for round-trip tests.
#pragma once

#include <functional>
#include <variant>

#include "model/isa/instruction.h"

namespace smsim::test {

/// Returns a number below its argument; decides every field of an instruction.
using Choose = std::function<std::uint64_t(std::uint64_t)>;

/// An instruction of that operation and form whose operands and control fields are chosen; modifiers keep their
/// defaults except those that `modifiers` chooses. May give combinations that the instruction set rejects.
inline isa::Instruction make_instruction(const isa::OpSpec &spec, const isa::FormSpec &form, const Choose &modifiers,
                                         const Choose &choose) {
    using isa::Place;
    isa::Instruction insn;
    insn.op = spec.op;
    insn.form = form.form;
    insn.unit = spec.unit;
    if (!spec.has(isa::kNoGuard)) {
        insn.pg = static_cast<std::uint8_t>(choose(8));
        insn.pg_not = choose(2) != 0;
    }
    for (std::size_t i = 0; i < spec.modifiers.size(); ++i) {
        insn.mod[i] = static_cast<std::uint8_t>(modifiers(spec.modifiers[i].names.size()));
    }
    const auto group = [&](unsigned count, unsigned zero) {
        const unsigned groups = (zero - (zero % count == 0 ? 0 : zero % count)) / count;
        const std::uint64_t chosen = choose(groups + 1);
        return static_cast<std::uint8_t>(chosen == groups ? zero : chosen * count);
    };
    const auto signed_number = [&](unsigned bits) {
        return static_cast<std::int64_t>(choose(std::uint64_t{1} << bits)) - (std::int64_t{1} << (bits - 1));
    };
    const auto predicate = [&](std::uint8_t &number, bool &inverted) {
        number = static_cast<std::uint8_t>(choose(8));
        inverted = choose(2) != 0;
    };
    for (const isa::OperandSpec &operand : form.operands) {
        const unsigned count = isa::register_count(insn, operand);
        switch (operand.place) {
        case Place::kRd:
            insn.rd = group(count, isa::kRz);
            break;
        case Place::kUrd:
            insn.rd = group(count, isa::kUrz);
            break;
        case Place::kRa:
            insn.ra = group(count, isa::kRz);
            break;
        case Place::kRb:
        case Place::kRbHigh:
            insn.rb = group(count, isa::kRz);
            break;
        case Place::kRc:
        case Place::kRcLow:
            insn.rc = group(count, isa::kRz);
            break;
        case Place::kRe:
            insn.re = group(1, isa::kRz);
            break;
        case Place::kUra:
        case Place::kUrb:
            insn.ur = group(count, isa::kUrz);
            break;
        case Place::kImm32:
            insn.imm = static_cast<std::int64_t>(choose(std::uint64_t{1} << 32));
            break;
        case Place::kImm5:
            insn.imm = static_cast<std::int64_t>(choose(32));
            break;
        case Place::kImm13:
            insn.imm2 = static_cast<std::uint32_t>(choose(1U << 13));
            break;
        case Place::kLut:
            insn.imm2 = static_cast<std::uint32_t>(choose(256));
            break;
        case Place::kLut2:
            insn.imm = static_cast<std::int64_t>(choose(256));
            break;
        case Place::kShift:
            insn.imm2 = static_cast<std::uint32_t>(choose(32));
            break;
        case Place::kSreg:
            insn.imm2 = static_cast<std::uint32_t>(choose(isa::special_register_names().size()));
            break;
        case Place::kOffset:
            insn.imm = signed_number(50);
            break;
        case Place::kSync:
        case Place::kHigh:
            insn.imm = signed_number(32);
            break;
        case Place::kConst:
        case Place::kIndexed:
            insn.const_bank = static_cast<std::uint8_t>(choose(32));
            insn.const_offset = static_cast<std::uint16_t>(choose(65536 / (4 * count)) * 4 * count);
            if (operand.place == Place::kIndexed) {
                insn.ra = group(1, isa::kRz);
            }
            break;
        case Place::kAddress:
            insn.ra = group(count, isa::kRz);
            insn.imm = signed_number(24);
            break;
        case Place::kUaddress:
            insn.ur = group(count, isa::kUrz);
            insn.imm = signed_number(24);
            break;
        case Place::kBarId:
            insn.barid = static_cast<std::uint8_t>(choose(16));
            break;
        case Place::kCount:
            insn.imm2 = static_cast<std::uint32_t>(choose(1U << 12));
            break;
        case Place::kBreg:
            insn.breg = static_cast<std::uint8_t>(choose(16));
            break;
        case Place::kPp:
            predicate(insn.pp, insn.pp_not);
            break;
        case Place::kPa:
            predicate(insn.pa, insn.pa_not);
            break;
        case Place::kPb:
            predicate(insn.pb, insn.pb_not);
            break;
        case Place::kPu:
            insn.pu = static_cast<std::uint8_t>(choose(8));
            break;
        case Place::kPv:
            insn.pv = static_cast<std::uint8_t>(choose(8));
            break;
        case Place::kTest:
            insn.test = static_cast<ConditionTest>(choose(kConditionTests));
            break;
        case Place::kBytes24:
            insn.imm = signed_number(22) * 4;
            break;
        case Place::kBase24:
        case Place::kBase32:
            insn.ra = group(1, isa::kRz);
            insn.imm = signed_number(operand.place == Place::kBase24 ? 24 : 32);
            break;
        case Place::kPr:
            break;
        }
        const isa::Source source = isa::source_of(form.form, operand.place);
        if (operand.has(isa::kNegate)) {
            insn.*isa::negation_member(source) = choose(2) != 0;
        }
        if (operand.has(isa::kAbsolute)) {
            insn.*isa::absolute_member(source) = choose(2) != 0;
        }
        if (operand.has(isa::kInvert)) {
            insn.bitnot = choose(2) != 0;
        }
        if (isa::has_reuse_bit(spec, operand) && choose(2) != 0) {
            insn.reuse |= isa::reuse_bit(source);
        }
    }
    insn.stall = static_cast<std::uint8_t>(choose(16));
    insn.yield = choose(2) != 0;
    const auto scoreboard = [&] {
        const std::uint64_t chosen = choose(isa::kScoreboards + 1);
        return static_cast<std::uint8_t>(chosen == isa::kScoreboards ? isa::kNoScoreboard : chosen);
    };
    insn.wsb = scoreboard();
    insn.rsb = scoreboard();
    insn.req = static_cast<std::uint8_t>(choose(64));
    return insn;
}

/// Small deterministic generator, the same on every platform.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t operator()(std::uint64_t below) {
        state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
        std::uint64_t value = state_;
        value ^= value >> 33U;
        value *= 0xff51afd7ed558ccdULL;
        value ^= value >> 33U;
        return value % below;
    }

  private:
    std::uint64_t state_;
};

/// Calls `body(instruction)` for every form in the table: with all operands at their minimum, at their maximum and
/// random, and with every value of every modifier. Rejected combinations are left out.
template <typename Body> void for_each_instruction(Body &&body) {
    Random random(2024);
    const Choose least = [](std::uint64_t) { return std::uint64_t{0}; };
    const Choose greatest = [](std::uint64_t below) { return below - 1; };
    const Choose any = [&](std::uint64_t below) { return random(below); };
    for (const isa::OpSpec &spec : isa::all_operations()) {
        for (const isa::FormSpec &form : spec.forms) {
            for (std::size_t modifier = 0; modifier <= spec.modifiers.size(); ++modifier) {
                const std::size_t values = modifier < spec.modifiers.size() ? spec.modifiers[modifier].names.size() : 8;
                for (std::size_t value = 0; value < values; ++value) {
                    for (const Choose *operands : {&least, &greatest, &any, &any}) {
                        std::size_t index = 0;
                        const Choose modifiers = [&](std::uint64_t below) -> std::uint64_t {
                            const std::size_t at = index++;
                            if (modifier == spec.modifiers.size()) {
                                return random(below);
                            }
                            return at == modifier ? value : spec.modifiers[at].default_value;
                        };
                        const isa::Instruction insn = make_instruction(spec, form, modifiers, *operands);
                        if (std::holds_alternative<isa::Word>(isa::encode(insn))) {
                            body(insn);
                        }
                    }
                }
            }
        }
    }
}

} // namespace smsim::test
