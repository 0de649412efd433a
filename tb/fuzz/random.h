// The one source of randomness of the program generator: a sequence that a seed fixes, on every host.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace smsim::fuzz {

/// splitmix64. Cheap to seed: each program has a sequence of its own. Of several draws in one statement all but one are
/// named first: in which order the arguments of a call are computed is up to the compiler.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    /// 0 .. bound-1; bound at least 1.
    std::uint32_t below(std::uint32_t bound) {
        return static_cast<std::uint32_t>(((next() >> 32) * std::uint64_t{bound}) >> 32);
    }
    /// low .. high.
    std::uint32_t between(std::uint32_t low, std::uint32_t high) { return low + below(high - low + 1); }
    /// True in `percent` of 100 calls.
    bool chance(std::uint32_t percent) { return below(100) < percent; }
    /// One of `values`.
    std::uint32_t of(std::initializer_list<std::uint32_t> values) {
        return values.begin()[below(static_cast<std::uint32_t>(values.size()))];
    }

  private:
    std::uint64_t state_;
};

} // namespace smsim::fuzz
