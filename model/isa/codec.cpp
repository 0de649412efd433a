// Encoder and decoder of the instruction word, driven by the instruction-set table.
#include <algorithm>
#include <array>
#include <cstdio>

#include "model/isa/condition_tests.h"
#include "model/isa/instruction.h"
#include "model/isa/matrix/matrix_instruction.h"

namespace smsim::isa {
namespace {

struct Field {
    std::uint8_t lsb;
    std::uint8_t width;
};

constexpr Field kOptype{0, 8};
constexpr Field kStype{8, 4};
constexpr Field kPg{12, 3};
constexpr Field kPgNot{15, 1};
constexpr Field kPp{98, 3};
constexpr Field kPpNot{101, 1};
constexpr Field kStall{109, 4};
constexpr Field kYield{113, 1};
constexpr Field kWsb{114, 3};
constexpr Field kRsb{117, 3};
constexpr Field kReq{120, 6};
constexpr Field kBitnot{97, 1};
constexpr Field kBraBitnot{84, 1};

constexpr Field kNegBits[] = {{88, 1}, {90, 1}, {92, 1}};
constexpr Field kAbsBits[] = {{89, 1}, {91, 1}, {93, 1}};
constexpr Field kReuseBits[] = {{85, 1}, {86, 1}, {87, 1}};

/// Reads, writes or checks every field of one instruction through a single walk over its specification. `Visitor`
/// has: number(member, field), boolean(member, field), signed_number(member, field), and bit(member, mask, field) for
/// one of several in a member.
template <typename Visitor, typename Insn>
void walk(Visitor &visitor, Insn &insn, const OpSpec &spec, const FormSpec &form) {
    visitor.number(insn.pg, kPg);
    visitor.boolean(insn.pg_not, kPgNot);
    bool has_pp = spec.has(kGuardPp);
    for (const OperandSpec &operand : form.operands) {
        switch (operand.place) {
        case Place::kRd:
            visitor.number(insn.rd, Field{16, 8});
            break;
        case Place::kUrd:
            visitor.number(insn.rd, Field{16, 6});
            break;
        case Place::kRa:
            visitor.number(insn.ra, Field{24, 8});
            break;
        case Place::kUra:
            visitor.number(insn.ur, Field{24, 6});
            break;
        case Place::kRb:
            visitor.number(insn.rb, Field{32, 8});
            break;
        case Place::kUrb:
            visitor.number(insn.ur, Field{32, 6});
            break;
        case Place::kRcLow:
            visitor.number(insn.rc, Field{32, 8});
            break;
        case Place::kRbHigh:
            visitor.number(insn.rb, Field{64, 8});
            break;
        case Place::kRc:
            visitor.number(insn.rc, Field{64, 8});
            break;
        case Place::kRe:
            visitor.number(insn.re, Field{40, 8});
            break;
        case Place::kImm32:
            visitor.number(insn.imm, Field{32, 32});
            break;
        case Place::kImm5:
            visitor.number(insn.imm, Field{32, 5});
            break;
        case Place::kImm13:
            visitor.number(insn.imm2, Field{40, 13});
            break;
        case Place::kLut:
        case Place::kSreg:
            visitor.number(insn.imm2, Field{72, 8});
            break;
        case Place::kLut2:
            visitor.number(insn.imm, Field{40, 8});
            break;
        case Place::kShift:
            visitor.number(insn.imm2, Field{72, 5});
            break;
        case Place::kOffset:
            visitor.signed_number(insn.imm, Field{32, 50});
            break;
        case Place::kSync:
            visitor.signed_number(insn.imm, Field{32, 32});
            break;
        case Place::kHigh:
            visitor.signed_number(insn.imm, Field{64, 32});
            break;
        case Place::kConst:
        case Place::kIndexed:
            if (operand.place == Place::kIndexed) {
                visitor.number(insn.ra, Field{24, 8});
            }
            visitor.number(insn.const_offset, Field{32, 16});
            visitor.number(insn.const_bank, Field{48, 5});
            break;
        case Place::kAddress:
            visitor.number(insn.ra, Field{24, 8});
            visitor.signed_number(insn.imm, Field{40, 24});
            break;
        case Place::kUaddress:
            visitor.number(insn.ur, Field{24, 6});
            visitor.signed_number(insn.imm, Field{40, 24});
            break;
        case Place::kBarId:
            visitor.number(insn.barid, Field{40, 4});
            break;
        case Place::kCount:
            visitor.number(insn.imm2, Field{44, 12});
            break;
        case Place::kBreg:
            visitor.number(insn.breg, Field{84, 4});
            break;
        case Place::kPp:
            has_pp = true;
            break;
        case Place::kPa:
            visitor.number(insn.pa, Field{32, 3});
            visitor.boolean(insn.pa_not, Field{35, 1});
            break;
        case Place::kPb:
            visitor.number(insn.pb, Field{36, 3});
            visitor.boolean(insn.pb_not, Field{39, 1});
            break;
        case Place::kPu:
            visitor.number(insn.pu, Field{106, 3});
            break;
        case Place::kPv:
            visitor.number(insn.pv, Field{103, 3});
            break;
        case Place::kTest:
            visitor.number(insn.test, Field{72, 5});
            break;
        case Place::kBytes24:
            visitor.signed_number(insn.imm, Field{32, 24});
            break;
        case Place::kBase24:
            visitor.number(insn.ra, Field{24, 8});
            visitor.signed_number(insn.imm, Field{32, 24});
            break;
        case Place::kBase32:
            visitor.number(insn.ra, Field{24, 8});
            visitor.signed_number(insn.imm, Field{32, 32});
            break;
        case Place::kPr:
            break;
        }
        const Source source = source_of(form.form, operand.place);
        const auto bits = static_cast<std::size_t>(source);
        if (operand.has(kNegate)) {
            visitor.boolean(insn.*negation_member(source), kNegBits[bits]);
        }
        if (operand.has(kAbsolute)) {
            visitor.boolean(insn.*absolute_member(source), kAbsBits[bits]);
        }
        if (operand.has(kInvert)) {
            visitor.boolean(insn.bitnot, spec.op == Op::kBra ? kBraBitnot : kBitnot);
        }
        if (has_reuse_bit(spec, operand)) {
            visitor.bit(insn.reuse, reuse_bit(source), kReuseBits[bits]);
        }
    }
    if (has_pp) {
        visitor.number(insn.pp, kPp);
        visitor.boolean(insn.pp_not, kPpNot);
    }
    for (std::size_t i = 0; i < spec.modifiers.size(); ++i) {
        visitor.number(insn.mod[i], Field{spec.modifiers[i].lsb, spec.modifiers[i].width});
    }
    visitor.number(insn.stall, kStall);
    visitor.boolean(insn.yield, kYield);
    visitor.number(insn.wsb, kWsb);
    visitor.number(insn.rsb, kRsb);
    visitor.number(insn.req, kReq);
}

/// Fills an instruction from a word and records the bits read.
struct Reader {
    const Word &word;
    Word used;

