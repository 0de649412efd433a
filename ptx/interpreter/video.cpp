// Video instructions: arithmetic on bytes and halves of words, single ones and all at once.
#include <algorithm>
#include <array>
#include <utility>

#include "ptx/interpreter/operation.h"

namespace smsim::ptx::interpreter {

namespace {

using Integer = __int128;

/// The `bits` bits at `shift` as a number.
Integer field(std::uint64_t value, unsigned shift, unsigned bits, bool with_sign) {
    const std::uint64_t cut = low_bits(value >> shift, bits);
    return with_sign ? Integer{sign_extended(cut, bits)} : Integer{cut};
}

std::pair<unsigned, unsigned> shift_and_bits(std::string_view selector) {
    if (selector.empty()) {
        return {0, 32};
    }
    const unsigned bits = selector.front() == 'b' ? 8 : 16;
    return {static_cast<unsigned>(selector.back() - '0') * bits, bits};
}

Integer clamped(Integer value, unsigned bits, bool with_sign) {
    const Integer one = 1;
    return with_sign ? std::clamp(value, -(one << (bits - 1)), (one << (bits - 1)) - 1)
                     : std::clamp<Integer>(value, 0, (one << bits) - 1);
}

bool holds(Compare compare, Integer a, Integer b) {
    switch (compare) {
    case Compare::kEq:
        return a == b;
    case Compare::kNe:
        return a != b;
    case Compare::kLt:
        return a < b;
    case Compare::kLe:
        return a <= b;
    case Compare::kGt:
        return a > b;
    default:
        return a >= b;
    }
}

/// The operation selected by its name without the number of elements.
Integer primary(const Operation &operation, std::string_view name, Integer a, Integer b) {
    if (name == "vadd") {
        return a + b;
    }
    if (name == "vsub") {
        return a - b;
    }
    if (name == "vabsdiff") {
        return a > b ? a - b : b - a;
    }
    if (name == "vmin") {
        return std::min(a, b);
    }
    if (name == "vmax") {
        return std::max(a, b);
    }
    if (name == "vavrg") {
        return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
    }
    if (name == "vset") {
        return holds(operation.compare, a, b) ? 1 : 0;
    }
    const Integer amount = operation.has(Word::kWrap) ? b & 31 : std::min<Integer>(b, 32);
    return name == "vshl" ? a << static_cast<int>(amount) : a >> static_cast<int>(amount);
}

Outputs scalar(const Operation &operation, const Inputs &in) {
    const bool sets = operation.opcode == "vset";
    const bool with_sign = !sets && is_signed(operation.types[0]);
    const auto source = [&](unsigned index) {
        const auto [shift, bits] = shift_and_bits(operation.selectors[1 + index]);
        return field(in.value[index], shift, bits, is_signed(operation.types[sets ? index : 1 + index]));
    };
    const auto [shift, bits] = shift_and_bits(operation.selectors[0]);
    Integer value = primary(operation, operation.opcode, source(0), source(1));
    value = operation.has(Word::kSat) ? clamped(value, bits, with_sign) : value;
    const auto word = low_bits(static_cast<std::uint64_t>(value), 32);
    const Integer mine = field(word, 0, 32, with_sign);
    const Integer other = field(in.value[2], 0, 32, with_sign);
    if (operation.has(Word::kAdd) || operation.has(Word::kMin) || operation.has(Word::kMax)) {
        const Integer both = operation.has(Word::kAdd)   ? mine + other
                             : operation.has(Word::kMin) ? std::min(mine, other)
                                                         : std::max(mine, other);
        return {low_bits(static_cast<std::uint64_t>(both), 32)};
    }
    if (bits == 32) {
        return {word};
    }
    const std::uint64_t mask = low_bits(~std::uint64_t{0}, bits) << shift;
    return {(in.value[2] & ~mask) | (word << shift & mask)};
}

Outputs elementwise(const Operation &operation, const Inputs &in) {
    const unsigned lanes = operation.opcode.back() == '2' ? 2 : 4;
    const unsigned bits = 32 / lanes;
    const std::string_view name = operation.opcode.substr(0, operation.opcode.size() - 1);
    const bool sets = name == "vset";
    const std::uint64_t both = in.value[1] << 32 | in.value[0];
    std::uint64_t result = in.value[2];
    for (unsigned lane = 0; lane < lanes; ++lane) {
        const std::string_view mask = operation.selectors[0];
        if (!mask.empty() && mask.find(static_cast<char>('0' + lane), 1) == std::string_view::npos) {
            continue;
        }
        const auto source = [&](unsigned index) {
            const std::string_view written = operation.selectors[1 + index];
            const unsigned chosen =
                written.empty() ? index * lanes + lane : static_cast<unsigned>(written[lanes - lane] - '0');
            return field(both, chosen * bits, bits, is_signed(operation.types[sets ? index : 1 + index]));
        };
        Integer value = primary(operation, name, source(0), source(1));
        if (operation.has(Word::kSat)) {
            value = clamped(value, bits, !sets && is_signed(operation.types[0]));
        }
        if (operation.has(Word::kAdd)) {
            result += static_cast<std::uint64_t>(value);
        } else {
            const std::uint64_t place = low_bits(~std::uint64_t{0}, bits) << (lane * bits);
            result = (result & ~place) | (static_cast<std::uint64_t>(value) << (lane * bits) & place);
        }
    }
    return {low_bits(result, 32)};
}

} // namespace

Handler video_handler(std::string_view opcode, const Operation &) {
    if (!opcode.starts_with('v') || opcode == "vote") {
        return nullptr;
    }
    return opcode.back() == '2' || opcode.back() == '4' ? elementwise : scalar;
}

} // namespace smsim::ptx::interpreter
