// F2I, I2F, F2F and MUFU compared with quadruple and extended precision.
#include <algorithm>

#include "tb/unit/sm/compute_support.h"

namespace smsim::sm::compute::test {
namespace {

using isa::FloatType;
using isa::IntRounding;
using isa::IntType;

constexpr Rounding kModes[] = {Rounding::kRn, Rounding::kRm, Rounding::kRp, Rounding::kRz};
constexpr FloatType kFloatTypes[] = {FloatType::kF32, FloatType::kF64, FloatType::kF16};
constexpr FloatType kFloatFormats[] = {FloatType::kF32, FloatType::kF64, FloatType::kF16, FloatType::kBf16};

struct IntegerRange {
    Quad least;
    Quad largest;
    unsigned bits;
    bool is_signed;
};
IntegerRange range_of(unsigned type) {
    constexpr unsigned kBits[] = {32, 32, 64, 64, 16, 16, 8, 8};
    const unsigned bits = kBits[type];
    const bool is_signed = type % 2 == 0;
    const Quad span = bits == 64 ? Quad(18446744073709551616.0) : Quad(std::uint64_t{1} << bits);
    return {is_signed ? -span / 2 : Quad(0), is_signed ? span / 2 - 1 : span - 1, bits, is_signed};
}

/// A half-precision number from its fields.
double half_value(std::uint32_t bits) {
    const int field = static_cast<int>((bits >> 10) & 31U);
    const int fraction = static_cast<int>(bits & 0x3ffU);
    const double magnitude = field == 31  ? (fraction != 0 ? std::nan("") : HUGE_VAL)
                             : field == 0 ? std::ldexp(fraction, -24)
                                          : std::ldexp(1024 + fraction, field - 25);
    return (bits & 0x8000U) != 0 ? -magnitude : magnitude;
}

/// A BF16 number: the upper half of a single.
double bfloat_value(std::uint32_t bits) {
    return double{f32(std::uint64_t{bits} << 16)};
}

/// A format of 16 bits.
struct ShortFormat {
    double (*value)(std::uint32_t bits);
    std::uint32_t infinity;
    double behind_largest; ///< the successor of the largest finite number
};
constexpr ShortFormat kHalf{half_value, 0x7c00, 0x1p16};
constexpr ShortFormat kBfloat{bfloat_value, 0x7f80, 0x1p128};

/// The number of the format nearest to a value that is exact in quadruple precision, found by exhaustive search.
std::uint32_t short_of(const ShortFormat &format, Quad value, bool negative, Rounding mode) {
    if (value != value) {
        return 0x7fff;
    }
    const Quad size = negative ? -value : value;
    std::uint32_t below = 0; // largest finite number whose magnitude is at most that of the value
    std::uint32_t high = format.infinity;
    while (high - below > 1) {
        const std::uint32_t middle = (below + high) / 2;
        (Quad(format.value(middle)) <= size ? below : high) = middle;
    }
    const std::uint32_t sign = negative ? 0x8000 : 0;
    if (size == Quad(format.value(below))) {
        return sign | below;
    }
    if (size > Quad(HUGE_VAL) - 1 || size == Quad(HUGE_VAL)) {
        return sign | format.infinity;
    }
    const Quad next = below == format.infinity - 1 ? Quad(format.behind_largest) : Quad(format.value(below + 1));
    const Quad middle = (Quad(format.value(below)) + next) / 2;
    const bool up = mode == Rounding::kRn   ? size > middle || (size == middle && (below & 1U) != 0)
                    : mode == Rounding::kRp ? !negative
                    : mode == Rounding::kRm ? negative
                                            : false;
    return sign | (up ? below + 1 : below);
}

Quad value_of(FloatType type, std::uint64_t bits) {
    return type == FloatType::kF32   ? Quad(f32(bits))
           : type == FloatType::kF64 ? Quad(f64(bits))
           : type == FloatType::kF16 ? Quad(half_value(bits & 0xffff))
                                     : Quad(bfloat_value(bits & 0xffff));
}
bool negative_of(FloatType type, std::uint64_t bits) {
    return (bits >> (type == FloatType::kF32 ? 31 : type == FloatType::kF64 ? 63 : 15) & 1U) != 0;
}

std::uint64_t float_bits(FloatType type, Quad value, bool negative, Rounding mode) {
    if (type == FloatType::kF16) {
        return short_of(kHalf, value, negative, mode);
    }
    if (type == FloatType::kBf16) {
        return short_of(kBfloat, value, negative, mode);
    }
    const auto in = [&]<typename F>(F) -> std::uint64_t {
        if (value != value || value - value != 0) {
            return bits_of(static_cast<F>(value));
        }
        return bits_of(value == 0 ? (negative ? -F(0) : F(0)) : round_exact<F>(value, 0, mode));
    };
    return type == FloatType::kF32 ? in(0.0F) : in(0.0);
}

/// Rounding to an integer from its definition; exact for every float of at most 64 bits.
Quad integral(Quad value, IntRounding how) {
    if (value != value || value >= Quad(1e30) || value <= Quad(-1e30)) {
        return value;
    }
    const auto toward_zero = static_cast<__int128>(value);
    const Quad rest = value - Quad(toward_zero);
    const int step = rest == 0 ? 0 : rest > 0 ? 1 : -1;
    const Quad size = rest < 0 ? -rest : rest;
    bool away = false;
    switch (how) {
    case IntRounding::kNearest:
        away = size > Quad(0.5) || (size == Quad(0.5) && toward_zero % 2 != 0);
        break;
    case IntRounding::kFloor:
        away = step < 0;
        break;
    case IntRounding::kCeil:
        away = step > 0;
        break;
    default:
        break;
    }
    return Quad(toward_zero + (away ? step : 0));
}

Source floats_of(FloatType type) {
    if (type == FloatType::kF64) {
        return doubles();
    }
    if (type == FloatType::kF16) {
        return pick({0x0000, 0x8000, 0x0001, 0x03ff, 0x0400, 0x3c00, 0xbc00, 0x3800, 0x3e00, 0xc100, 0x7bff, 0xfbff,
                     0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x4900});
    }
    if (type == FloatType::kBf16) {
        return pick({0x0000, 0x8000, 0x0001, 0x007f, 0x0080, 0x3f80, 0xbf80, 0x3f00, 0x3fc0, 0xc020, 0x7f7f, 0xff7f,
                     0x7f80, 0xff80, 0x7fc0, 0xffc1, 0x3380, 0x4780, 0x42c8});
    }
    // Near the limits of the integer types, halves and the limits of half precision and of BF16.
    return
        [base = floats(),
         edges = pick({0x3effffff, 0x3fc00000, 0x40200000, 0xbf000000, 0x42fe0000, 0x42ff0000, 0x437f8000, 0x46fffe00,
                       0x46ffff00, 0x477fff00, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0xdf000000, 0x477fefff,
                       0x477ff000, 0x33000000, 0x33000001, 0x387fc000, 0x38801000, 0x7f7f7fff, 0x7f7f8000, 0x7f7fffff,
                       0x00008000, 0x00008001, 0x00018000, 0x007fffff, 0x3f808000, 0x3f818000, 0x3f808001})](
            std::mt19937_64 &random) { return random() % 2 == 0 ? base(random) : edges(random); };
}

TEST(ComputeF2i, SaturatesAndGivesTheNanOfItsType) {
    for (unsigned type = 0; type < 8; ++type) {
        for (const FloatType from : kFloatTypes) {
            for (unsigned rounding = 0; rounding < 5; ++rounding) {
                for (const bool ftz : {false, true}) {
                    Instruction insn = make(Op::kF2i, Form::kR);
                    insn.mod = {static_cast<std::uint8_t>(type), static_cast<std::uint8_t>(from),
                                static_cast<std::uint8_t>(rounding), ftz};
                    const IntegerRange range = range_of(type);
                    const bool wide = range.bits == 64;
                    check(
                        insn, {.b = from == FloatType::kF64, .rd = wide}, floats_of(from),
                        [=](const In &in) -> Out {
                            Quad value = value_of(from, in.b);
                            if (value != value) {
                                const bool zero = from != FloatType::kF64 && !wide;
                                const std::uint64_t pattern = std::uint64_t{1} << (range.bits - 1);
                                return {zero ? 0 : range.is_signed ? 0 - pattern : pattern};
                            }
                            if (ftz && from == FloatType::kF32 && (in.b & 0x7f800000) == 0) {
                                value = 0;
                            }
                            value = integral(value, static_cast<IntRounding>(rounding));
                            value = value < range.least ? range.least : value > range.largest ? range.largest : value;
                            return {static_cast<std::uint64_t>(static_cast<__int128>(value))};
                        },
                        5);
                }
            }
        }
    }
}

TEST(ComputeF2i, SignsApplyBeforeTheConversion) {
    Instruction insn = make(Op::kF2i, Form::kR);
    insn.mod = {0, 0, 4, 0};
    insn.abs_b = true;
    insn.neg_b = true;
    Warp warp;
    insn.rd = 2;
    insn.rb = 1;
    warp.fill(1, [](unsigned lane) { return bits_of(static_cast<float>(lane) - 15.5F); });
    warp.run(insn);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        EXPECT_EQ(static_cast<int>(warp.regs.value(2, lane)),
                  -static_cast<int>(std::abs(static_cast<int>(lane) - 15.5)));
    }
}

TEST(ComputeI2f, RoundsCorrectlyFromEveryType) {
    for (const FloatType to : kFloatTypes) {
        for (unsigned type = 0; type < 8; ++type) {
            for (const Rounding mode : kModes) {
                for (unsigned signs = 0; signs < 4; ++signs) {
                    Instruction insn = make(Op::kI2f, Form::kR);
                    insn.mod = {static_cast<std::uint8_t>(to), static_cast<std::uint8_t>(type),
                                static_cast<std::uint8_t>(mode)};
                    insn.abs_b = (signs & 1U) != 0;
                    insn.neg_b = (signs & 2U) != 0;
                    const IntegerRange range = range_of(type);
                    const Widths widths{.b = range.bits == 64, .rd = to == FloatType::kF64};
                    check(
                        insn, widths, integers(),
                        [=](const In &in) -> Out {
                            __int128 value = in.b;
                            value &= (static_cast<__int128>(1) << range.bits) - 1;
                            if (range.is_signed && (value >> (range.bits - 1)) != 0) {
                                value -= static_cast<__int128>(1) << range.bits;
                            }
                            if ((signs & 1U) != 0 && value < 0) {
                                value = -value;
                            }
                            value = (signs & 2U) != 0 ? -value : value;
                            return {float_bits(to, Quad(value), value < 0, mode)};
                        },
                        3);
                }
            }
        }
    }
}

TEST(ComputeF2f, ConvertsRoundsFlushesAndSaturates) {
    for (const FloatType to : kFloatFormats) {
        for (const FloatType from : kFloatFormats) {
            for (const Rounding mode : kModes) {
                for (unsigned how = 0; how < 5; ++how) {
                    for (unsigned rest = 0; rest < 4; ++rest) {
                        Instruction insn = make(Op::kF2f, Form::kR);
                        const bool ftz = (rest & 1U) != 0;
                        const bool saturate = (rest & 2U) != 0;
                        insn.mod = {static_cast<std::uint8_t>(to),
                                    static_cast<std::uint8_t>(from),
                                    static_cast<std::uint8_t>(mode),
                                    static_cast<std::uint8_t>(how),
                                    ftz,
                                    saturate};
                        const Widths widths{.b = from == FloatType::kF64, .rd = to == FloatType::kF64};
                        check(
                            insn, widths, floats_of(from),
                            [=](const In &in) -> Out {
                                const bool negative = negative_of(from, in.b);
                                Quad value = value_of(from, in.b);
                                const auto small = [](Quad v) { return v < Quad(0x1p-126) && v > Quad(-0x1p-126); };
                                if (ftz && from == FloatType::kF32 && small(value)) {
                                    value = 0;
                                }
                                if (how != 0) {
                                    value = integral(value, static_cast<IntRounding>(how));
                                }
                                if (saturate && (value != value || negative)) {
                                    return {0};
                                }
                                if (saturate && value > 1) {
                                    value = 1;
                                }
                                std::uint64_t bits = float_bits(to, value, negative, mode);
                                if (ftz && to == FloatType::kF32 && small(Quad(f32(bits)))) {
                                    bits &= 0x80000000;
                                }
                                return {bits};
                            },
                            2);
                    }
                }
            }
        }
    }
}

// --- MUFU
// -------------------------------------------------------------------------------------------------------------

/// Error of a float relative to an exact value, in units of the last place of that value.
long double ulps(float got, long double exact) {
    if (std::isnan(exact) || std::isnan(got)) {
        return std::isnan(exact) && std::bit_cast<std::uint32_t>(got) == 0x7fffffffU ? 0 : HUGE_VALL;
    }
    const auto nearest = static_cast<float>(exact);
    if (std::isinf(nearest) || std::isinf(got) || nearest == 0) {
        return std::bit_cast<std::uint32_t>(nearest) == std::bit_cast<std::uint32_t>(got) ? 0 : HUGE_VALL;
    }
    const float size = std::abs(nearest);
    const long double step = static_cast<long double>(std::nextafter(size, HUGE_VALF)) - size;
    return std::abs(got - exact) / step;
}

void check_mufu(isa::Mufu function, const Source &source, long double bound, long double (*exact)(long double)) {
    std::mt19937_64 random(11);
    for (unsigned round = 0; round < 400; ++round) {
        Warp warp;
        Instruction insn = make(Op::kMufu, Form::kR);
        insn.mod[0] = static_cast<std::uint8_t>(function);
        insn.abs_b = round % 8 == 1;
        insn.neg_b = round % 8 == 2;
        insn.rd = 2;
        insn.rb = 1;
        warp.fill(1, [&](unsigned) { return static_cast<std::uint32_t>(source(random)); });
        warp.run(insn);
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            float x = f32(warp.regs.value(1, lane));
            x = insn.abs_b ? std::abs(x) : insn.neg_b ? -x : x;
            const float got = f32(warp.regs.value(2, lane));
            ASSERT_LE(ulps(got, exact(x)), bound) << std::hexfloat << x << " gives " << got;
        }
    }
}

