// Conversions between integers and floats and between float formats, by exact integer arithmetic: correctly rounded in
// all modes and for all formats by one piece of code. The two conversions that kernels use most have a vector loop.
#include <algorithm>
#include <bit>

#include "sm/datapath/compute/operation.h"
#include "sm/datapath/compute/rounding.h"

namespace smsim::sm::compute {
namespace {

using isa::FloatType;
using isa::IntRounding;
using isa::IntType;
using isa::Rounding;

struct IntFormat {
    unsigned bits;
    bool is_signed;
};
constexpr IntFormat format_of(IntType type) {
    constexpr IntFormat kFormats[] = {{32, true}, {32, false}, {64, true}, {64, false},
                                      {16, true}, {16, false}, {8, true},  {8, false}};
    return kFormats[static_cast<unsigned>(type) & 7U];
}

/// The rounding mode of an integral rounding. F2I truncates by default.
constexpr Rounding mode_of(IntRounding rounding) {
    switch (rounding) {
    case IntRounding::kNearest:
        return Rounding::kRn;
    case IntRounding::kFloor:
        return Rounding::kRm;
    case IntRounding::kCeil:
        return Rounding::kRp;
    case IntRounding::kNone:
    case IntRounding::kTrunc:
        break;
    }
    return Rounding::kRz;
}

/// Source b of a conversion as 64 bits per lane; the upper half is zero where the type has only 32.
PairRows source(const Operation &op, PairBuffer &buffer, bool wide) {
    if (wide) {
        return pair_b(op, buffer, 0);
    }
    return {source_b(op, buffer.low), spread(buffer.high, 0)};
}

/// Applies |x| and -x to the bits of a float.
std::uint64_t with_sign(const Operation &op, const BinaryFormat &format, std::uint64_t bits) {
    bits &= format.sign_bit() | (format.sign_bit() - 1);
    if (op.insn.abs_b) {
        bits &= ~format.sign_bit();
    }
    return op.insn.neg_b ? bits ^ format.sign_bit() : bits;
}

/// .FTZ applies to single precision only.
std::uint64_t flushed_if(bool flush, const BinaryFormat &format, std::uint64_t bits) {
    const bool small = (bits & ~format.sign_bit()) <= format.fraction_mask();
    return flush && &format == &kBinary32 && small ? bits & format.sign_bit() : bits;
}

void write(const Operation &op, const PairBuffer &result, bool wide) {
    if (wide) {
        write_rd_pair(op, result);
    } else {
        write_rd(op, result.low);
    }
}

/// A float as an integer of the type, extended to 64 bits by its sign.
std::uint64_t to_integer(const Unpacked &number, const BinaryFormat &from, IntFormat to) {
    const std::uint64_t half_range = std::uint64_t{1} << (to.bits - 1);
    if (number.kind == Unpacked::Kind::kNan) {
        // cvt of PTX: 0 unless one side has 64 bits, else the bit pattern 100..0 of the type.
        if (&from != &kBinary64 && to.bits != 64) {
            return 0;
        }
        return to.is_signed ? 0 - half_range : half_range;
    }
    const std::uint64_t largest = to.is_signed ? half_range - 1 : half_range - 1 + half_range;
    const std::uint64_t largest_below_zero = to.is_signed ? half_range : 0;
    const std::uint64_t limit = number.negative ? largest_below_zero : largest;
    std::uint64_t magnitude = limit;
    if (number.kind == Unpacked::Kind::kFinite) {
        if (number.magnitude == 0) {
            return 0;
        }
        if (number.exponent <= std::countl_zero(number.magnitude)) {
            magnitude = std::min(number.magnitude << number.exponent, limit);
        }
    }
    return number.negative ? 0 - magnitude : magnitude;
}

/// The low bits of a value as a number of the type; |x| and -x act on the number, so they cannot overflow.
Unpacked from_integer(const Operation &op, IntFormat from, std::uint64_t bits) {
    const unsigned unused = 64 - from.bits;
    const std::uint64_t zero_extended = (bits << unused) >> unused;
    const auto sign_extended = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused);
    Unpacked number;
    number.negative = from.is_signed && (sign_extended >> 63) != 0;
    number.magnitude = number.negative ? 0 - sign_extended : zero_extended;
    number.negative = (number.negative && !op.insn.abs_b) != op.insn.neg_b && number.magnitude != 0;
    return number;
}

/// F2I.S32.F32.TRUNC on a row. The float just below 2^31 is exact, so a lane inside the range converts as it is.
SMSIM_MULTIVERSION void truncate_to_s32(Row &result, const std::uint32_t *from) {
    for (unsigned i = 0; i < kLanes; ++i) {
        const float value = std::bit_cast<float>(from[i]);
        const bool inside = value >= -0x1p31F && value < 0x1p31F;
        const auto converted = static_cast<std::uint32_t>(static_cast<std::int32_t>(inside ? value : 0.0F));
        const std::uint32_t outside = value >= 0x1p31F ? 0x7fffffffU : value < -0x1p31F ? 0x80000000U : 0U;
        result.lane[i] = inside ? converted : outside;
    }
}

/// I2F.F32.S32 to nearest on a row.
SMSIM_MULTIVERSION void s32_to_f32(Row &result, const std::uint32_t *from) {
    for (unsigned i = 0; i < kLanes; ++i) {
        result.lane[i] = std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(from[i])));
    }
}

