// The only source of randomness of the program generator: a sequence that depends only on the seed, on every host.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace smsim::fuzz {

/// splitmix64. Cheap to seed: each program has its own sequence. When a statement needs several draws, name all but
/// one of them first: the compiler chooses the order in which the arguments of a call are computed.
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