    template <typename T> void number(T &member, Field field) {
        member = static_cast<T>(word.get(field.lsb, field.width));
        mark(field);
    }
    void boolean(bool &member, Field field) {
        member = word.get(field.lsb, field.width) != 0;
        mark(field);
    }
    void bit(std::uint8_t &member, std::uint8_t mask, Field field) {
        bool set = false;
        boolean(set, field);
        member = static_cast<std::uint8_t>(set ? member | mask : member & ~mask);
    }
    void signed_number(std::int64_t &member, Field field) {
        member = sign_extend(word.get(field.lsb, field.width), field.width);
        mark(field);
    }
    void mark(Field field) { used.set(field.lsb, field.width, ~std::uint64_t{0}); }
};

/// Fills a word from an instruction; a value that does not fit is recorded as an error.
struct Writer {
    Word word;
    std::string error;

    template <typename T> void number(const T &member, Field field) {
        const auto value = static_cast<std::uint64_t>(member);
        if (field.width < 64 && (value >> field.width) != 0) {
            fail(std::to_string(value), field);
        }
        word.set(field.lsb, field.width, value);
    }
    void boolean(const bool &member, Field field) { word.set(field.lsb, field.width, member ? 1 : 0); }
    void bit(const std::uint8_t &member, std::uint8_t mask, Field field) { boolean((member & mask) != 0, field); }
    void signed_number(const std::int64_t &member, Field field) {
        const auto value = static_cast<std::uint64_t>(member);
        if (sign_extend(value, field.width) != member) {
            fail(std::to_string(member), field);
        }
        word.set(field.lsb, field.width, value);
    }
    void fail(const std::string &value, Field field) {
        if (error.empty()) {
            error = "value " + value + " does not fit the " + std::to_string(field.width) + "-bit field at bit " +
                    std::to_string(field.lsb);
        }
    }
};

/// Groups of registers begin at a multiple of their size, or of this, which is how many a warp gets at a time.
constexpr unsigned kMostAligned = 8;

bool find_kind(const FormSpec &form, Kind kind) {
    return std::ranges::find(form.operands, kind, &OperandSpec::kind) != form.operands.end();
}

/// Rules for combinations of fields of one instruction; empty when they hold.
std::string check(const Instruction &insn, const OpSpec &spec, const FormSpec &form) {
    if (spec.has(kNoGuard) && (insn.pg != kPt || insn.pg_not)) {
        return std::string(spec.name) + " takes no guard";
    }
    for (std::size_t i = 0; i < spec.modifiers.size(); ++i) {
        if (insn.mod[i] >= spec.modifiers[i].names.size()) {
            return std::string(spec.name) + ": value " + std::to_string(insn.mod[i]) + " of the modifier at bit " +
                   std::to_string(spec.modifiers[i].lsb) + " is not defined";
        }
        if (spec.modifiers[i].names[insn.mod[i]].empty() && insn.mod[i] != spec.modifiers[i].default_value) {
            return std::string(spec.name) + ": value " + std::to_string(insn.mod[i]) + " of the modifier at bit " +
                   std::to_string(spec.modifiers[i].lsb) + " has no meaning here";
        }
    }
    if (std::string reason = condition_test_refusal(static_cast<unsigned>(insn.test)); !reason.empty()) {
        return reason;
    }
    const bool names_address = find_kind(form, Kind::kRelative) || find_kind(form, Kind::kPlace);
    if (names_address && insn.imm % 4 != 0) {
        return std::string(spec.name) + ": the low two bits of its immediate are not 0";
    }
    if (spec.unit == Unit::kTensor) {
        if (std::string reason = matrix::refusal(insn); !reason.empty()) {
            return std::string(spec.name) + ": " + reason;
        }
    }
    for (const OperandSpec &operand : form.operands) {
        if (operand.kind == Kind::kSreg && insn.imm2 >= special_register_names().size()) {
            return "special register " + std::to_string(insn.imm2) + " is not defined";
        }
        const unsigned count = register_count(insn, operand);
        if (count == 1) {
            continue;
        }
        std::uint8_t reg = kRz;
        bool uniform = false;
        switch (operand.place) {
        case Place::kRd:
            reg = insn.rd;
            break;
        case Place::kRa:
        case Place::kAddress:
            reg = insn.ra;
            break;
        case Place::kRb:
        case Place::kRbHigh:
            reg = insn.rb;
            break;
        case Place::kRc:
            reg = insn.rc;
            break;
        case Place::kUra:
        case Place::kUrb:
        case Place::kUaddress:
            reg = insn.ur;
            uniform = true;
            break;
        case Place::kConst:
        case Place::kIndexed:
            if (insn.const_offset % (count * 4) != 0) {
                return "constant offset is not aligned to " + std::to_string(count * 4) + " bytes";
            }
            continue;
        default:
            continue;
        }
        const std::uint8_t zero = uniform ? kUrz : kRz;
        if (reg == zero) {
            continue;
        }
        const std::string name = (uniform ? "UR" : "R") + std::to_string(reg);
        if (reg % std::min(count, kMostAligned) != 0) {
            return "register " + name + " of a group of " + std::to_string(count) + " is not aligned to it";
        }
        if (reg + count > zero) {
            return "register group at " + name + " runs past the register file";
        }
    }
    if (spec.op == Op::kBra) {
        const auto condition = static_cast<BraCondition>(insn.mod[0]);
        if (form.form == Form::kU && condition != BraCondition::kDivergent && condition != BraCondition::kConvergent) {
            return "BRA with a uniform register needs .DIV or .CONV";
        }
    }
    if (insn.wsb == 6 || insn.rsb == 6) {
        return "scoreboard 6 does not exist (0..5, or 7 for none)";
    }
    if (spec.op == Op::kLds || spec.op == Op::kLdl || spec.op == Op::kLdg || spec.op == Op::kLdc) {
        return {};
    }
    if ((spec.op == Op::kSts || spec.op == Op::kStg || spec.op == Op::kStl) &&
        (insn.mod[0] == static_cast<std::uint8_t>(Access::kS8) ||
         insn.mod[0] == static_cast<std::uint8_t>(Access::kS16))) {
        return "a store has no sign";
    }
    if (spec.op == Op::kAtoms || spec.op == Op::kAtomg || spec.op == Op::kRed) {
        const auto operation = static_cast<AtomicOp>(insn.mod[0]);
        const auto type = static_cast<AtomicType>(insn.mod[1]);
        if (type == AtomicType::kF32 && operation != AtomicOp::kAdd && operation != AtomicOp::kExch) {
            return "an F32 atomic is ADD or EXCH";
        }
        if (type == AtomicType::kF64 && operation != AtomicOp::kAdd) {
            return "an F64 atomic is ADD";
        }
    }
    if ((spec.op == Op::kAtomsCas || spec.op == Op::kAtomgCas) && insn.mod[0] >= static_cast<int>(AtomicType::kF32)) {
        return "compare and swap has no F32 and no F64 type";
    }
    return {};
}

std::string hex(std::uint64_t value, int digits) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "0x%0*llx", digits, static_cast<unsigned long long>(value));
    return text.data();
}

} // namespace

