// Instructions that compute: values in, values out, nothing else. For registers, memory and threads see machine.h.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/interpreter/floating.h"
#include "ptx/type.h"

namespace smsim::ptx::interpreter {

/// Modifiers that change what an instruction computes.
enum class Word : std::uint8_t {
    kFtz,
    kSat,
    kRelu,
    kNan,
    kXorsign,
    kAbs,
    kApprox,
    kFull,
    kHi,
    kLo,
    kWide,
    kCc,
    kClamp,
    kWrap,
    kShiftamt,
    kLeft,
    kRight,
    kF4e,
    kB4e,
    kRc8,
    kEcl,
    kEcr,
    kRc16,
    kFinite,
    kInfinite,
    kNumber,
    kNotanumber,
    kNormal,
    kSubnormal,
    kAdd,
    kMin,
    kMax,
    kAnd,
    kOr,
    kXor,
    kExch,
    kCas,
    kInc,
    kDec,
    kPopc,
    kSync,
    kArrive,
    kWarp,
    kRed,
    kUp,
    kDown,
    kBfly,
    kIdx,
    kAll,
    kAny,
    kUni,
    kBallot,
    kTo,
    kSatfinite,
    kPack,
    kCount
};

enum class Compare : std::uint8_t {
    kNone,
    kEq,
    kNe,
    kLt,
    kLe,
    kGt,
    kGe,
    kLo,
    kLs,
    kHs,
    kHi,
    kEqu,
    kNeu,
    kLtu,
    kLeu,
    kGtu,
    kGeu,
    kNum,
    kNan
};
enum class Boolean : std::uint8_t { kNone, kAnd, kOr, kXor };

struct Operation;

/// Operands as bits, masked to the size of their types; predicates are 0 and 1.
struct Inputs {
    std::array<std::uint64_t, 5> value{};
    bool carry = false; ///< CC.CF
};

struct Outputs {
    std::uint64_t value = 0;
    std::uint64_t second = 0; ///< the predicate after '|'
    bool carry = false;
};

using Handler = Outputs (*)(const Operation &, const Inputs &);

/// An opcode with its modifiers and types, as far as they affect the result.
struct Operation {
    std::string_view opcode;
    std::array<ptx::Type, 3> types{};
    std::uint64_t words = 0; ///< bit set of Word
    Rounding rounding = Rounding::kNearest;
    bool rounded = false;  ///< a rounding is written
    bool integral = false; ///< .rni, .rzi, .rmi, .rpi
    Compare compare = Compare::kNone;
    Boolean boolean = Boolean::kNone;
    unsigned inputs = 0; ///< operands that are read
    std::array<std::string_view, 3>
        selectors{};           ///< of video instructions: of the result and of two sources, as written
    Handler handler = nullptr; ///< null: not an instruction that only computes

    bool has(Word word) const { return (words >> static_cast<unsigned>(word) & 1) != 0; }
};

/// The operation of an opcode with its modifiers; `types` are those of its type slots.
Operation make_operation(std::string_view opcode, const std::vector<std::string> &modifiers,
                         const std::vector<ptx::Type> &types);

/// What the instruction computes. Precondition: a handler.
inline Outputs evaluate(const Operation &operation, const Inputs &inputs) {
    return operation.handler(operation, inputs);
}

/// How far a result may be from the exact one: the larger of all allowed errors. All zero: bits equal.
struct Accuracy {
    double relative = 0;
    double absolute = 0;
    double ulps = 0;
    bool unbounded = false; ///< the PTX ISA guarantees nothing for these operands
    bool exact() const { return relative == 0 && absolute == 0 && ulps == 0 && !unbounded; }
};

/// The bound that the PTX ISA documents for the operation at these operands.
Accuracy accuracy_of(const Operation &operation, const Inputs &inputs);

/// True when the PTX ISA does not define the result (division by zero and the like).
bool is_undefined(const Operation &operation, const Inputs &inputs);

/// The handler of an opcode among integers, floats and comparisons; null when there is none.
Handler integer_handler(std::string_view opcode, const Operation &operation);
Handler floating_handler(std::string_view opcode, const Operation &operation);
Handler comparison_handler(std::string_view opcode, const Operation &operation);
Handler conversion_handler(std::string_view opcode, const Operation &operation);
Handler video_handler(std::string_view opcode, const Operation &operation);

// Bits.
inline std::uint64_t low_bits(std::uint64_t value, unsigned bits) {
    return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}
inline std::int64_t sign_extended(std::uint64_t value, unsigned bits) {
    return static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits);
}
inline bool is_signed(ptx::Type type) {
    return type.kind == ptx::TypeClass::kSigned || type.name == "s16x2";
}
/// True for types of two elements in 32 bits.
inline bool is_paired(ptx::Type type) {
    return type.name.ends_with("x2") && type.bits == 32;
}
/// The integer that the bits stand for.
inline __int128 integer_of(ptx::Type type, std::uint64_t value) {
    return is_signed(type) ? static_cast<__int128>(sign_extended(value, type.bits))
                           : static_cast<__int128>(low_bits(value, type.bits));
}

} // namespace smsim::ptx::interpreter
