// The fundamental types of PTX and when a register of one type is accepted where an instruction requires another.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace smsim::ptx {

enum class TypeClass : std::uint8_t { kBits, kUnsigned, kSigned, kFloat, kPacked, kPredicate };

/// A type by its class and size; `name` is as written after the dot ("u32").
struct Type {
    std::string_view name;
    TypeClass kind = TypeClass::kBits;
    unsigned bits = 0; ///< size; 1 for a predicate
    friend bool operator==(const Type &, const Type &) = default;
};

/// The type called `name` (without dot); nothing when there is none.
std::optional<Type> find_type(std::string_view name);

/// The type of a texture, sampler or surface called `name` ("texref"), a handle of 64 bits; nothing when there is none.
std::optional<Type> find_opaque_type(std::string_view name);

/// The type of `bits` bits that fits every register of that size (".b32"). Precondition: 8, 16, 32, 64 or 128.
Type bits_type(unsigned bits);

/// True when an operand of type `operand` is accepted where an instruction says `asked`: the same size, and the same
/// class, or both integers, or one of the two a bit type. Predicates only fit predicates.
bool fits(Type asked, Type operand);

/// Like `fits`, but the operand may also be wider: what ld, st and cvt allow, except that a float fits exactly.
bool fits_or_wider(Type asked, Type operand);

} // namespace smsim::ptx
