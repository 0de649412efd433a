// Division by a number that is known when a part is made: mostly a power of two, for which it is a shift.
#pragma once

#include <bit>
#include <cstdint>

namespace smsim {

class Divisor {
  public:
    /// `value` is at least 1.
    explicit Divisor(std::uint64_t value)
        : value_(value), shift_(std::has_single_bit(value) ? std::countr_zero(value) : kNone) {}

    std::uint64_t value() const { return value_; }
    /// `number` / `value`, rounded down.
    std::uint64_t quotient(std::uint64_t number) const { return shift_ != kNone ? number >> shift_ : number / value_; }
    std::uint64_t remainder(std::uint64_t number) const {
        return shift_ != kNone ? number & (value_ - 1) : number % value_;
    }

  private:
    static constexpr int kNone = -1;

    std::uint64_t value_;
    int shift_; ///< log2; kNone: it is no power of two
};

} // namespace smsim
