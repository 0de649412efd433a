#include "ptx/type.h"

#include <algorithm>
#include <array>

namespace smsim::ptx {

namespace {

using enum TypeClass;
constexpr std::array kTypes = {
    Type{"b8", kBits, 8},        Type{"b16", kBits, 16},      Type{"b32", kBits, 32},      Type{"b64", kBits, 64},
    Type{"b128", kBits, 128},    Type{"u8", kUnsigned, 8},    Type{"u16", kUnsigned, 16},  Type{"u32", kUnsigned, 32},
    Type{"u64", kUnsigned, 64},  Type{"s8", kSigned, 8},      Type{"s16", kSigned, 16},    Type{"s32", kSigned, 32},
    Type{"s64", kSigned, 64},    Type{"f16", kFloat, 16},     Type{"f32", kFloat, 32},     Type{"f64", kFloat, 64},
    Type{"bf16", kPacked, 16},   Type{"f16x2", kPacked, 32},  Type{"bf16x2", kPacked, 32}, Type{"u16x2", kPacked, 32},
    Type{"s16x2", kPacked, 32},  Type{"tf32", kPacked, 32},   Type{"f32x2", kPacked, 64},  Type{"e4m3x2", kPacked, 16},
    Type{"e5m2x2", kPacked, 16}, Type{"pred", kPredicate, 1}, Type{"u4", kUnsigned, 4},    Type{"s4", kSigned, 4},
    Type{"u2", kUnsigned, 2},    Type{"s2", kSigned, 2}};

constexpr std::array kOpaqueTypes = {Type{"texref", kBits, 64}, Type{"samplerref", kBits, 64},
                                     Type{"surfref", kBits, 64}};

std::optional<Type> find_in(const auto &types, std::string_view name) {
    const auto found = std::ranges::find(types, name, &Type::name);
    return found == types.end() ? std::nullopt : std::optional<Type>(*found);
}

bool is_integer(Type type) {
    return type.kind == kUnsigned || type.kind == kSigned;
}

bool same_class(Type a, Type b) {
    if (a.kind == kPredicate || b.kind == kPredicate) {
        return a.kind == b.kind;
    }
    if (a.kind == kBits || b.kind == kBits || (is_integer(a) && is_integer(b))) {
        return true;
    }
    // Packed values have no register type of their own: they are also kept in integer registers of their size.
    if (a.kind == kPacked || b.kind == kPacked) {
        return a.name == b.name || is_integer(a) || is_integer(b);
    }
    return a.kind == b.kind;
}

} // namespace

std::optional<Type> find_type(std::string_view name) {
    return find_in(kTypes, name);
}

std::optional<Type> find_opaque_type(std::string_view name) {
    return find_in(kOpaqueTypes, name);
}

Type bits_type(unsigned bits) {
    return *std::ranges::find_if(kTypes, [bits](const Type &type) { return type.bits == bits; });
}

bool fits(Type asked, Type operand) {
    return asked.bits == operand.bits && same_class(asked, operand);
}

bool fits_or_wider(Type asked, Type operand) {
    const bool both_float = asked.kind == kFloat && operand.kind == kFloat;
    return fits(asked, operand) || (operand.bits > asked.bits && !both_float && same_class(asked, operand));
}

} // namespace smsim::ptx
