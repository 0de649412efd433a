// The registers and predicates that an instruction reads and writes: derived from the instruction-set table, used by
// the scheduler pass and the hazard checker.
#include "model/isa/instruction.h"
#include "model/isa/matrix/matrix_instruction.h"

namespace smsim::isa {
namespace {

bool names_64_bits(std::string_view name) {
    return name == "64" || name == "F64" || name == "S64" || name == "U64" || name == "WIDE";
}

bool modifier_is_64(const Instruction &insn, std::size_t index) {
    const auto modifiers = insn.spec().modifiers;
    return index < modifiers.size() && insn.mod[index] < modifiers[index].names.size() &&
           names_64_bits(modifiers[index].names[insn.mod[index]]);
}

void add_predicate(std::uint8_t &set, std::uint8_t predicate) {
    if (predicate != kPt) {
        set = static_cast<std::uint8_t>(set | (1U << predicate));
    }
}

} // namespace

unsigned register_count(const Instruction &insn, const OperandSpec &operand) {
    switch (operand.width) {
    case Width::k1:
        return 1;
    case Width::k2:
        return 2;
    case Width::kAccess: {
        const auto bytes = access_bytes(static_cast<Access>(insn.mod[0]));
        return bytes <= 4 ? 1 : bytes / 4;
    }
    case Width::kAtomic:
        return modifier_is_64(insn, insn.spec().modifiers.size() - 1) ? 2 : 1;
    case Width::kMod0:
        return modifier_is_64(insn, 0) ? 2 : 1;
    case Width::kMod1:
        return modifier_is_64(insn, 1) ? 2 : 1;
    case Width::kMatrix:
        return matrix::registers_of(insn, operand.place);
    case Width::kMoved:
        return matrices_moved(insn);
    }
    return 1;
}

unsigned registers_written(const Instruction &insn) {
    if (insn.rd == kRz) {
        return 0;
    }
    // the destination is the same in every form of an operation
    for (const OperandSpec &operand : insn.spec().forms.front().operands) {
        if (operand.place == Place::kRd) {
            return register_count(insn, operand);
        }
    }
    return 0;
}

Dependences dependences_of(const Instruction &insn) {
    Dependences deps;
    const OpSpec &spec = insn.spec();
    const FormSpec *form = find_form(spec, insn.form);
    add_predicate(deps.guard_reads, insn.pg);
    if (spec.has(kGuardPp)) {
        add_predicate(deps.guard_reads, insn.pp);
    }
    if (insn.test != ConditionTest::kT && insn.test != ConditionTest::kF) {
        deps.guard_reads |= kFlagsBit;
    }
    if (sets_condition_flags(insn)) {
        deps.predicate_writes |= kFlagsBit;
    }
    deps.predicate_reads = deps.guard_reads;
    if (form == nullptr) {
        return deps;
    }
    const auto read = [&](std::uint8_t reg, unsigned count) {
        if (reg != kRz) {
            deps.reads[deps.read_count++] = {reg, static_cast<std::uint8_t>(count)};
        }
    };
    for (const OperandSpec &operand : form->operands) {
        const unsigned count = register_count(insn, operand);
        switch (operand.place) {
        case Place::kRd:
            if (insn.rd != kRz) {
                deps.write = {insn.rd, static_cast<std::uint8_t>(count)};
            }
            break;
        case Place::kUrd:
            if (insn.rd != kUrz) {
                deps.uniform_write = {insn.rd, static_cast<std::uint8_t>(count)};
            }
            break;
        case Place::kRa:
        case Place::kAddress:
        case Place::kBase24:
        case Place::kBase32:
            read(insn.ra, count);
            break;
        case Place::kIndexed:
            read(insn.ra, 1);
            break;
        case Place::kRb:
        case Place::kRbHigh:
            read(insn.rb, count);
            break;
        case Place::kRc:
        case Place::kRcLow:
            read(insn.rc, count);
            break;
        case Place::kRe:
            read(insn.re, 1);
            break;
        case Place::kUra:
        case Place::kUrb:
        case Place::kUaddress:
            if (insn.ur != kUrz) {
                deps.uniform_reads[deps.uniform_read_count++] = {insn.ur, static_cast<std::uint8_t>(count)};
            }
            break;
        case Place::kPp:
            add_predicate(deps.predicate_reads, insn.pp);
            break;
        case Place::kPa:
            add_predicate(deps.predicate_reads, insn.pa);
            break;
        case Place::kPb:
            add_predicate(deps.predicate_reads, insn.pb);
            break;
        case Place::kPu:
            add_predicate(deps.predicate_writes, insn.pu);
            break;
        case Place::kPv:
            add_predicate(deps.predicate_writes, insn.pv);
            break;
        case Place::kPr: {
            const auto mask = static_cast<std::uint8_t>(insn.imm & 0x7f);
            auto &set = operand.has(kWritten) ? deps.predicate_writes : deps.predicate_reads;
            set = static_cast<std::uint8_t>(set | mask);
            break;
        }
        default:
            break;
        }
    }
    return deps;
}

std::optional<std::int64_t> named_address(const Instruction &insn) {
    const bool relative = opens_region(insn.op) || insn.op == Op::kTokenBra || insn.op == Op::kCal;
    if (insn.form != Form::kI || (!relative && insn.op != Op::kJmp)) {
        return std::nullopt;
    }
    return insn.imm + (relative ? static_cast<std::int64_t>(insn.pc + kInstructionBytes) : 0);
}

unsigned registers_used(std::span<const Instruction> code) {
    unsigned used = 0;
    for (const Instruction &insn : code) {
        const Dependences deps = dependences_of(insn);
        used = std::max<unsigned>(used, deps.write.count == 0 ? 0 : deps.write.first + deps.write.count);
        for (unsigned i = 0; i < deps.read_count; ++i) {
            used = std::max<unsigned>(used, deps.reads[i].first + deps.reads[i].count);
        }
    }
    return used;
}

} // namespace smsim::isa
