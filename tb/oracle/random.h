// The only source of randomness of an oracle run: splitmix64. Equal seeds give equal runs on every host.
#pragma once

#include <cstdint>

namespace smsim::oracle {

/// When a statement needs several draws, name all but one of them first: the compiler chooses the order in which the
/// arguments of a call are computed.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    /// 64 random bits.
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }
    /// A number in [0, count); count at least 1. The slight bias of the multiplication does not matter here.
    std::uint32_t below(std::uint32_t count) { return scale(static_cast<std::uint32_t>(next() >> 32), count); }
    /// True or false, equally likely.
    bool coin() { return (next() >> 63) != 0; }

    /// Maps 32 random bits to [0, count).
    static std::uint32_t scale(std::uint32_t bits, std::uint32_t count) {
        return static_cast<std::uint32_t>((std::uint64_t{bits} * count) >> 32);
    }

  private:
    std::uint64_t state_;
};

} // namespace smsim::oracle
