#include "assembler/instruction_builder.h"

#include <bit>
#include <cmath>
#include <limits>

namespace smsim::assembler {
namespace {

using isa::FormSpec;
using isa::Instruction;
using isa::Kind;
using isa::Op;
using isa::OperandSpec;
using isa::OpSpec;

bool is_decimal(const Operand &operand) {
    return operand.kind == OperandKind::kExpression && operand.expression.is_number() &&
           operand.expression.terms.front().decimal;
}

/// Whether an operand of that kind may appear there; values are checked later.
bool fits(const OperandSpec &spec, const Operand &operand) {
    const bool anchored = operand.anchor != Anchor::kNone;
    if ((operand.has_offset && spec.kind != Kind::kBase) ||
        (anchored && spec.kind != Kind::kRelative && spec.kind != Kind::kPlace)) {
        return false;
    }
    switch (spec.kind) {
    case Kind::kReg:
        return operand.kind == OperandKind::kRegister;
    case Kind::kUreg:
        return operand.kind == OperandKind::kUniform;
    case Kind::kPredDst:
    case Kind::kPredSrc:
        return operand.kind == OperandKind::kPredicate;
    case Kind::kBreg:
        return operand.kind == OperandKind::kConvergence;
    case Kind::kUint:
    case Kind::kTarget:
    case Kind::kByteOff:
        return operand.kind == OperandKind::kExpression;
    case Kind::kInt:
        return operand.kind == OperandKind::kExpression || operand.kind == OperandKind::kBits32 ||
               operand.kind == OperandKind::kFloat;
    case Kind::kFloat:
        return operand.kind == OperandKind::kFloat || operand.kind == OperandKind::kBits32 || is_decimal(operand);
    case Kind::kFloat64:
        return operand.kind == OperandKind::kFloat || operand.kind == OperandKind::kBits64 || is_decimal(operand);
    case Kind::kConst:
        return operand.kind == OperandKind::kConstant && !operand.has_register;
    case Kind::kIndexed:
        return operand.kind == OperandKind::kConstant;
    case Kind::kAddress:
        return operand.kind == OperandKind::kAddress;
    case Kind::kUaddress:
        return operand.kind == OperandKind::kUniformAddress;
    case Kind::kSreg:
        return operand.kind == OperandKind::kSpecial;
    case Kind::kPredFile:
        return operand.kind == OperandKind::kPredicateFile;
    case Kind::kTest:
        return operand.kind == OperandKind::kCondition;
    case Kind::kRelative:
        return operand.kind == OperandKind::kExpression && operand.anchor != Anchor::kAbsolute;
    case Kind::kPlace:
        return operand.kind == OperandKind::kExpression && operand.anchor != Anchor::kRelative;
    case Kind::kBase:
        return operand.kind == OperandKind::kRegister;
    }
    return false;
}

std::string_view expected_name(Kind kind) {
    switch (kind) {
    case Kind::kReg:
        return "register";
    case Kind::kUreg:
        return "uniform register";
    case Kind::kPredDst:
    case Kind::kPredSrc:
        return "predicate";
    case Kind::kBreg:
        return "convergence barrier";
    case Kind::kUint:
    case Kind::kInt:
        return "number";
    case Kind::kFloat:
    case Kind::kFloat64:
        return "floating-point number";
    case Kind::kTarget:
    case Kind::kRelative:
    case Kind::kPlace:
        return "label or address";
    case Kind::kByteOff:
        return "byte offset";
    case Kind::kConst:
        return "c[bank][offset]";
    case Kind::kIndexed:
        return "c[bank][register+offset]";
    case Kind::kAddress:
        return "[register+offset]";
    case Kind::kUaddress:
        return "[uniform register+offset]";
    case Kind::kSreg:
        return "special register";
    case Kind::kPredFile:
        return "PR";
    case Kind::kTest:
        return "condition test";
    case Kind::kBase:
        return "register+offset";
    }
    return "operand";
}

struct Match {
    const FormSpec *form = nullptr;
    std::vector<const Operand *> operands; ///< one per OperandSpec; null where left out
};

bool match_from(const FormSpec &form, const std::vector<Operand> &operands, std::size_t spec, std::size_t written,
                std::vector<const Operand *> &out) {
    if (spec == form.operands.size()) {
        return written == operands.size();
    }
    const OperandSpec &expected = form.operands[spec];
    if (written < operands.size() && fits(expected, operands[written])) {
        out.push_back(&operands[written]);
        if (match_from(form, operands, spec + 1, written + 1, out)) {
            return true;
        }
        out.pop_back();
    }
    if (expected.has(isa::kOptional)) {
        out.push_back(nullptr);
        if (match_from(form, operands, spec + 1, written, out)) {
            return true;
        }
        out.pop_back();
    }
    return false;
}

std::string form_text(const FormSpec &form) {
    std::string text;
    for (const OperandSpec &operand : form.operands) {
        const bool optional = operand.has(isa::kOptional);
        text += text.empty() ? "" : ", ";
        text += (optional ? "{" : "") + std::string(expected_name(operand.kind)) + (optional ? "}" : "");
    }
    return text.empty() ? "no operands" : text;
}

SyntaxError no_form(const ParsedInstruction &parsed, const OpSpec &spec, const NameLookup &lookup) {
    std::string written;
    for (const Operand &operand : parsed.operands) {
        if (operand.kind == OperandKind::kExpression && operand.expression.has_names()) {
            evaluate(operand.expression, lookup); // an unknown name is the better explanation
        }
        written += (written.empty() ? "" : ", ") + std::string(kind_name(operand.kind));
    }
    std::string expected;
    for (const FormSpec &form : spec.forms) {
        expected += (expected.empty() ? "" : " | ") + form_text(form);
    }
    return {parsed.place, std::string(spec.name) + " does not take (" + written + "); expected " + expected};
}

Match match(const ParsedInstruction &parsed, const OpSpec &spec, const NameLookup &lookup) {
    for (const FormSpec &form : spec.forms) {
        Match found{&form, {}};
        if (match_from(form, parsed.operands, 0, 0, found.operands)) {
            return found;
        }
    }
    throw no_form(parsed, spec, lookup);
}

/// Fills the fields of one instruction from its operands.
class Builder {
  public:
    Builder(const ParsedInstruction &parsed, Pc pc, const NameLookup &lookup)
        : parsed_(parsed), lookup_(lookup), insn_(parsed.fields), spec_(insn_.spec()) {
        insn_.pc = pc;
    }

