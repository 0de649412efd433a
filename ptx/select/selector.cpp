#include "ptx/select/selector.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>

#include "model/error.h"
#include "model/program/program.h"
#include "ptx/special_registers.h"

namespace smsim::ptx::select {

using namespace machine;

namespace {

/// The special register of the model for one of PTX; empty when its value is computed in another way.
std::string special_name(const std::string &name, const std::string &component) {
    struct Pair {
        std::string_view ptx;
        std::string_view model;
    };
    constexpr std::array kPairs = {
        Pair{"%laneid", "SR_LANEID"},
        Pair{"%warpid", "SR_WARPID"},
        Pair{"%smid", "SR_SMID"},
        Pair{"%lanemask_eq", "SR_EQMASK"},
        Pair{"%lanemask_lt", "SR_LTMASK"},
        Pair{"%lanemask_le", "SR_LEMASK"},
        Pair{"%lanemask_gt", "SR_GTMASK"},
        Pair{"%lanemask_ge", "SR_GEMASK"},
        Pair{"%clock", "SR_CLOCKLO"},
        Pair{"%clock_hi", "SR_CLOCKHI"},
        Pair{"%globaltimer_lo", "SR_GLOBALTIMERLO"},
        Pair{"%globaltimer_hi", "SR_GLOBALTIMERHI"},
        Pair{"%clock64", "SR_CLOCKLO"},
        Pair{"%globaltimer", "SR_GLOBALTIMERLO"},
        Pair{"%tid", "SR_TID"},
        Pair{"%ctaid", "SR_CTAID"},
    };
    const auto *found = std::ranges::find(kPairs, name, &Pair::ptx);
    if (found == kPairs.end()) {
        return {};
    }
    std::string text(found->model);
    if (!component.empty()) {
        text += '.';
        text += static_cast<char>(component[0] - 'a' + 'A');
    }
    return text;
}

/// Bytes of constant bank 0 with an extent of the launch.
std::int64_t extent_offset(const std::string &name, const std::string &component) {
    const std::int64_t base = name == "%ntid" ? constant_bank0::kNtidX : constant_bank0::kNctaidX;
    return base + std::int64_t{4} * (component[0] - 'x');
}

std::int64_t float_bits(const ptx::Operand &operand, Type type) {
    const auto bits = static_cast<std::uint64_t>(operand.value);
    if (operand.kind == ptx::OperandKind::kDouble && type.bits == 32) {
        return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
    }
    if (operand.kind == ptx::OperandKind::kSingle && type.bits == 64 && type.kind == TypeClass::kFloat) {
        const auto single = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        return static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(static_cast<double>(single)));
    }
    return operand.value;
}

} // namespace

std::string upper_case(std::string_view modifier) {
    std::string text(modifier);
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

bool Selection::has(std::string_view modifier) const {
    return std::ranges::find(instruction.modifiers, modifier) != instruction.modifiers.end();
}

Register Selector::fixed(int number) {
    const auto [entry, fresh] = fixed_.try_emplace(number, kNoRegister);
    if (fresh) {
        entry->second = function().add(RegisterClass::kGeneral, 1, number);
    }
    return entry->second;
}

Register Selector::return_address() {
    if (return_address_ == kNoRegister) {
        return_address_ = function().add(RegisterClass::kGeneral, 2);
    }
    return return_address_;
}

Register Selector::carry() {
    if (carry_ == kNoRegister) {
        carry_ = function().add(RegisterClass::kPredicate);
    }
    return carry_;
}

Register Selector::no_carry() {
    if (no_carry_ == kNoRegister) {
        no_carry_ = function().add(RegisterClass::kPredicate);
    }
    return no_carry_;
}

void Selector::refuse(const ptx::Instruction &instruction, const std::string &cause) const {
    throw InputError(file_ + ":" + std::to_string(instruction.place.line) + ":" +
                     std::to_string(instruction.place.column) + ": '" + full_name(instruction) + "' " + cause);
}

Operand Selector::read_special(const ptx::Operand &operand, Type type) {
    const std::string &name = operand.name;
    constexpr std::string_view kComponents = "xyzwrgba"; // .r is .x and so on
    const std::string component =
        operand.component.empty() ? std::string() : std::string(1, "xyzw"[kComponents.find(operand.component) % 4]);
    if (component == "w") {
        return number(name == "%ntid" || name == "%nctaid" ? 1 : 0);
    }
    if (name == "%ntid" || name == "%nctaid") {
        return use([&] {
            const Register reg = temporary();
            emit("MOV", {define(reg), constant(0, extent_offset(name, component))});
            return reg;
        }());
    }
    const std::string special = special_name(name, component);
    const bool wide = type.bits == 64;
    if (!special.empty()) {
        const Register reg = temporary(wide ? 2 : 1);
        const bool clock = special.find("CLOCK") != std::string::npos || special.find("TIMER") != std::string::npos;
        emit(clock || wide ? (wide ? "CS2R" : "CS2R.32") : "S2R", {define(reg, wide ? 2 : 1), text(special)});
        return use(reg, wide ? 2 : 1);
    }
    if (name == "%nwarpid") { // of the CTA, rounded up to whole warps
        const Register x = temporary();
        const Register xy = temporary();
        const Register all = temporary();
        const Register warps = temporary();
        emit("MOV", {define(x), constant(0, constant_bank0::kNtidX)});
        emit("IMAD", {define(xy), use(x), constant(0, constant_bank0::kNtidY), zero()});
        const Register round = temporary();
        emit("MOV", {define(round), number(31)});
        emit("IMAD", {define(all), use(xy), constant(0, constant_bank0::kNtidZ), use(round)});
        emit("SHR", {define(warps), use(all), number(5)});
        return use(warps);
    }
    if (name == "%total_smem_size" || name == "%aggr_smem_size" || name == "%dynamic_smem_size") {
        const Register total = temporary();
        emit("MOV", {define(total), constant(0, constant_bank0::kSharedBytes)});
        if (name != "%dynamic_smem_size") {
            return use(total);
        }
        const Register rest = temporary();
        emit("IADD3", {define(rest), use(total), negated(constant(0, constant_bank0::kDynamicShared)), zero()});
        return use(rest);
    }
    // One SM, one grid; nothing reserved, no environment, no performance monitors.
    const std::int64_t value = name == "%nsmid" ? 1 : 0;
    return wide ? wide_number(value) : number(value);
}

Operand Selector::read(const ptx::Operand &operand, Type type) {
    const unsigned words = words_of_type(type);
    switch (operand.kind) {
    case ptx::OperandKind::kInteger:
        if (type.kind == TypeClass::kFloat) { // an integer constant as a float operand is its value
            const auto value = static_cast<double>(operand.value);
            return words == 2 ? wide_number(static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(value)))
                              : number(std::bit_cast<std::uint32_t>(static_cast<float>(value)));
        }
        return words == 2 ? wide_number(operand.value) : number(operand.value);
    case ptx::OperandKind::kSingle:
    case ptx::OperandKind::kDouble:
        return words == 2 ? wide_number(float_bits(operand, type)) : number(float_bits(operand, type));
    default:
        break;
    }
    if (find_special_register(operand.name)) {
        Operand value = read_special(operand, type);
        value.words = static_cast<std::uint8_t>(std::min<unsigned>(value.words, words));
        return value;
    }
    return use(names_.register_of(operand.name), words);
}