TEST(ComputeMufu, ReciprocalAndRootsAreCorrectlyRounded) {
    check_mufu(isa::Mufu::kRcp, floats(), 0.5L, [](long double x) { return 1 / x; });
    check_mufu(isa::Mufu::kSqrt, floats(), 0.5L, [](long double x) { return std::sqrt(x); });
    check_mufu(isa::Mufu::kRsq, floats(), 0.51L, [](long double x) { return 1 / std::sqrt(x); });
}

TEST(ComputeMufu, PowerAndLogarithm) {
    const Source near = [](std::mt19937_64 &random) {
        const std::uint64_t r = random();
        const float small = static_cast<float>(static_cast<double>(r % 3200000) / 10000.0 - 160.0);
        return std::uint64_t{std::bit_cast<std::uint32_t>(small)};
    };
    check_mufu(isa::Mufu::kEx2, floats(), 0.51L, [](long double x) { return std::exp2(x); });
    check_mufu(isa::Mufu::kEx2, near, 0.51L, [](long double x) { return std::exp2(x); });
    check_mufu(isa::Mufu::kLg2, floats(), 0.51L, [](long double x) { return std::log2(x); });
    const Source around_one = [](std::mt19937_64 &random) { return 0x3f000000 + random() % 0x1000000; };
    check_mufu(isa::Mufu::kLg2, around_one, 0.51L, [](long double x) { return std::log2(x); });
}

