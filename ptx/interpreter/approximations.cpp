#include "ptx/interpreter/approximations.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace smsim::ptx::interpreter {

namespace {

constexpr long double kPi = 3.141592653589793238462643383279502884L;

/// Modes that read and write only the upper 32 bits of a double.
bool upper_half(const Operation &operation) {
    return operation.types[0].name == "f64" && operation.has(Word::kFtz);
}

std::uint64_t prepared(const Operation &operation, Format format, std::uint64_t bits) {
    if (upper_half(operation)) {
        bits &= ~std::uint64_t{0xffff'ffff};
    }
    return operation.has(Word::kFtz) ? flush(format, bits) : bits;
}

/// Applies `exact` to the numbers of each element and rounds.
template <typename Exact> Outputs apply(const Operation &operation, const Inputs &in, Exact exact) {
    const Format format = *format_of(operation.types[0]);
    const unsigned bits = format.bits();
    std::uint64_t whole = 0;
    for (unsigned half = 0; half < (is_paired(operation.types[0]) ? 2U : 1U); ++half) {
        const auto number = [&](unsigned i) {
            return decode(format, prepared(operation, format, low_bits(in.value[i] >> (half * bits), bits)));
        };
        const std::uint64_t value = encode(format, exact(number(0), number(1)), Rounding::kNearest);
        whole |= prepared(operation, format, value) << (half * bits);
    }
    return {whole};
}

Outputs div(const Operation &operation, const Inputs &in) {
    return apply(operation, in, [](long double a, long double b) { return a / b; });
}
Outputs rcp(const Operation &operation, const Inputs &in) {
    return apply(operation, in, [](long double a, long double) { return 1.0L / a; });
}
Outputs sqrt(const Operation &operation, const Inputs &in) {
    return apply(operation, in, [](long double a, long double) { return std::sqrt(a); });
}
Outputs rsqrt(const Operation &operation, const Inputs &in) {
    return apply(operation, in,
                 [](long double a, long double) { return a == 0 ? std::copysign(HUGE_VALL, a) : 1.0L / std::sqrt(a); });
}
Outputs sin(const Operation &operation, const Inputs &in) {
    return apply(operation, in, [](long double a, long double) { return std::sin(a); });
}
Outputs cos(const Operation &operation, const Inputs &in) {
    return apply(operation, in, [](long double a, long double) { return std::cos(a); });
}
Outputs ex2(const Operation &operation, const Inputs &in) {
    return apply(operation, in, [](long double a, long double) { return std::exp2(a); });
}
Outputs lg2(const Operation &operation, const Inputs &in) {
    return apply(operation, in, [](long double a, long double) { return std::log2(a); });
}
Outputs tanh(const Operation &operation, const Inputs &in) {
    return apply(operation, in, [](long double a, long double) { return std::tanh(a); });
}

constexpr std::array<std::pair<std::string_view, Handler>, 9> kHandlers = {{
    {"div", div},
    {"rcp", rcp},
    {"sqrt", sqrt},
    {"rsqrt", rsqrt},
    {"sin", sin},
    {"cos", cos},
    {"ex2", ex2},
    {"lg2", lg2},
    {"tanh", tanh},
}};

/// Division promises two ulps while the divisor is within 2^-126 and 2^126; beyond that .approx gives zeros and NaNs.
Accuracy of_division(const Operation &operation, const Inputs &in) {
    const long double divisor = std::fabs(decode(kSingle, in.value[1]));
    Accuracy accuracy{.ulps = 2};
    const bool inside = divisor == 0 || std::isinf(divisor) || std::isnan(divisor) ||
                        (divisor >= std::ldexp(1.0L, -126) && divisor <= std::ldexp(1.0L, 126));
    accuracy.unbounded = !inside && operation.has(Word::kApprox);
    return accuracy;
}

Accuracy of_circle(const Inputs &in) {
    const long double angle = std::fabs(decode(kSingle, in.value[0]));
    if (std::isnan(angle) || std::isinf(angle)) {
        return {};
    }
    const double bound = angle <= 2 * kPi ? -20.5 : -14.7;
    return {.absolute = std::exp2(bound), .unbounded = angle > 100 * kPi};
}

Accuracy of_logarithm(const Inputs &in) {
    const long double a = decode(kSingle, in.value[0]);
    return a > 0.5L && a < 2 ? Accuracy{.absolute = 0x1p-22} : Accuracy{.relative = 0x1p-22};
}

Accuracy of_tanh(const Operation &operation) {
    const Format format = *format_of(operation.types[0]);
    return format == kHalf     ? Accuracy{.absolute = std::exp2(-10.987)}
           : format == kBfloat ? Accuracy{.relative = 0x1p-8}
                               : Accuracy{.relative = 0x1p-11};
}

Accuracy of_exponential(const Operation &operation) {
    const Format format = *format_of(operation.types[0]);
    return format == kHalf     ? Accuracy{.relative = std::exp2(-9.9), .ulps = 1}
           : format == kBfloat ? Accuracy{.relative = 0x1p-7}
                               : Accuracy{.ulps = 2};
}

} // namespace

Handler approximation_handler(std::string_view opcode, const Operation &operation) {
    const bool always = opcode == "sin" || opcode == "cos" || opcode == "ex2" || opcode == "lg2" || opcode == "tanh" ||
                        opcode == "rsqrt";
    if (!always && !operation.has(Word::kApprox) && !operation.has(Word::kFull)) {
        return nullptr;
    }
    const auto found = std::ranges::find(kHandlers, opcode, [](const auto &entry) { return entry.first; });
    return found == kHandlers.end() ? nullptr : found->second;
}

Accuracy accuracy_of(const Operation &operation, const Inputs &inputs) {
    if (!format_of(operation.types[0]) || approximation_handler(operation.opcode, operation) == nullptr) {
        return {};
    }
    if (upper_half(operation)) { // the ISA calls it gross: the upper 32 bits hold 20 digits
        return {.relative = 0x1p-19};
    }
    const std::string_view opcode = operation.opcode;
    if (opcode == "div") {
        return of_division(operation, inputs);
    }
    if (opcode == "sin" || opcode == "cos") {
        return of_circle(inputs);
    }
    if (opcode == "lg2") {
        return of_logarithm(inputs);
    }
    if (opcode == "tanh") {
        return of_tanh(operation);
    }
    if (opcode == "ex2") {
        return of_exponential(operation);
    }
    return opcode == "rcp" ? Accuracy{.ulps = 1} : Accuracy{.relative = opcode == "sqrt" ? 0x1p-23 : std::exp2(-22.9)};
}

} // namespace smsim::ptx::interpreter
