// The division-free Divisor gives the results of a division, also for numbers whose reciprocal is inexact.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "model/divisor.h"

namespace smsim {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

/// Numbers around the multiples of `value`, up to the largest number.
template <typename Check> void for_numbers(std::uint64_t value, Check check) {
    for (const std::uint64_t times : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1000003},
                                      kMost / value / value, kMost / value / 2, kMost / value}) {
        for (std::uint64_t beside = 0; beside < 3; ++beside) {
            check(times * value + beside);
            check(times * value - beside);
        }
    }
    check(kMost);
}

TEST(DivisorTest, QuotientAndRemainderAreThoseOfADivision) {
    for (const std::uint64_t value :
         {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{80}, std::uint64_t{128},
          std::uint64_t{714}, std::uint64_t{3072}, std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 1, kMost / 2,
          kMost - 1, kMost}) {
        const Divisor divisor(value);
        const Reciprocal reciprocal(value);
        EXPECT_EQ(divisor.value(), value);
        EXPECT_EQ(reciprocal.value(), value);
        for_numbers(value, [&](std::uint64_t number) {
            EXPECT_EQ(divisor.quotient(number), number / value) << number << " / " << value;
            EXPECT_EQ(divisor.remainder(number), number % value) << number << " % " << value;
            EXPECT_EQ(reciprocal.quotient(number), number / value) << number << " / " << value;
        });
    }
}

} // namespace
} // namespace smsim
