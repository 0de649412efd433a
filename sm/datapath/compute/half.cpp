// Arithmetic on pairs of 16-bit floats, IEEE binary16 or bfloat16: each half is rounded once, to nearest even.
//
// Each half is computed in double precision. There every product is exact, and every sum is rounded to odd: of the two
// doubles around the exact sum, the one whose last bit is set. Such a sum has what the single rounding to the format
// needs, since 53 digits are more than the 11 or 8 of the formats plus two: it lies between the same two neighbours as
// the exact one, on the same side of their middle. Nothing overflows or underflows on the way: the values of the
// formats have exponents from -133 to 127.
#include <bit>

#include "sm/datapath/compute/half_format.h"
#include "sm/datapath/compute/operation.h"
#include "sm/datapath/compute/rounding.h"

namespace smsim::sm::compute {
namespace {

constexpr std::uint32_t kSigns = 0x80008000U;
constexpr std::int64_t kDoubleMagnitude = 0x7fffffffffffffff;
constexpr std::int64_t kDoubleInfinity = 0x7ff0000000000000;
constexpr int kDoubleFraction = 52;

/// The number in the lower 16 bits, exactly.
template <typename F> SMSIM_LANE_INLINE double widen(std::uint32_t half) {
    return static_cast<double>(std::bit_cast<float>(single_bits<F>(half)));
}

// Comparisons below are integer comparisons, even of doubles: such loops become vectors.

/// The number rounded to nearest even; a NaN becomes the canonical one.
template <typename F> SMSIM_LANE_INLINE std::uint32_t narrow(double value) {
    constexpr std::int64_t kLeast = kBinary64.bias + F::kFormat.least_exponent();
    // From the exponent of a number to that of the power of two whose last digit has the weight of the result's last
    // digit.
    constexpr std::int64_t kUp = kDoubleFraction - F::kFormat.fraction_bits();
    // The least number that is too large: it becomes an infinity of the format once its digits are cut out.
    constexpr std::int64_t kBeyond = std::int64_t{kBinary64.bias + F::kFormat.bias + 1} << kDoubleFraction;
    const auto bits = std::bit_cast<std::int64_t>(value);
    const std::int64_t magnitude = bits & kDoubleMagnitude;
    const std::int64_t bounded = magnitude < kBeyond ? magnitude : kBeyond;
    const std::int64_t exponent = bounded >> kDoubleFraction;
    const std::int64_t least = exponent > kLeast ? exponent : kLeast;
    const double power = std::bit_cast<double>((least + kUp) << kDoubleFraction);
    const double rounded = (std::bit_cast<double>(bounded) + power) - power;
    const std::uint32_t cut = std::bit_cast<std::uint32_t>(static_cast<float>(rounded) * F::kUnscale) >> F::kShift;
    const std::uint32_t sign = static_cast<std::uint32_t>(bits >> 48) & kHalfSign;
    const auto nan = static_cast<std::uint32_t>((kDoubleInfinity - magnitude) >> 63); // all ones, or none
    return ((cut | sign) & ~nan) | (kCanonicalNan16 & nan);
}

/// x + y, rounded to odd.
SMSIM_LANE_INLINE double sum(double x, double y) {
    const double nearest = x + y;
    const double part = nearest - x;
    const double rest = (x - (nearest - part)) + (y - part); // exactly what rounding has removed, for finite numbers
    const auto bits = std::bit_cast<std::int64_t>(nearest);
    const auto left = std::bit_cast<std::int64_t>(rest);
    const std::int64_t amount = left & kDoubleMagnitude;
    // All ones, or none: there is a remainder, it is a number, and the last digit is even.
    const std::int64_t moves = (-amount >> 63) & ~((kDoubleInfinity - 1 - amount) >> 63) & ((bits & 1) - 1);
    const std::int64_t step = ((bits ^ left) >> 63) | 1; // away from zero if the signs are the same
    return std::bit_cast<double>(bits + (step & moves));
}

template <typename F> SMSIM_LANE_INLINE std::uint32_t flushed(std::uint32_t half) {
    return (half & kHalfMagnitude) <= F::kFormat.fraction_mask() ? half & kHalfSign : half;
}

/// The operand as used by the arithmetic: the selected halves, |x|, then -x. The row itself if there is nothing to do.
SMSIM_LANE_INLINE const std::uint32_t *prepared(const std::uint32_t *from, Row &buffer, isa::HalfSource halves,
                                                bool absolute, bool negate) {
    if (halves == isa::HalfSource::kOwn && !absolute && !negate) {
        return from;
    }
    const std::uint32_t keep = absolute ? ~kSigns : ~0U;
    const std::uint32_t flip = negate ? kSigns : 0U;
    for (unsigned i = 0; i < kLanes; ++i) {
        const std::uint32_t low = from[i] & 0xffffU;
        const std::uint32_t high = from[i] >> 16;
        const std::uint32_t own = halves == isa::HalfSource::kLow    ? low | low << 16
                                  : halves == isa::HalfSource::kHigh ? high | high << 16
                                                                     : from[i];
        buffer.lane[i] = (own & keep) ^ flip;
    }
    return buffer.lane;
}

/// .SAT and .RELU of a result: .SAT limits to [+0, 1] with a NaN as +0; .RELU turns everything not above +0 into +0,
/// except a NaN.
template <typename F> SMSIM_LANE_INLINE std::uint32_t limited(std::uint32_t half, isa::HalfLimit limit) {
    constexpr auto kOne = static_cast<std::uint32_t>(F::kFormat.one());
    const bool below = (half & kHalfSign) != 0;
    const bool nan = (half & kHalfMagnitude) > kInfinityOf<F>;
    switch (limit) {
    case isa::HalfLimit::kSat:
        return below || nan ? 0 : half < kOne ? half : kOne;
    case isa::HalfLimit::kRelu:
        return below ? 0 : half;
    case isa::HalfLimit::kNone:
        break;
    }
    return half;
}

/// One lane: `compute` on both halves.
template <typename F, typename Compute>
SMSIM_LANE_INLINE std::uint32_t of_pair(std::uint32_t a, std::uint32_t b, std::uint32_t c, Compute compute) {
    const std::uint32_t low = narrow<F>(compute(widen<F>(a), widen<F>(b), widen<F>(c)));
    const std::uint32_t high = narrow<F>(compute(widen<F>(a >> 16), widen<F>(b >> 16), widen<F>(c >> 16)));
    return low | high << 16;
}

/// The same with .FTZ and a limit, which few programs use.
template <typename F, typename Compute>
SMSIM_LANE_INLINE std::uint32_t of_pair_modified(std::uint32_t a, std::uint32_t b, std::uint32_t c, bool flush,
                                                 isa::HalfLimit limit, Compute compute) {
    std::uint32_t result = 0;
    for (unsigned shift = 0; shift <= 16; shift += 16) {
        const auto source = [flush, shift](std::uint32_t pair) {
            const std::uint32_t half = pair >> shift & 0xffffU;
            return widen<F>(flush ? flushed<F>(half) : half);
        };
        const std::uint32_t half = narrow<F>(compute(source(a), source(b), source(c)));
        result |= limited<F>(flush ? flushed<F>(half) : half, limit) << shift;
    }
    return result;
}

template <typename F, typename Compute>
SMSIM_LANE_INLINE void of_format(const Operation &op, const std::uint32_t *a, const std::uint32_t *b,
                                 const std::uint32_t *c, Compute compute) {
    const bool flush = op.insn.mod[1] != 0;
    const auto limit = modifier<isa::HalfLimit>(op, 2);
    Row &destination = op.regs.write(op.insn.rd);
    if (!flush && limit == isa::HalfLimit::kNone) {
        write_lanes(destination, op.executed, [=](unsigned i) { return of_pair<F>(a[i], b[i], c[i], compute); });
        return;
    }
    write_lanes(destination, op.executed,
                [=](unsigned i) { return of_pair_modified<F>(a[i], b[i], c[i], flush, limit, compute); });
}

template <typename Compute>
SMSIM_LANE_INLINE void arithmetic(const Operation &op, bool three_sources, Compute compute) {
    Row buffer_a;
    Row buffer_b;
    Row buffer_c;
    const auto halves = [&op](std::size_t source) { return modifier<isa::HalfSource>(op, 3 + source); };
    const std::uint32_t *a = prepared(source_a(op), buffer_a, halves(0), op.insn.abs_a, op.insn.neg_a);
    const std::uint32_t *b = prepared(source_b(op, buffer_b), buffer_b, halves(1), op.insn.abs_b, op.insn.neg_b);
    const std::uint32_t *c =
        three_sources ? prepared(source_c(op, buffer_c), buffer_c, halves(2), op.insn.abs_c, op.insn.neg_c) : b;
    if (modifier<isa::HalfFormat>(op, 0) == isa::HalfFormat::kBf16) {
        of_format<Bfloat16>(op, a, b, c, compute);
    } else {
        of_format<Binary16>(op, a, b, c, compute);
    }
}

} // namespace

SMSIM_MULTIVERSION void execute_hadd2(const Operation &op) {
    arithmetic(op, false, [](double a, double b, double) { return sum(a, b); });
}

SMSIM_MULTIVERSION void execute_hmul2(const Operation &op) {
    arithmetic(op, false, [](double a, double b, double) { return a * b; });
}

SMSIM_MULTIVERSION void execute_hfma2(const Operation &op) {
    arithmetic(op, true, [](double a, double b, double c) { return sum(a * b, c); });
}

} // namespace smsim::sm::compute