    Instruction run() {
        const Match matched = match(parsed_, spec_, lookup_);
        insn_.form = matched.form->form;
        form_ = matched.form;
        for (std::size_t i = 0; i < matched.operands.size(); ++i) {
            if (matched.operands[i] != nullptr) {
                operand(matched.form->operands[i], *matched.operands[i]);
            } else {
                leave_out(matched.form->operands[i]);
            }
        }
        if (insn_.op == Op::kIadd3 && insn_.mod[0] != 0 && matched.operands.back() == nullptr) {
            throw SyntaxError{parsed_.place, "IADD3.X lacks its carry; expected a predicate as last operand"};
        }
        if (const auto word = isa::encode(insn_); const auto *error = std::get_if<std::string>(&word)) {
            throw SyntaxError{parsed_.place, *error};
        }
        return insn_;
    }

  private:
    Value value(const Expression &expression) const { return evaluate(expression, lookup_); }

    std::int64_t ranged(const Expression &expression, std::int64_t low, std::int64_t high,
                        std::string_view what) const {
        const std::int64_t number = expression.terms.empty() ? 0 : value(expression).number;
        if (number < low || number > high) {
            throw SyntaxError{expression.place, std::string(what) + " " + std::to_string(number) +
                                                    " is out of range; expected " + std::to_string(low) + " to " +
                                                    std::to_string(high)};
        }
        return number;
    }