TEST(ComputeMufu, SineAndCosineOfRadians) {
    const auto sine = [](long double x) { return std::sin(x); };
    const auto cosine = [](long double x) { return std::cos(x); };
    const Source range = [](std::mt19937_64 &random) {
        const double size = std::exp2(static_cast<double>(random() % 4000) / 100.0 - 20.0);
        return std::uint64_t{std::bit_cast<std::uint32_t>(static_cast<float>(random() % 2 == 0 ? size : -size))};
    };
    const Source multiples = [](std::mt19937_64 &random) { // next to multiples of pi/2, where most digits cancel
        const auto x = static_cast<float>(static_cast<double>(random() % 160000) * 1.57079632679489661923);
        return std::uint64_t{std::bit_cast<std::uint32_t>(x)};
    };
    for (const Source &source : {floats(), range, multiples}) {
        check_mufu(isa::Mufu::kSin, source, 0.51L, sine);
        check_mufu(isa::Mufu::kCos, source, 0.51L, cosine);
    }
}

TEST(ComputeMufu, FtzMakesSubnormalSourcesAndResultsZerosOfTheirSign) {
    constexpr std::uint32_t kMinusSmallest = 0x80000001;
    constexpr std::uint32_t kPlus = 0x7f800000;
    constexpr std::uint32_t kMinus = 0xff800000;
    const struct {
        isa::Mufu function;
        std::uint32_t source;
        std::uint32_t kept;
        std::uint32_t flushed;
    } cases[] = {
        {isa::Mufu::kRcp, 0x7f000000, 0x00400000, 0},                  // 2^127: the result is subnormal
        {isa::Mufu::kRcp, 0xff000000, 0x80400000, 0x80000000},         //
        {isa::Mufu::kRcp, 0x80400000, 0xff000000, kMinus},             // -2^-127: the source is
        {isa::Mufu::kRsq, 0x00400000, 0x5f3504f3, kPlus},              //
        {isa::Mufu::kSqrt, kMinusSmallest, 0x7fffffff, 0x80000000},    // the square root of -0
        {isa::Mufu::kEx2, 0xc3000000, 0x00200000, 0},                  // 2^-128
        {isa::Mufu::kLg2, 0x00000001, 0xc3150000, kMinus},             // -149
        {isa::Mufu::kSin, kMinusSmallest, kMinusSmallest, 0x80000000}, //
        {isa::Mufu::kCos, kMinusSmallest, 0x3f800000, 0x3f800000},     //
        {isa::Mufu::kRcp, 0x00800000, 0x7e800000, 0x7e800000},         // the smallest normal number stays
    };
    for (const auto &one : cases) {
        for (const bool flush : {false, true}) {
            Warp warp;
            Instruction insn = make(Op::kMufu, Form::kR);
            insn.mod[0] = static_cast<std::uint8_t>(one.function);
            insn.mod[1] = flush ? 1 : 0;
            insn.rd = 2;
            insn.rb = 1;
            warp.fill(1, [&](unsigned) { return one.source; });
            warp.run(insn);
            EXPECT_EQ(warp.regs.value(2, 5), flush ? one.flushed : one.kept) << std::hex << one.source;
        }
    }
}

TEST(ComputeMufu, EveryFormAndMask) {
    Instruction insn = make(Op::kMufu, Form::kR);
    insn.mod[0] = static_cast<std::uint8_t>(isa::Mufu::kRcp);
    check(insn, {}, floats(), [](const In &in) -> Out { return {bits_of(1.0F / f32(in.b))}; });
}

} // namespace
} // namespace smsim::sm::compute::test
