#include "tb/ptx_differential/comparison.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace smsim::ptx_differential {

namespace {

using namespace ptx::interpreter;

std::uint64_t input_value(const Input &input, unsigned batch, unsigned thread) {
    const std::uint64_t value = input.constant ? input.value : value_of(batch, input.set, input.operand, thread);
    const std::uint64_t read = low_bits(value, input.bits);
    return input.negated ? static_cast<std::uint64_t>(read == 0) : read;
}

Inputs inputs_of(const Check &check, unsigned batch, unsigned thread) {
    Inputs in;
    for (std::size_t i = 0; i < check.inputs.size() && i < in.value.size(); ++i) {
        in.value[i] = input_value(check.inputs[i], batch, thread);
    }
    return in;
}

/// The unit in the last place of a number.
long double ulp_of(Format format, long double value) {
    const int lowest = 2 - (1 << (format.exponent_bits - 1));
    const int exponent = value == 0 || !std::isfinite(value) ? lowest : std::max(std::ilogb(value), lowest);
    return std::ldexp(1.0L, exponent - static_cast<int>(format.fraction_bits));
}

/// One element of a result.
Verdict compare_element(const Check &check, const Accuracy &accuracy, Format format, std::uint64_t got,
                        std::uint64_t expected) {
    if (got == expected) {
        return {};
    }
    if (is_nan(format, got) || is_nan(format, expected)) {
        const bool both = is_nan(format, got) && is_nan(format, expected);
        return {both && (check.any_nan || !accuracy.exact()) ? Verdict::Kind::kEqual : Verdict::Kind::kDifferent};
    }
    if (check.flushed_or_not && flush(format, got) == flush(format, expected)) {
        return {};
    }
    const long double x = decode(format, got);
    const long double y = decode(format, expected);
    const long double ulp = ulp_of(format, y);
    const long double distance = std::fabs(x - y);
    const long double bound =
        std::max({static_cast<long double>(accuracy.absolute), accuracy.relative * std::fabs(y), accuracy.ulps * ulp}) +
        ulp / 2;
    const bool zeros = x == 0 && y == 0; // of different signs
    if (accuracy.exact() || zeros || std::isinf(x) != std::isinf(y) || !(distance <= bound)) {
        return {Verdict::Kind::kDifferent};
    }
    return {Verdict::Kind::kWithin, static_cast<double>(distance / ulp)};
}

} // namespace

Verdict compare(const Check &check, unsigned batch, unsigned thread, std::uint64_t got, std::uint64_t expected) {
    if (got == expected) {
        return {};
    }
    Accuracy accuracy;
    if (check.computed) {
        const Inputs in = inputs_of(check, batch, thread);
        accuracy = accuracy_of(check.operation, in);
        if (is_undefined(check.operation, in) || accuracy.unbounded) {
            return {Verdict::Kind::kUndefined};
        }
    }
    const auto format = format_of(check.type);
    if (!format) {
        return {Verdict::Kind::kDifferent};
    }
    Verdict worst;
    for (unsigned shift = 0; shift < check.type.bits; shift += format->bits()) {
        const Verdict one = compare_element(check, accuracy, *format, low_bits(got >> shift, format->bits()),
                                            low_bits(expected >> shift, format->bits()));
        worst.kind = std::max(worst.kind, one.kind);
        worst.ulps = std::max(worst.ulps, one.ulps);
    }
    const bool beyond = (got ^ expected) >> (check.type.bits % 64) != 0 && check.type.bits < 64;
    return beyond ? Verdict{Verdict::Kind::kDifferent} : worst;
}

std::string inputs_text(const Check &check, unsigned batch, unsigned thread) {
    std::string text;
    for (std::size_t i = 0; i < check.inputs.size(); ++i) {
        text += fmt::format("{}{}={:#x}", i == 0 ? "" : " ", static_cast<char>('a' + i),
                            input_value(check.inputs[i], batch, thread));
    }
    return text;
}

} // namespace smsim::ptx_differential