Source source_of(Form form, Place place) {
    switch (place) {
    case Place::kRa:
    case Place::kUra:
    case Place::kAddress:
    case Place::kUaddress:
    case Place::kIndexed:
    case Place::kBase24:
    case Place::kBase32:
        return Source::kA;
    case Place::kRc:
    case Place::kRcLow:
        return Source::kC;
    case Place::kRbHigh:
        return Source::kB;
    default:
        return form == Form::kRri || form == Form::kRrc || form == Form::kRru ? Source::kC : Source::kB;
    }
}

bool Instruction::*negation_member(Source source) {
    return source == Source::kA   ? &Instruction::neg_a
           : source == Source::kB ? &Instruction::neg_b
                                  : &Instruction::neg_c;
}
bool Instruction::*absolute_member(Source source) {
    return source == Source::kA   ? &Instruction::abs_a
           : source == Source::kB ? &Instruction::abs_b
                                  : &Instruction::abs_c;
}

std::string DecodeError::message() const {
    return hex(address, 4) + ": word " + hex(word.hi, 16) + hex(word.lo, 16).substr(2) + ": " + reason;
}

std::variant<Instruction, DecodeError> decode(const Word &word, Pc address) {
    const auto optype = static_cast<std::uint8_t>(word.get(kOptype.lsb, kOptype.width));
    const OpSpec *spec = find_op(optype);
    if (spec == nullptr) {
        return DecodeError{address, word, "operation number " + hex(optype, 2) + " is not defined"};
    }
    const auto stype = static_cast<Form>(word.get(kStype.lsb, kStype.width));
    const FormSpec *form = find_form(*spec, stype);
    if (form == nullptr) {
        return DecodeError{address, word,
                           std::string(spec->name) + " has no form " + std::string(form_name(stype)) + " (" +
                               std::to_string(static_cast<unsigned>(stype)) + ")"};
    }
    Instruction insn;
    insn.op = spec->op;
    insn.form = stype;
    insn.unit = spec->unit;
    insn.pc = address;
    Reader reader{word, {}};
    reader.mark(kOptype);
    reader.mark(kStype);
    walk(reader, insn, *spec, *form);
    const Word stray{word.lo & ~reader.used.lo, word.hi & ~reader.used.hi};
    if (stray != Word{}) {
        const unsigned bit = stray.lo != 0 ? static_cast<unsigned>(std::countr_zero(stray.lo))
                                           : 64 + static_cast<unsigned>(std::countr_zero(stray.hi));
        return DecodeError{address, word,
                           std::string(spec->name) + ": reserved bit " + std::to_string(bit) + " is set"};
    }
    if (std::string reason = check(insn, *spec, *form); !reason.empty()) {
        return DecodeError{address, word, std::move(reason)};
    }
    return insn;
}

std::variant<Word, std::string> encode(const Instruction &instruction) {
    const OpSpec *spec = find_op(static_cast<std::uint8_t>(instruction.op));
    if (spec == nullptr) {
        return "operation number is not defined";
    }
    const FormSpec *form = find_form(*spec, instruction.form);
    if (form == nullptr) {
        return std::string(spec->name) + " has no form " + std::string(form_name(instruction.form));
    }
    Writer writer;
    writer.word.set(kOptype.lsb, kOptype.width, static_cast<std::uint64_t>(instruction.op));
    writer.word.set(kStype.lsb, kStype.width, static_cast<std::uint64_t>(instruction.form));
    walk(writer, instruction, *spec, *form);
    if (!writer.error.empty()) {
        return std::string(spec->name) + ": " + writer.error;
    }
    if (std::string reason = check(instruction, *spec, *form); !reason.empty()) {
        return reason;
    }
    return writer.word;
}

} // namespace smsim::isa
