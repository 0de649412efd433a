// cvt: between integers and floating-point formats, with rounding and saturation.
#include <algorithm>
#include <cmath>

#include "ptx/interpreter/eight_bit_floats.h"
#include "ptx/interpreter/operation.h"

namespace smsim::ptx::interpreter {

namespace {

/// TF32 as the upper 19 bits of a single.
constexpr Format kTensor{8, 10};
constexpr unsigned kBelowTensor = 13;

__int128 largest(ptx::Type type) {
    return (static_cast<__int128>(1) << (type.bits - (is_signed(type) ? 1 : 0))) - 1;
}
__int128 least(ptx::Type type) {
    return is_signed(type) ? -(static_cast<__int128>(1) << (type.bits - 1)) : 0;
}

std::uint64_t to_integer(const Operation &operation, ptx::Type to, ptx::Type from, std::uint64_t bits) {
    const Format format = *format_of(from);
    const long double number =
        decode(format, operation.has(Word::kFtz) && format != kDouble ? flush(format, bits) : bits);
    if (std::isnan(number)) {
        return to.bits == 64 || from.bits == 64 ? std::uint64_t{1} << (to.bits - 1) : 0;
    }
    const long double rounded = to_integral(number, operation.rounding);
    const __int128 value = rounded >= static_cast<long double>(largest(to)) ? largest(to)
                           : rounded <= static_cast<long double>(least(to)) ? least(to)
                                                                            : static_cast<__int128>(rounded);
    return low_bits(static_cast<std::uint64_t>(value), to.bits);
}

std::uint64_t between_integers(const Operation &operation, ptx::Type to, ptx::Type from, std::uint64_t bits) {
    __int128 value = integer_of(from, bits);
    if (operation.has(Word::kSat)) {
        value = std::clamp(value, least(to), largest(to));
    }
    return low_bits(static_cast<std::uint64_t>(value), to.bits);
}

/// .ftz, .relu, .sat and .satfinite of a result.
std::uint64_t finish(const Operation &operation, Format format, std::uint64_t bits) {
    if (operation.has(Word::kFtz) && format == kSingle) {
        bits = flush(format, bits);
    }
    if (operation.has(Word::kRelu) && !is_nan(format, bits) && is_negative(format, bits)) {
        bits = 0;
    }
    if (operation.has(Word::kSatfinite) && is_infinite(format, bits)) {
        bits -= 1;
    }
    return operation.has(Word::kSat) ? saturate(format, bits) : bits;
}

std::uint64_t to_float(const Operation &operation, Format to, ptx::Type from, std::uint64_t bits) {
    const auto format = format_of(from);
    if (!format) {
        return finish(operation, to, encode(to, static_cast<long double>(integer_of(from, bits)), operation.rounding));
    }
    if (operation.has(Word::kFtz) && *format == kSingle) {
        bits = flush(*format, bits);
    }
    long double number = decode(*format, bits);
    if (operation.integral) {
        number = to_integral(number, operation.rounding);
    }
    return finish(operation, to, encode(to, number, operation.rounding));
}

/// a and b side by side, below the low bits of c.
std::uint64_t packed(const Operation &operation, const Inputs &in) {
    const ptx::Type to = operation.types[0];
    const std::uint64_t upper = between_integers(operation, to, operation.types[1], in.value[0]);
    const std::uint64_t lower = between_integers(operation, to, operation.types[1], in.value[1]);
    const std::uint64_t above = to.bits < 16 ? in.value[2] << (2 * to.bits) : 0;
    return low_bits(above | upper << to.bits | lower, 32);
}

/// 0 for a negative number if .relu is written; every other number and a NaN as it is.
long double rectified(const Operation &operation, long double number) {
    return operation.has(Word::kRelu) && std::signbit(number) && !std::isnan(number) ? 0 : number;
}

/// Two singles, or the halves of a pair, as 8-bit floats, the first above the second. PTX always asks for .satfinite.
std::uint64_t to_eights(const Operation &operation, EightBits to, ptx::Type from, const Inputs &in) {
    const bool paired = is_paired(from);
    const std::uint64_t first = paired ? in.value[0] >> 16 : in.value[0];
    const std::uint64_t second = paired ? low_bits(in.value[0], 16) : in.value[1];
    const auto convert = [&](std::uint64_t bits) {
        return encode_eight(to, rectified(operation, decode(*format_of(from), bits)));
    };
    return convert(first) << 8 | convert(second);
}

std::uint64_t from_eights(const Operation &operation, Format to, EightBits from, std::uint64_t bits) {
    const auto convert = [&](std::uint64_t code) {
        return encode(to, rectified(operation, decode_eight(from, code)), operation.rounding);
    };
    return convert(bits >> 8) << 16 | convert(bits);
}

std::uint64_t to_tensor(const Operation &operation, ptx::Type from, std::uint64_t bits) {
    const std::uint64_t code = to_float(operation, kTensor, from, bits);
    return is_nan(kTensor, code) ? canonical_nan(kSingle) : code << kBelowTensor;
}

Outputs cvt(const Operation &operation, const Inputs &in) {
    const auto [to, from, unused] = operation.types;
    if (operation.has(Word::kPack)) {
        return {packed(operation, in)};
    }
    const auto format = format_of(to);
    if (const auto eights = eight_bits_of(to)) {
        return {to_eights(operation, *eights, from, in)};
    }
    if (const auto eights = eight_bits_of(from)) {
        return {from_eights(operation, *format, *eights, in.value[0])};
    }
    if (to.name == "tf32") {
        return {to_tensor(operation, from, in.value[0])};
    }
    if (is_paired(to)) { // two sources: the first becomes the upper half
        const std::uint64_t upper = to_float(operation, *format, from, in.value[0]);
        return {upper << 16 | to_float(operation, *format, from, in.value[1])};
    }
    if (format) {
        return {to_float(operation, *format, from, in.value[0])};
    }
    return {format_of(from) ? to_integer(operation, to, from, in.value[0])
                            : between_integers(operation, to, from, in.value[0])};
}

} // namespace

Handler conversion_handler(std::string_view opcode, const Operation &) {
    return opcode == "cvt" ? cvt : nullptr;
}

} // namespace smsim::ptx::interpreter