bool is_64(IntType type) {
    return type == IntType::kS64 || type == IntType::kU64;
}

} // namespace

void execute_f2i(const Operation &op) {
    const auto to_type = modifier<IntType>(op, 0);
    const auto from_type = modifier<FloatType>(op, 1);
    const Rounding mode = mode_of(modifier<IntRounding>(op, 2));
    const bool flush = op.insn.mod[3] != 0;
    const BinaryFormat &from = format_of(from_type);
    const IntFormat to = format_of(to_type);
    PairBuffer buffer;
    PairBuffer result;
    const PairRows b = source(op, buffer, from_type == FloatType::kF64);
    if (to_type == IntType::kS32 && from_type == FloatType::kF32 && mode == Rounding::kRz && !op.insn.neg_b &&
        !op.insn.abs_b) {
        truncate_to_s32(result.low, b.low);
        write_rd(op, result.low);
        return;
    }
    for (unsigned i = 0; i < kLanes; ++i) {
        const std::uint64_t bits = flushed_if(flush, from, with_sign(op, from, join(b, i)));
        split(result, i, to_integer(round_to_integral(unpack(from, bits), mode), from, to));
    }
    write(op, result, is_64(to_type));
}

void execute_i2f(const Operation &op) {
    const auto to_type = modifier<FloatType>(op, 0);
    const auto from_type = modifier<IntType>(op, 1);
    const auto mode = modifier<Rounding>(op, 2);
    PairBuffer buffer;
    PairBuffer result;
    const PairRows b = source(op, buffer, is_64(from_type));
    if (to_type == FloatType::kF32 && from_type == IntType::kS32 && mode == Rounding::kRn && !op.insn.neg_b &&
        !op.insn.abs_b) {
        s32_to_f32(result.low, b.low);
        write_rd(op, result.low);
        return;
    }
    for (unsigned i = 0; i < kLanes; ++i) {
        split(result, i, pack(format_of(to_type), from_integer(op, format_of(from_type), join(b, i)), mode));
    }
    write(op, result, to_type == FloatType::kF64);
}

void execute_f2f(const Operation &op) {
    const auto to_type = modifier<FloatType>(op, 0);
    const auto from_type = modifier<FloatType>(op, 1);
    const auto mode = modifier<Rounding>(op, 2);
    const auto integral = modifier<IntRounding>(op, 3);
    const bool flush = op.insn.mod[4] != 0;
    const bool saturate = op.insn.mod[5] != 0;
    const BinaryFormat &to = format_of(to_type);
    const BinaryFormat &from = format_of(from_type);
    PairBuffer buffer;
    PairBuffer result;
    const PairRows b = source(op, buffer, from_type == FloatType::kF64);
    for (unsigned i = 0; i < kLanes; ++i) {
        Unpacked number = unpack(from, flushed_if(flush, from, with_sign(op, from, join(b, i))));
        if (integral != IntRounding::kNone) {
            number = round_to_integral(number, mode_of(integral));
        }
        std::uint64_t bits = flushed_if(flush, to, pack(to, number, mode));
        if (saturate) { // to [+0, 1]; a NaN to +0
            const bool below = number.kind == Unpacked::Kind::kNan || number.negative;
            bits = below ? 0 : std::min(bits, to.one());
        }
        split(result, i, bits);
    }
    write(op, result, to_type == FloatType::kF64);
}

} // namespace smsim::sm::compute
