// printf of programs: each conversion works as in C, and a format can do nothing beyond text.
#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "model/text/print_format.h"

namespace smsim::text {
namespace {

/// Arguments by their bits; the address 1 is that of "text", others cannot be read.
class Given final : public PrintArguments {
  public:
    explicit Given(std::vector<std::uint64_t> values) : values_(std::move(values)) {}
    std::optional<std::uint64_t> next(unsigned bytes) override {
        sizes += std::to_string(bytes);
        return at_ < values_.size() ? std::optional(values_[at_++]) : std::nullopt;
    }
    std::optional<std::string> string_at(std::uint64_t address) override {
        return address == 1 ? std::optional<std::string>("text") : std::nullopt;
    }
    std::string sizes; ///< that were requested

  private:
    std::vector<std::uint64_t> values_;
    std::size_t at_ = 0;
};

std::string printed(std::string_view format, std::vector<std::uint64_t> values = {}) {
    Given given(std::move(values));
    return print_format(format, given);
}

std::uint64_t bits(double value) {
    return std::bit_cast<std::uint64_t>(value);
}

template <typename... Values> std::string by_c(const char *format, Values... values) {
    std::vector<char> text(8192);
    std::snprintf(text.data(), text.size(), format, values...);
    return text.data();
}

TEST(PrintFormat, IntegersAreThoseOfC) {
    for (const char *flags : {"", "-", "+", " ", "0", "#", "-+", "+0", "#0"}) {
        for (const char *size : {"", "8", "3", "12.5", ".0", ".3"}) {
            for (const char letter : {'d', 'i', 'u', 'x', 'X', 'o'}) {
                const std::string format = std::string("[%") + flags + size + letter + "]";
                for (const std::uint32_t value : {0U, 1U, 255U, 0x7fffffffU, 0x80000000U, 0xffffffffU}) {
                    EXPECT_EQ(printed(format, {value}), by_c(format.c_str(), value)) << format;
                }
            }
        }
    }
}

TEST(PrintFormat, LengthsSayHowManyBytesAnIntegerHas) {
    EXPECT_EQ(printed("%ld %lld %zu %jd %td", {~0ULL, 1ULL << 40, ~0ULL, 5, 6}),
              "-1 1099511627776 18446744073709551615 5 6");
    EXPECT_EQ(printed("%hd %hu %hhd %hhx", {0x18000, 0x12345, 0x1ff, 0x1ff}), "-32768 9029 -1 ff");
    EXPECT_EQ(printed("%d %x", {0xdeadbeef00000001, 0xdeadbeef00000002}), "1 2");
    Given given({1, 2, 3, 4, 5, 6, 7});
    print_format("%d%lld%f%s%p%c%hhd", given);
    EXPECT_EQ(given.sizes, "4888844");
}

TEST(PrintFormat, FloatsAreThoseOfC) {
    for (const char *size : {"", "+", "12.3", "-12.3", "012.1", ".0", "#.0", " "}) {
        for (const char letter : {'f', 'F', 'e', 'E', 'g', 'G', 'a', 'A'}) {
            const std::string format = std::string("[%") + size + letter + "]";
            for (const double value :
                 {0.0, -0.0, 1.5, -1234.5678, 1e300, 5e-324, std::numeric_limits<double>::infinity(),
                  std::numeric_limits<double>::quiet_NaN()}) {
                EXPECT_EQ(printed(format, {bits(value)}), by_c(format.c_str(), value)) << format;
            }
        }
    }
}

TEST(PrintFormat, CharactersStringsAndPointers) {
    EXPECT_EQ(printed("[%c|%3c|%-3c]", {'a', 'b', 'c'}), "[a|  b|c  ]");
    EXPECT_EQ(printed("[%s|%6s|%-6s|%.2s]", {1, 1, 1, 1}), "[text|  text|text  |te]");
    EXPECT_EQ(printed("[%s|%s|%8s]", {0, 2, 0}), "[(null)|(unreadable)|  (null)]");
    EXPECT_EQ(printed("[%p|%12p|%-6p]", {0x7f0012, 0x10, 0}), "[0x7f0012|        0x10|0x0   ]");
}

TEST(PrintFormat, WidthAndPrecisionMayBeArguments) {
    EXPECT_EQ(printed("[%*d|%-*d|%*d]", {5, 42, 5, 42, static_cast<std::uint32_t>(-5), 42}), "[   42|42   |42   ]");
    EXPECT_EQ(printed("[%.*f|%*.*s]", {2, bits(1.0), 6, 3, 1}), "[1.00|   tex]");
    EXPECT_EQ(printed("[%.*f]", {static_cast<std::uint32_t>(-1), bits(0.5)}), "[0.500000]");
    EXPECT_EQ(printed("%999999999999d", {1}).size(), static_cast<std::size_t>(kMostPrintWidth));
    EXPECT_EQ(printed("%.999999999f", {bits(1)}).size(), static_cast<std::size_t>(kMostPrintWidth) + 2);
    EXPECT_EQ(printed("%*d", {0x80000000, 1}).size(), static_cast<std::size_t>(kMostPrintWidth));
}

TEST(PrintFormat, UnknownConversionsAreCopiedUnchanged) {
    EXPECT_EQ(printed("100%% %n %y %5.1k %", {1, 2, 3}), "100% %n %y %5.1k %");
    EXPECT_EQ(printed("%-08.3"), "%-08.3");
    EXPECT_EQ(printed("%d %8d %f %s|", {7}), "7 (missing) (missing) (missing)|");
    EXPECT_EQ(printed(""), "");
}

} // namespace
} // namespace smsim::text
