#include "model/text/print_format.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>

namespace smsim::text {

namespace {

/// One conversion specification.
struct Conversion {
    std::string flags;
    int width = -1;     ///< not given
    int precision = -1; ///< not given
    unsigned longs = 0; ///< l, ll, j, z, t
    unsigned shorts = 0;
    char letter = 0;
    bool left() const { return flags.find('-') != std::string::npos; }
};

/// The output of snprintf for one value; `specification` has two '*' if a precision is given, otherwise one.
template <typename Value>
std::string formatted(const Conversion &conversion, std::string_view length, char letter, Value value) {
    std::string specification = "%" + conversion.flags + "*";
    specification += conversion.precision >= 0 ? ".*" : "";
    specification += std::string(length) + letter;
    const int width = std::max(conversion.width, 0);
    const auto write = [&](char *to, std::size_t size) {
        return conversion.precision >= 0
                   ? std::snprintf(to, size, specification.c_str(), width, conversion.precision, value)
                   : std::snprintf(to, size, specification.c_str(), width, value);
    };
    std::string text(static_cast<std::size_t>(std::max(write(nullptr, 0), 0)), '\0');
    write(text.data(), text.size() + 1);
    return text;
}

/// `text` padded with spaces to the width.
std::string padded(const Conversion &conversion, std::string text) {
    const auto width = static_cast<std::size_t>(std::max(conversion.width, 0));
    if (text.size() < width) {
        text.insert(conversion.left() ? text.size() : 0, width - text.size(), ' ');
    }
    return text;
}

class Printer {
  public:
    Printer(std::string_view format, PrintArguments &arguments) : format_(format), arguments_(arguments) {}

    std::string run() {
        while (at_ < format_.size()) {
            if (format_[at_] != '%') {
                text_ += format_[at_++];
                continue;
            }
            const std::size_t begin = at_++;
            const auto one = conversion();
            const auto made = one ? converted(*one) : std::nullopt;
            text_ += made ? *made : std::string(format_.substr(begin, at_ - begin));
        }
        return std::move(text_);
    }

  private:
    /// A number in the format, at most kMostPrintWidth.
    int digits() {
        int value = 0;
        for (; at_ < format_.size() && format_[at_] >= '0' && format_[at_] <= '9'; ++at_) {
            value = std::min(value * 10 + (format_[at_] - '0'), kMostPrintWidth);
        }
        return value;
    }

    /// A number in the format or, for '*', from the arguments.
    int number() {
        if (at_ < format_.size() && format_[at_] == '*') {
            ++at_;
            const auto value = static_cast<std::int32_t>(arguments_.next(4).value_or(0));
            return std::clamp(value, -kMostPrintWidth, kMostPrintWidth);
        }
        return digits();
    }

    bool accept(std::string_view any) {
        const bool found = at_ < format_.size() && any.find(format_[at_]) != std::string_view::npos;
        at_ += found ? 1 : 0;
        return found;
    }

    /// What follows a '%', including the letter; none when the format ends before.
    std::optional<Conversion> conversion() {
        Conversion one;
        while (accept("-+ #0")) {
            if (one.flags.find(format_[at_ - 1]) == std::string::npos) {
                one.flags += format_[at_ - 1];
            }
        }
        one.width = number();
        if (one.width < 0) { // from an argument
            one.flags += one.left() ? "" : "-";
            one.width = -one.width;
        }
        if (accept(".")) {
            one.precision = number();
        }
        while (accept("hljztq")) {
            format_[at_ - 1] == 'h' ? ++one.shorts : ++one.longs;
        }
        if (at_ >= format_.size()) {
            return std::nullopt;
        }
        one.letter = format_[at_++];
        return one;
    }

    /// The text of a conversion; none for an unknown one.
    std::optional<std::string> converted(const Conversion &one) {
        if (one.letter == '%') {
            return "%";
        }
        if (std::string_view("diuxXoc").find(one.letter) != std::string_view::npos) {
            const auto bits = arguments_.next(one.longs > 0 ? 8 : 4);
            return bits ? integer(one, *bits) : padded(one, "(missing)");
        }
        if (std::string_view("fFeEgGaAps").find(one.letter) == std::string_view::npos) {
            return std::nullopt;
        }
        const auto bits = arguments_.next(8);
        if (!bits) {
            return padded(one, "(missing)");
        }
        if (one.letter == 's') {
            const auto text = *bits == 0 ? std::string("(null)") : arguments_.string_at(*bits);
            const std::string shown = text.value_or("(unreadable)");
            return padded(one, one.precision < 0 ? shown : shown.substr(0, static_cast<std::size_t>(one.precision)));
        }
        if (one.letter == 'p') {
            std::array<char, 24> address{};
            std::snprintf(address.data(), address.size(), "0x%llx", static_cast<unsigned long long>(*bits));
            return padded(one, address.data());
        }
        return formatted(one, "", one.letter, std::bit_cast<double>(*bits));
    }

    static std::string integer(const Conversion &one, std::uint64_t bits) {
        if (one.letter == 'c') {
            return padded(one, std::string(1, static_cast<char>(bits)));
        }
        const unsigned size = one.longs > 0 ? 64 : one.shorts == 0 ? 32 : one.shorts == 1 ? 16 : 8;
        const bool is_signed = one.letter == 'd' || one.letter == 'i';
        const auto extended = static_cast<std::int64_t>(bits << (64 - size)) >> (64 - size);
        if (is_signed) {
            return formatted(one, "ll", 'd', static_cast<long long>(extended));
        }
        return formatted(one, "ll", one.letter, static_cast<unsigned long long>(bits << (64 - size) >> (64 - size)));
    }

    std::string_view format_;
    PrintArguments &arguments_;
    std::size_t at_ = 0;
    std::string text_;
};

} // namespace

std::string print_format(std::string_view format, PrintArguments &arguments) {
    return Printer(format, arguments).run();
}

} // namespace smsim::text