Operand Selector::extend(const Operand &value, Type type) {
    const bool sign = type.kind == TypeClass::kSigned;
    if (type.bits >= 32 || value.kind == OperandKind::kZero) {
        return value;
    }
    if (value.kind == OperandKind::kInteger) {
        const std::uint64_t mask = (std::uint64_t{1} << type.bits) - 1;
        const std::uint64_t bits = static_cast<std::uint64_t>(value.value) & mask;
        const bool minus = sign && ((bits >> (type.bits - 1)) & 1) != 0;
        return number(static_cast<std::int64_t>(minus ? bits | ~mask : bits));
    }
    const Register reg = temporary();
    // Bytes of the register, then zeros (of RZ, bytes 4 and on) or copies of the sign (bit 3 of the selector).
    const std::int64_t selector = type.bits == 16 ? (sign ? 0x9910 : 0x4410) : (sign ? 0x8880 : 0x4440);
    emit("PRMT", {define(reg), in_register(value), number(selector), zero()});
    return use(reg);
}

Operand Selector::read_extended(const ptx::Operand &operand, Type type) {
    return extend(read(operand, type), type);
}

Operand Selector::read_predicate(const ptx::Operand &operand) {
    if (operand.kind == ptx::OperandKind::kInteger) {
        return (operand.value != 0) != operand.negated ? always() : never();
    }
    const Register reg = names_.register_of(operand.name);
    return operand.negated ? if_false(reg) : if_true(reg);
}

Operand Selector::write(const ptx::Operand &operand, Type type) {
    if (operand.kind == ptx::OperandKind::kSink) {
        const unsigned words = words_of_type(type);
        return define(temporary(words), words);
    }
    const Register reg = names_.register_of(operand.name);
    return define(reg, function().registers[reg].words);
}

Operand Selector::write_predicate(const ptx::Operand &operand) {
    if (operand.kind == ptx::OperandKind::kSink) {
        return define_predicate(kNoRegister);
    }
    return define_predicate(names_.register_of(operand.name));
}

void Selector::write_value(const ptx::Operand &destination, const Operand &value, Type type) {
    const Operand to = write(destination, type);
    const unsigned words = words_of_type(type);
    if (words > 1 || to.words == 1) {
        const auto wanted = names_.type_of(destination.name);
        const bool wider = words == 1 && wanted && wanted->bits > type.bits && type.bits < 32;
        Operand shown = wider ? extend(value, type) : value;
        Operand part = to;
        part.words = static_cast<std::uint8_t>(words);
        move(part, shown);
        for (unsigned i = words; i < to.words; ++i) {
            emit("MOV", {word(to, i), zero()});
        }
        return;
    }
    const Operand lower = extend(value, type);
    emit("MOV", {word(to, 0), lower});
    for (unsigned i = 1; i < to.words; ++i) {
        if (type.kind == TypeClass::kSigned && i == 1) {
            emit("SHR.S32", {word(to, i), in_register(lower), number(31)});
        } else {
            emit("MOV", {word(to, i), zero()});
        }
    }
}

} // namespace smsim::ptx::select