    static std::int64_t largest(isa::Place place) {
        switch (place) {
        case isa::Place::kImm5:
        case isa::Place::kShift:
            return 31;
        case isa::Place::kImm13:
            return 0x1fff;
        case isa::Place::kLut:
        case isa::Place::kLut2:
            return 0xff;
        case isa::Place::kBarId:
            return 15;
        case isa::Place::kCount:
            return 0xfff;
        default:
            return 0xffffffff;
        }
    }

    void set_number(isa::Place place, std::int64_t number) {
        switch (place) {
        case isa::Place::kBarId:
            insn_.barid = static_cast<std::uint8_t>(number);
            break;
        case isa::Place::kImm13:
        case isa::Place::kLut:
        case isa::Place::kShift:
        case isa::Place::kCount:
            insn_.imm2 = static_cast<std::uint32_t>(number);
            break;
        default:
            insn_.imm = number;
            break;
        }
    }

    void leave_out(const OperandSpec &spec) {
        if (spec.kind == Kind::kUint || spec.kind == Kind::kInt) {
            set_number(spec.place, spec.default_value);
        }
    }

    /// Checks signs and the size of a written register group against the rules of the operand.
    void check_source(const OperandSpec &spec, const Operand &operand) const {
        const auto refuse = [&](bool written, isa::OperandFlag flag, const char *what) {
            if (written && !spec.has(flag)) {
                throw SyntaxError{operand.place, std::string(what) + " is not possible for this operand of " +
                                                     std::string(spec_.name)};
            }
        };
        refuse(operand.negated, isa::kNegate, "'-'");
        refuse(operand.absolute, isa::kAbsolute, "'|'");
        refuse(operand.inverted, isa::kInvert, "'~'");
        if (operand.reuse && !isa::has_reuse_bit(spec_, spec)) {
            throw SyntaxError{operand.place, "'.reuse' is not possible for this operand of " + std::string(spec_.name)};
        }
        if (operand.not_ && spec.kind == Kind::kPredDst) {
            throw SyntaxError{operand.place, "'!' is not possible for a predicate that is written"};
        }
        const unsigned count = isa::register_count(insn_, spec);
        const bool grouped =
            operand.kind == OperandKind::kRegister || operand.kind == OperandKind::kUniform || operand.has_register;
        if (grouped && operand.count != 0 && operand.count != count) {
            throw SyntaxError{operand.place, "group of " + std::to_string(operand.count) + " registers; expected " +
                                                 (count == 1 ? "one register" : "a group of " + std::to_string(count))};
        }
    }

    void set_signs(const OperandSpec &spec, const Operand &operand) {
        const isa::Source source = isa::source_of(form_->form, spec.place);
        if (spec.has(isa::kNegate)) {
            insn_.*isa::negation_member(source) = operand.negated;
        }
        if (spec.has(isa::kAbsolute)) {
            insn_.*isa::absolute_member(source) = operand.absolute;
        }
        if (spec.has(isa::kInvert)) {
            insn_.bitnot = operand.inverted;
        }
        if (operand.reuse) {
            insn_.reuse |= isa::reuse_bit(source);
        }
    }

    void set_register(isa::Place place, std::uint8_t number) {
        switch (place) {
        case isa::Place::kRd:
        case isa::Place::kUrd:
            insn_.rd = number;
            break;
        case isa::Place::kRa:
        case isa::Place::kBase24:
        case isa::Place::kBase32:
            insn_.ra = number;
            break;
        case isa::Place::kRb:
        case isa::Place::kRbHigh:
            insn_.rb = number;
            break;
        case isa::Place::kRc:
        case isa::Place::kRcLow:
            insn_.rc = number;
            break;
        case isa::Place::kRe:
            insn_.re = number;
            break;
        default:
            insn_.ur = number;
            break;
        }
    }

