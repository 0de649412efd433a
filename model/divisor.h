// Division by a number that is known when a part is constructed, without a division instruction.
#pragma once

#include <bit>
#include <cstdint>

namespace smsim {

/// Divides by multiplying with the reciprocal: fastest if the number is no power of two.
class Reciprocal {
  public:
    /// `value` is at least 1.
    explicit Reciprocal(std::uint64_t value)
        : value_(value), reciprocal_(~std::uint64_t{0} / value + 1),
          exact_up_to_(value == 1 ? 0 : ~std::uint64_t{0} / value) {}

    std::uint64_t value() const { return value_; }
    /// `number` / `value`, rounded down.
    std::uint64_t quotient(std::uint64_t number) const {
        if (number > exact_up_to_) [[unlikely]] {
            return number / value_;
        }
        return static_cast<std::uint64_t>((static_cast<Wide>(number) * reciprocal_) >> 64U);
    }

  private:
    __extension__ using Wide = unsigned __int128;

    std::uint64_t value_;
    std::uint64_t reciprocal_;  ///< 2^64 / value, rounded up by less than 1
    std::uint64_t exact_up_to_; ///< this many times that error is less than 1 / value
};

/// Divides by a shift if the number is a power of two, as most numbers in a configuration are.
class Divisor {
  public:
    /// `value` is at least 1.
    explicit Divisor(std::uint64_t value)
        : reciprocal_(value), shift_(std::has_single_bit(value) ? std::countr_zero(value) : kNone) {}

    std::uint64_t value() const { return reciprocal_.value(); }
    /// `number` / `value`, rounded down.
    std::uint64_t quotient(std::uint64_t number) const {
        return shift_ != kNone ? number >> shift_ : reciprocal_.quotient(number);
    }
    std::uint64_t remainder(std::uint64_t number) const {
        return shift_ != kNone ? number & (value() - 1) : number - reciprocal_.quotient(number) * value();
    }

  private:
    static constexpr int kNone = -1;

    Reciprocal reciprocal_;
    int shift_; ///< log2; kNone: it is no power of two
};

} // namespace smsim
