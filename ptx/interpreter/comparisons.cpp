// Comparison and selection of PTX: set, setp, selp, slct.
#include <algorithm>
#include <array>
#include <utility>

#include "ptx/interpreter/operation.h"

namespace smsim::ptx::interpreter {

namespace {

enum class Order : std::uint8_t { kLess, kEqual, kGreater, kUnordered };

Order order_of(ptx::Type type, std::uint64_t a, std::uint64_t b, bool ftz) {
    if (const auto format = format_of(type)) {
        const bool flushes = ftz && *format != kDouble;
        const long double x = decode(*format, flushes ? flush(*format, a) : a);
        const long double y = decode(*format, flushes ? flush(*format, b) : b);
        return x < y ? Order::kLess : x > y ? Order::kGreater : x == y ? Order::kEqual : Order::kUnordered;
    }
    const __int128 x = integer_of(type, a);
    const __int128 y = integer_of(type, b);
    return x < y ? Order::kLess : x > y ? Order::kGreater : Order::kEqual;
}

bool holds(Compare compare, Order order) {
    const bool less = order == Order::kLess;
    const bool equal = order == Order::kEqual;
    const bool greater = order == Order::kGreater;
    const bool unordered = order == Order::kUnordered;
    switch (compare) {
    case Compare::kEq:
        return equal;
    case Compare::kNe:
        return less || greater;
    case Compare::kLt:
    case Compare::kLo:
        return less;
    case Compare::kLe:
    case Compare::kLs:
        return less || equal;
    case Compare::kGt:
    case Compare::kHi:
        return greater;
    case Compare::kGe:
    case Compare::kHs:
        return greater || equal;
    case Compare::kEqu:
        return equal || unordered;
    case Compare::kNeu:
        return !equal;
    case Compare::kLtu:
        return less || unordered;
    case Compare::kLeu:
        return !greater;
    case Compare::kGtu:
        return greater || unordered;
    case Compare::kGeu:
        return !less;
    case Compare::kNum:
        return !unordered;
    default:
        return unordered;
    }
}

bool combined(const Operation &operation, bool compared, std::uint64_t other) {
    switch (operation.boolean) {
    case Boolean::kAnd:
        return compared && other != 0;
    case Boolean::kOr:
        return compared || other != 0;
    case Boolean::kXor:
        return compared != (other != 0);
    default:
        return compared;
    }
}

bool compares(const Operation &operation, ptx::Type type, std::uint64_t a, std::uint64_t b) {
    return holds(operation.compare, order_of(type, a, b, operation.has(Word::kFtz)));
}

Outputs setp(const Operation &operation, const Inputs &in) {
    const ptx::Type type = operation.types[0];
    if (is_paired(type)) { // one predicate for each half
        const bool low = compares(operation, type, low_bits(in.value[0], 16), low_bits(in.value[1], 16));
        const bool high = compares(operation, type, in.value[0] >> 16, in.value[1] >> 16);
        return {static_cast<std::uint64_t>(combined(operation, low, in.value[2])),
                static_cast<std::uint64_t>(combined(operation, high, in.value[2])), in.carry};
    }
    const bool compared = compares(operation, type, in.value[0], in.value[1]);
    return {static_cast<std::uint64_t>(combined(operation, compared, in.value[2])),
            static_cast<std::uint64_t>(combined(operation, !compared, in.value[2])), in.carry};
}

/// What `set` writes for true: 1.0, or all ones.
std::uint64_t truth(ptx::Type type, unsigned bits) {
    const auto format = format_of(type);
    return format ? encode(*format, 1, Rounding::kNearest) : low_bits(~std::uint64_t{0}, bits);
}

Outputs set(const Operation &operation, const Inputs &in) {
    const auto [to, from, unused] = operation.types;
    if (!is_paired(from)) {
        const bool result = combined(operation, compares(operation, from, in.value[0], in.value[1]), in.value[2]);
        return {result ? truth(to, to.bits) : 0};
    }
    std::uint64_t both = 0;
    for (unsigned shift = 0; shift < 32; shift += 16) {
        const bool compared =
            compares(operation, from, low_bits(in.value[0] >> shift, 16), low_bits(in.value[1] >> shift, 16));
        both |= (combined(operation, compared, in.value[2]) ? truth(to, 16) : 0) << shift;
    }
    return {both};
}

Outputs selp(const Operation &, const Inputs &in) {
    return {in.value[2] != 0 ? in.value[0] : in.value[1]};
}

Outputs slct(const Operation &operation, const Inputs &in) {
    const Order order = order_of(operation.types[1], in.value[2], 0, operation.has(Word::kFtz));
    return {order == Order::kGreater || order == Order::kEqual ? in.value[0] : in.value[1]};
}

constexpr std::array<std::pair<std::string_view, Handler>, 4> kHandlers = {
    {{"set", set}, {"setp", setp}, {"selp", selp}, {"slct", slct}}};

} // namespace

Handler comparison_handler(std::string_view opcode, const Operation &) {
    const auto found = std::ranges::find(kHandlers, opcode, [](const auto &entry) { return entry.first; });
    return found == kHandlers.end() ? nullptr : found->second;
}

} // namespace smsim::ptx::interpreter
