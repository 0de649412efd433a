// Correctly rounded floating-point instructions of PTX, and the choice between these and the approximations.
#include <algorithm>
#include <array>
#include <utility>

#include "ptx/interpreter/approximations.h"
#include "ptx/interpreter/operation.h"

namespace smsim::ptx::interpreter {

namespace {

constexpr std::uint64_t kOneBits = 1;

struct Element {
    Format format;
    std::array<std::uint64_t, 3> x{};
};

std::uint64_t one(Format format) {
    return encode(format, static_cast<long double>(kOneBits), Rounding::kNearest);
}

bool flushes(const Operation &operation, Format format) {
    return operation.has(Word::kFtz) && format != kDouble;
}

/// .ftz, .sat and .relu of a result.
std::uint64_t finish(const Operation &operation, Format format, std::uint64_t value) {
    value = flushes(operation, format) ? flush(format, value) : value;
    if (operation.has(Word::kRelu) && !is_nan(format, value) && is_negative(format, value)) {
        value = 0;
    }
    return operation.has(Word::kSat) ? saturate(format, value) : value;
}

/// Applies `compute` to each element of the type of the result, with the sources flushed according to .ftz. Sources of
/// another floating-point type (mixed precision) are converted first, exactly.
template <typename Compute> Outputs elementwise(const Operation &operation, const Inputs &in, Compute compute) {
    const Format format = *format_of(operation.types[0]);
    const bool paired = is_paired(operation.types[0]);
    const unsigned bits = format.bits();
    const auto narrow = operation.types[1].bits == 16 ? format_of(operation.types[1]) : std::nullopt;
    std::uint64_t whole = 0;
    for (unsigned half = 0; half < (paired ? 2U : 1U); ++half) {
        Element element{format, {}};
        for (unsigned i = 0; i < 3; ++i) {
            std::uint64_t bits_in = low_bits(in.value[i] >> (half * bits), bits);
            if (narrow && i + 1 < operation.inputs) { // the last operand has the type of the result
                bits_in = encode(format, decode(*narrow, low_bits(bits_in, 16)), Rounding::kNearest);
            }
            element.x[i] = flushes(operation, format) ? flush(format, bits_in) : bits_in;
        }
        whole |= finish(operation, format, compute(element)) << (half * bits);
    }
    return {whole};
}

Outputs add(const Operation &operation, const Inputs &in) {
    return elementwise(operation, in,
                       [&](const Element &e) { return add(e.format, e.x[0], e.x[1], operation.rounding); });
}

Outputs sub(const Operation &operation, const Inputs &in) {
    return elementwise(operation, in, [&](const Element &e) {
        const std::uint64_t b = is_nan(e.format, e.x[1]) ? e.x[1] : negate(e.format, e.x[1]);
        return add(e.format, e.x[0], b, operation.rounding);
    });
}

Outputs mul(const Operation &operation, const Inputs &in) {
    return elementwise(operation, in,
                       [&](const Element &e) { return multiply(e.format, e.x[0], e.x[1], operation.rounding); });
}

Outputs fma(const Operation &operation, const Inputs &in) {
    return elementwise(operation, in,
                       [&](const Element &e) { return fused(e.format, e.x[0], e.x[1], e.x[2], operation.rounding); });
}

Outputs div(const Operation &operation, const Inputs &in) {
    return elementwise(operation, in,
                       [&](const Element &e) { return divide(e.format, e.x[0], e.x[1], operation.rounding); });
}

Outputs rcp(const Operation &operation, const Inputs &in) {
    return elementwise(operation, in,
                       [&](const Element &e) { return divide(e.format, one(e.format), e.x[0], operation.rounding); });
}

Outputs sqrt(const Operation &operation, const Inputs &in) {
    return elementwise(operation, in, [&](const Element &e) { return root(e.format, e.x[0], operation.rounding); });
}

Outputs abs(const Operation &operation, const Inputs &in) {
    return elementwise(operation, in, [](const Element &e) {
        return is_nan(e.format, e.x[0])        ? canonical_nan(e.format)
               : is_negative(e.format, e.x[0]) ? negate(e.format, e.x[0])
                                               : e.x[0];
    });
}

Outputs neg(const Operation &operation, const Inputs &in) {
    return elementwise(operation, in, [](const Element &e) {
        return is_nan(e.format, e.x[0]) ? canonical_nan(e.format) : negate(e.format, e.x[0]);
    });
}

/// The order of numbers, -0 below +0. Precondition: no NaN.
bool below(Format format, std::uint64_t a, std::uint64_t b) {
    const bool a_negative = is_negative(format, a);
    const bool b_negative = is_negative(format, b);
    if (a_negative != b_negative) {
        return a_negative;
    }
    return a_negative ? a > b : a < b;
}

template <bool kLargest> std::uint64_t choose(const Operation &operation, const Element &e) {
    auto [a, b, c] = e.x;
    const bool xorsign = operation.has(Word::kXorsign);
    const bool negative = is_negative(e.format, a) != is_negative(e.format, b);
    if (xorsign) {
        a = is_negative(e.format, a) ? negate(e.format, a) : a;
        b = is_negative(e.format, b) ? negate(e.format, b) : b;
    }
    const bool a_nan = is_nan(e.format, a);
    const bool b_nan = is_nan(e.format, b);
    if ((a_nan && b_nan) || ((a_nan || b_nan) && operation.has(Word::kNan))) {
        return canonical_nan(e.format);
    }
    const bool first = b_nan || (!a_nan && (kLargest ? below(e.format, b, a) : below(e.format, a, b)));
    const std::uint64_t chosen = first ? a : b;
    return xorsign && negative ? negate(e.format, chosen) : chosen;
}

template <bool kLargest> Outputs extreme(const Operation &operation, const Inputs &in) {
    return elementwise(operation, in, [&](const Element &e) { return choose<kLargest>(operation, e); });
}

Outputs copysign(const Operation &operation, const Inputs &in) {
    const Format format = *format_of(operation.types[0]);
    const bool other = is_negative(format, in.value[0]) != is_negative(format, in.value[1]);
    return {other ? negate(format, in.value[1]) : in.value[1]};
}

Outputs testp(const Operation &operation, const Inputs &in) {
    const Format format = *format_of(operation.types[0]);
    const std::uint64_t a = in.value[0];
    const bool nan = is_nan(format, a);
    const bool infinite = is_infinite(format, a);
    const bool subnormal = is_subnormal(format, a);
    const bool holds = operation.has(Word::kFinite)       ? !nan && !infinite
                       : operation.has(Word::kInfinite)   ? infinite
                       : operation.has(Word::kNumber)     ? !nan
                       : operation.has(Word::kNotanumber) ? nan
                       : operation.has(Word::kNormal)     ? !nan && !infinite && !subnormal
                                                          : subnormal;
    return {holds ? kOneBits : 0};
}

constexpr std::array<std::pair<std::string_view, Handler>, 14> kHandlers = {{
    {"add", add},
    {"sub", sub},
    {"mul", mul},
    {"fma", fma},
    {"mad", fma},
    {"div", div},
    {"rcp", rcp},
    {"sqrt", sqrt},
    {"abs", abs},
    {"neg", neg},
    {"min", extreme<false>},
    {"max", extreme<true>},
    {"copysign", copysign},
    {"testp", testp},
}};

} // namespace

Handler floating_handler(std::string_view opcode, const Operation &operation) {
    if (!format_of(operation.types[0])) {
        return nullptr;
    }
    if (const Handler approximation = approximation_handler(opcode, operation)) {
        return approximation;
    }
    const auto found = std::ranges::find(kHandlers, opcode, [](const auto &entry) { return entry.first; });
    return found == kHandlers.end() ? nullptr : found->second;
}

} // namespace smsim::ptx::interpreter
