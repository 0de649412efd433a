#include "model/config/clock_rate.h"

#include <array>
#include <charconv>
#include <limits>
#include <string_view>

namespace smsim {

ClockRate::ClockRate(double ghz) {
    // "d.ddde-03", with as few digits as represent this number exactly.
    std::array<char, 32> buffer{};
    const auto end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), ghz, std::chars_format::scientific).ptr;
    const std::string_view text(buffer.data(), end);
    const std::size_t mark = text.find('e');
    int power = 0;
    const char *const sign = text.data() + mark + 1;
    std::from_chars(sign + (*sign == '+' ? 1 : 0), end, power);
    cycles_ = 0;
    for (const char digit : text.substr(0, mark)) {
        if (digit != '.') {
            cycles_ = cycles_ * 10 + static_cast<unsigned>(digit - '0');
        }
    }
    power -= mark > 1 ? static_cast<int>(mark) - 2 : 0; // digits after the point
    for (; power < 0; ++power) {
        nanoseconds_ *= 10;
    }
    for (; power > 0; --power) {
        cycles_ *= 10;
    }
}

Cycle ClockRate::cycles_in(std::uint32_t ns) const {
    return static_cast<Cycle>((ns * cycles_ + nanoseconds_ - 1) / nanoseconds_);
}

std::uint64_t ClockRate::nanoseconds_at(Cycle cycle) const {
    return static_cast<std::uint64_t>(cycle * nanoseconds_ / cycles_);
}

std::optional<ClockRate::Fraction> ClockRate::fraction() const {
    Wide divisor = cycles_;
    for (Wide rest = nanoseconds_; rest != 0;) {
        const Wide next = divisor % rest;
        divisor = rest;
        rest = next;
    }
    const Wide cycles = cycles_ / divisor;
    const Wide nanoseconds = nanoseconds_ / divisor;
    constexpr auto kMost = std::numeric_limits<std::uint32_t>::max();
    if (cycles > kMost || nanoseconds > kMost) {
        return std::nullopt;
    }
    return Fraction{static_cast<std::uint32_t>(cycles), static_cast<std::uint32_t>(nanoseconds)};
}

} // namespace smsim