    void set_predicate(isa::Place place, const Operand &operand) {
        switch (place) {
        case isa::Place::kPu:
            insn_.pu = operand.number;
            break;
        case isa::Place::kPv:
            insn_.pv = operand.number;
            break;
        case isa::Place::kPa:
            insn_.pa = operand.number;
            insn_.pa_not = operand.not_;
            break;
        case isa::Place::kPb:
            insn_.pb = operand.number;
            insn_.pb_not = operand.not_;
            break;
        default:
            insn_.pp = operand.number;
            insn_.pp_not = operand.not_;
            break;
        }
    }

    /// A code address or byte offset in units of instructions.
    std::int64_t instruction_units(const Expression &expression, std::int64_t number, const char *what) const {
        if (number % static_cast<std::int64_t>(kInstructionBytes) != 0) {
            throw SyntaxError{expression.place,
                              std::string(what) + " " + std::to_string(number) + " is not a multiple of 16 bytes"};
        }
        return number / static_cast<std::int64_t>(kInstructionBytes);
    }

    std::int64_t minus_next(std::int64_t address, Place place) const {
        std::int64_t distance = 0;
        if (__builtin_sub_overflow(address, static_cast<std::int64_t>(insn_.pc + kInstructionBytes), &distance)) {
            throw SyntaxError{place, "target is too far away"};
        }
        return distance;
    }

    void operand(const OperandSpec &spec, const Operand &operand) {
        check_source(spec, operand);
        switch (spec.kind) {
        case Kind::kReg:
        case Kind::kUreg:
            set_register(spec.place, operand.number);
            set_signs(spec, operand);
            break;
        case Kind::kPredDst:
        case Kind::kPredSrc:
            set_predicate(spec.place, operand);
            break;
        case Kind::kBreg:
            insn_.breg = operand.number;
            break;
        case Kind::kUint:
            set_number(spec.place, ranged(operand.expression, 0, largest(spec.place), "number"));
            break;
        case Kind::kInt:
            insn_.imm = static_cast<std::uint32_t>(integer(operand));
            break;
        case Kind::kFloat:
            insn_.imm = float_bits(operand);
            break;
        case Kind::kFloat64: {
            const std::uint64_t bits = double_bits(operand);
            if ((bits & 0xffffffffU) != 0) {
                throw SyntaxError{operand.place, "double needs more than the upper 32 bits that the word holds; "
                                                 "expected a constant or register"};
            }
            insn_.imm = static_cast<std::int64_t>(bits >> 32);
            break;
        }
        case Kind::kTarget: {
            const Value target = value(operand.expression);
            if (target.labels != 0 && target.labels != 1) {
                throw SyntaxError{operand.place, "target is not an address; expected label or number"};
            }
            insn_.imm = instruction_units(operand.expression, minus_next(target.number, operand.place),
                                          "distance to the target");
            break;
        }
        case Kind::kByteOff: {
            Value offset = value(operand.expression);
            if (insn_.op == Op::kCall && insn_.mod[0] == 0 && insn_.ra == isa::kRz && form_->form == isa::Form::kR &&
                offset.labels == 1) {
                offset.number = minus_next(offset.number, operand.place); // a label means its address
            }
            insn_.imm = instruction_units(operand.expression, offset.number, "byte offset");
            break;
        }
        case Kind::kConst:
        case Kind::kIndexed:
            set_signs(spec, operand);
            insn_.const_bank = static_cast<std::uint8_t>(ranged(operand.bank, 0, 31, "constant bank"));
            insn_.const_offset = static_cast<std::uint16_t>(ranged(operand.expression, 0, 0xffff, "constant offset"));
            if (operand.has_register) {
                insn_.ra = operand.number;
            }
            break;
        case Kind::kAddress:
            insn_.ra = operand.has_register ? operand.number : isa::kRz;
            insn_.imm = address_offset(operand);
            break;
        case Kind::kUaddress:
            insn_.ur = operand.number;
            insn_.imm = address_offset(operand);
            break;
        case Kind::kSreg:
            insn_.imm2 = operand.number;
            break;
        case Kind::kPredFile:
            break;
        case Kind::kTest:
            insn_.test = static_cast<ConditionTest>(operand.number);
            break;
        case Kind::kRelative: {
            const Value target = value(operand.expression);
            const bool distance = operand.anchor == Anchor::kRelative;
            if (target.labels != 0 && (distance || target.labels != 1)) {
                throw SyntaxError{operand.place, distance ? "distance is an address; expected a number of bytes"
                                                          : "target is not an address; expected label or number"};
            }
            insn_.imm = distance ? target.number : minus_next(target.number, operand.place);
            break;
        }
        case Kind::kPlace:
            insn_.imm = ranged(operand.expression, 0, 0xffffffff, "address");
            break;
        case Kind::kBase: {
            const std::int64_t end = std::int64_t{1} << (spec.place == isa::Place::kBase24 ? 23 : 31);
            set_register(spec.place, operand.number);
            insn_.imm = ranged(operand.expression, -end, end - 1, "offset");
            break;
        }
        }
    }

