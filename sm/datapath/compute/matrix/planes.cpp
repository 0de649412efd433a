// Unpacks elements. No subnormal floats arise on the way, because hosts are slow on them.
#include "sm/datapath/compute/matrix/planes.h"

#include <bit>
#include <cstring>
#include <limits>

#include "sm/datapath/compute/operation.h"

namespace smsim::sm::compute::matrix {
namespace {

constexpr int kFloatBias = 127;
constexpr int kFloatFraction = 23;

/// The element in part `part` of a word, without the bits that its format ignores.
template <FloatFields F> SMSIM_LANE_INLINE std::uint32_t element(std::uint32_t word, unsigned part) {
    constexpr int kWidth = 1 + F.exponent + F.fraction + F.ignored;
    if constexpr (kWidth == 32) {
        return word >> F.ignored;
    } else {
        return word >> (part * kWidth) & ((1U << kWidth) - 1);
    }
}

/// A power of two as bits of a float.
constexpr std::uint32_t float_power(int exponent) {
    return static_cast<std::uint32_t>(exponent + kFloatBias) << kFloatFraction;
}

/// Values of one part of all words. The fields of a normal number move to those of a float. A subnormal number becomes
/// one of the next binade without a hidden one, which is then subtracted.
template <FloatFields F, bool wide>
SMSIM_LANE_INLINE void unpack_values(const std::uint32_t *from, unsigned words, unsigned part, float *value) {
    constexpr std::uint32_t kOne = F.fraction_mask() + 1;
    constexpr int kShift = kFloatFraction - F.fraction;
    // What the exponent field of a float has to be more, and the hidden one of the least exponent.
    constexpr std::uint32_t kRebias = wide ? float_power(0) : float_power(-F.bias());
    constexpr float kHidden = std::bit_cast<float>(wide ? float_power(0) : float_power(F.least()));
    for (unsigned i = 0; i < words; ++i) {
        const std::uint32_t bits = element<F>(from[i], part);
        const std::uint32_t magnitude = bits & (F.sign_bit() - 1);
        const std::uint32_t kept = wide ? magnitude & F.fraction_mask() : magnitude;
        const bool normal = static_cast<std::int32_t>(magnitude) >= static_cast<std::int32_t>(kOne);
        const std::uint32_t shifted = (kept << kShift) + kRebias;
        const float number = std::bit_cast<float>(normal || wide ? shifted : shifted + (1U << kFloatFraction));
        const float exact = number - (normal ? 0.0F : kHidden);
        const std::uint32_t sign = (bits & F.sign_bit()) << (31 - F.exponent - F.fraction);
        value[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(exact) | sign);
    }
}

/// The same for narrow formats and elements that are not subnormal: the fields move to those of a float, which is then
/// multiplied with a power of two.
template <FloatFields F>
SMSIM_LANE_INLINE void unpack_normal_values(const std::uint32_t *from, unsigned words, unsigned part, float *value) {
    constexpr unsigned kWidth = 1 + F.exponent + F.fraction;
    constexpr std::uint32_t kFields = 0x80000000U | (F.sign_bit() - 1) << (kFloatFraction - F.fraction);
    constexpr float kScale = std::bit_cast<float>(float_power(kFloatBias - F.bias()));
    for (unsigned i = 0; i < words; ++i) {
        const auto high = static_cast<std::int32_t>(from[i] << (32 - kWidth * (part + 1)));
        const std::uint32_t fields = static_cast<std::uint32_t>(high >> (8 - F.exponent)) & kFields;
        value[i] = std::bit_cast<float>(fields) * kScale;
    }
}

/// What was met among elements.
struct Met {
    bool special;
    bool subnormal;
};

/// Exponents of elements of 16 bits each.
template <FloatFields F>
SMSIM_LANE_INLINE Met unpack_exponents(const std::uint16_t *from, unsigned count, std::int16_t *exponent) {
    constexpr auto kMagnitude = static_cast<std::uint16_t>(F.sign_bit() - 1);
    std::uint16_t largest = 0;
    std::uint16_t smallest = 0xffff; // of the magnitudes less one, so that zeros are not the smallest
    for (unsigned i = 0; i < count; ++i) {
        const auto magnitude = static_cast<std::uint16_t>(from[i] & kMagnitude);
        const auto field = static_cast<std::int16_t>(magnitude >> F.fraction);
        const auto own = static_cast<std::int16_t>((field > 1 ? field : 1) - F.bias());
        const auto less_one = static_cast<std::uint16_t>(magnitude - 1);
        exponent[i] = magnitude != 0 ? own : kNoExponent;
        largest = magnitude > largest ? magnitude : largest;
        smallest = less_one < smallest ? less_one : smallest;
    }
    return {largest >= F.special(), smallest < F.fraction_mask()};
}

/// All values, by the way that suits what was met.
template <FloatFields F, unsigned parts>
SMSIM_LANE_INLINE void unpack_narrow(const std::uint32_t *from, unsigned words, bool subnormal, Planes &planes) {
    for (unsigned part = 0; part < parts; ++part) {
        if (subnormal) {
            unpack_values<F, false>(from, words, part, planes.value.of(part));
        } else {
            unpack_normal_values<F>(from, words, part, planes.value.of(part));
        }
    }
}

/// f16 and bf16.
template <FloatFields F, bool wide>
SMSIM_LANE_INLINE bool unpack_16(const std::uint32_t *from, unsigned words, Planes &planes) {
    alignas(64) std::uint16_t halves[2 * kMaxWords];
    std::memcpy(halves, from, words * sizeof *from);
    const Met met = unpack_exponents<F>(halves, 2 * words, planes.exponent.of[0]);
    if constexpr (wide) {
        for (unsigned part = 0; part < 2; ++part) {
            unpack_values<F, wide>(from, words, part, planes.value.of(part));
        }
    } else {
        unpack_narrow<F, 2>(from, words, met.subnormal, planes);
    }
    return met.special;
}

/// fp8.
template <FloatFields F> SMSIM_LANE_INLINE bool unpack_8(const std::uint32_t *from, unsigned words, Planes &planes) {
    Met met{};
    for (unsigned pair = 0; pair < 2; ++pair) {
        alignas(64) std::uint16_t bytes[2 * kMaxWords];
        for (unsigned i = 0; i < words; ++i) {
            const std::uint32_t half = from[i] >> (16 * pair) & 0xffffU;
            const std::uint32_t apart = (half & 0xffU) | (half & 0xff00U) << 8;
            std::memcpy(bytes + 2 * i, &apart, sizeof apart);
        }
        const Met of_pair = unpack_exponents<F>(bytes, 2 * words, planes.exponent.of[pair]);
        met = {met.special || of_pair.special, met.subnormal || of_pair.subnormal};
    }
    unpack_narrow<F, 4>(from, words, met.subnormal, planes);
    return met.special;
}

/// tf32, whose exponents are in the upper halves of the words.
SMSIM_LANE_INLINE bool unpack_32(const std::uint32_t *from, unsigned words, Planes &planes) {
    unpack_values<kTf32Fields, true>(from, words, 0, planes.value.of(0));
    std::uint32_t special = 0;
    for (unsigned i = 0; i < words; ++i) {
        const auto magnitude =
            static_cast<std::int32_t>(element<kTf32Fields>(from[i], 0) & (kTf32Fields.sign_bit() - 1));
        const std::int32_t field = magnitude >> kTf32Fields.fraction;
        const std::int32_t own = (field > 1 ? field : 1) - kTf32Fields.bias();
        const std::int32_t exponent = magnitude != 0 ? own : kNoExponent;
        const std::uint32_t both =
            (static_cast<std::uint32_t>(exponent) & 0xffffU) | static_cast<std::uint32_t>(kNoExponent) << 16;
        std::memcpy(planes.exponent.of[0] + 2 * i, &both, sizeof both);
        special |= magnitude >= static_cast<std::int32_t>(kTf32Fields.special()) ? 1U : 0U;
    }
    return special != 0;
}

template <FloatFields F, unsigned parts>
SMSIM_LANE_INLINE void classify_parts(const std::uint32_t *from, unsigned words, Values &classes) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    for (unsigned part = 0; part < parts; ++part) {
        for (unsigned i = 0; i < words; ++i) {
            const std::uint32_t bits = element<F>(from[i], part);
            const std::uint32_t magnitude = bits & (F.sign_bit() - 1);
            const bool infinite = F.has_infinity && magnitude == F.special();
            const float size = magnitude == 0            ? 0.0F
                               : magnitude < F.special() ? 1.0F
                               : infinite                ? kInfinity
                                                         : std::numeric_limits<float>::quiet_NaN();
            classes.of(part)[i] = (bits & F.sign_bit()) != 0 ? -size : size;
        }
    }
}

/// Words shifted so that the element is in the highest bits, and back with or without its sign.
template <unsigned bits, bool is_signed_type>
SMSIM_LANE_INLINE void unpack_integer_parts(const std::uint32_t *from, unsigned words, Values &values) {
    for (unsigned part = 0; part < 32 / bits; ++part) {
        for (unsigned i = 0; i < words; ++i) {
            const std::uint32_t high = from[i] << (32 - bits - bits * part);
            const std::int32_t number = is_signed_type ? static_cast<std::int32_t>(high) >> (32 - bits)
                                                       : static_cast<std::int32_t>(high >> (32 - bits));
            values.of(part)[i] = static_cast<float>(number);
        }
    }
}

} // namespace