    std::int64_t address_offset(const Operand &operand) const {
        return ranged(operand.expression, -(1 << 23), (1 << 23) - 1, "address offset");
    }

    std::uint32_t integer(const Operand &operand) const {
        if (operand.kind == OperandKind::kBits32) {
            return static_cast<std::uint32_t>(operand.bits);
        }
        if (operand.kind == OperandKind::kFloat) {
            if (insn_.op != Op::kMov && insn_.op != Op::kUmov && insn_.op != Op::kSel) {
                throw SyntaxError{operand.place,
                                  std::string(spec_.name) + " computes with integers; expected an integer"};
            }
            return float_bits(operand);
        }
        return static_cast<std::uint32_t>(
            ranged(operand.expression, std::numeric_limits<std::int32_t>::min(), 0xffffffff, "number"));
    }

    const ParsedInstruction &parsed_;
    const NameLookup &lookup_;
    Instruction insn_;
    const OpSpec &spec_;
    const FormSpec *form_ = nullptr;
};

} // namespace

std::uint32_t float_bits(const Operand &operand) {
    if (operand.kind == OperandKind::kBits32) {
        return static_cast<std::uint32_t>(operand.bits);
    }
    if (operand.kind == OperandKind::kFloat) {
        if (std::isinf(operand.narrow) && !std::isinf(operand.value)) {
            throw SyntaxError{operand.place, "number does not fit a 32-bit float"};
        }
        return std::bit_cast<std::uint32_t>(operand.narrow);
    }
    if (is_decimal(operand)) {
        const auto &term = operand.expression.terms.front();
        const auto magnitude = static_cast<float>(term.number);
        return std::bit_cast<std::uint32_t>(term.negative ? -magnitude : magnitude);
    }
    throw SyntaxError{operand.place,
                      std::string(kind_name(operand.kind)) + " in the place of a float; expected 1.5 or 0f3fc00000"};
}

std::uint64_t double_bits(const Operand &operand) {
    if (operand.kind == OperandKind::kBits64) {
        return operand.bits;
    }
    if (operand.kind == OperandKind::kFloat) {
        return std::bit_cast<std::uint64_t>(operand.value);
    }
    if (is_decimal(operand)) {
        const auto &term = operand.expression.terms.front();
        const auto magnitude = static_cast<double>(term.number);
        return std::bit_cast<std::uint64_t>(term.negative ? -magnitude : magnitude);
    }
    throw SyntaxError{operand.place, std::string(kind_name(operand.kind)) +
                                         " in the place of a double; expected 1.5 or 0d3ff8000000000000"};
}

Instruction build_instruction(const ParsedInstruction &parsed, Pc pc, const NameLookup &lookup) {
    return Builder(parsed, pc, lookup).run();
}

} // namespace smsim::assembler