SMSIM_MULTIVERSION_LONG void unpack(Element type, const std::uint32_t *from, unsigned words, Planes &planes) {
    switch (type) {
    case Element::kF16:
        planes.special = unpack_16<kF16Fields, false>(from, words, planes);
        break;
    case Element::kBf16:
        planes.special = unpack_16<kBf16Fields, true>(from, words, planes);
        break;
    case Element::kTf32:
        planes.special = unpack_32(from, words, planes);
        break;
    case Element::kE4m3:
        planes.special = unpack_8<kE4m3Fields>(from, words, planes);
        break;
    default:
        planes.special = unpack_8<kE5m2Fields>(from, words, planes);
        break;
    }
}

SMSIM_MULTIVERSION void exponents_as_f16(unsigned words, Planes &planes) {
    const auto of = [&planes](unsigned part, unsigned word) {
        const auto bits = std::bit_cast<std::int32_t>(planes.value.of(part)[word]);
        return (bits << 1) != 0 ? (bits >> kFloatFraction & 0xff) - kFloatBias : kNoExponent;
    };
    for (unsigned pair = 0; pair < 2; ++pair) {
        for (unsigned i = 0; i < words; ++i) {
            const std::int32_t both = (of(2 * pair, i) & 0xffff) | of(2 * pair + 1, i) << 16;
            std::memcpy(planes.exponent.of[pair] + 2 * i, &both, sizeof both);
        }
    }
}

void classify(Element type, const std::uint32_t *from, unsigned words, Values &classes) {
    switch (type) {
    case Element::kF16:
        classify_parts<kF16Fields, 2>(from, words, classes);
        break;
    case Element::kBf16:
        classify_parts<kBf16Fields, 2>(from, words, classes);
        break;
    case Element::kTf32:
        classify_parts<kTf32Fields, 1>(from, words, classes);
        break;
    case Element::kE4m3:
        classify_parts<kE4m3Fields, 4>(from, words, classes);
        break;
    default:
        classify_parts<kE5m2Fields, 4>(from, words, classes);
        break;
    }
}

SMSIM_MULTIVERSION void unpack_integers(Element type, const std::uint32_t *from, unsigned words, Values &values) {
    switch (type) {
    case Element::kS8:
        unpack_integer_parts<8, true>(from, words, values);
        break;
    case Element::kU8:
        unpack_integer_parts<8, false>(from, words, values);
        break;
    case Element::kS4:
        unpack_integer_parts<4, true>(from, words, values);
        break;
    default:
        unpack_integer_parts<4, false>(from, words, values);
        break;
    }
}

} // namespace smsim::sm::compute::matrix
