// Whether an adapter holds a handshake up: it then offers no request, or takes no response, in that cycle. By default
// it never does. Held up at random, a block shows whether it keeps to the rules of its channels whatever comes late.
#pragma once

#include <cstdint>

#include "model/types.h"

namespace smsim::cosim {

class Handshakes {
  public:
    /// Nothing is held up.
    Handshakes() = default;
    /// In each cycle each channel is held up with a chance of `percent` in 100, at random by `seed`.
    Handshakes(std::uint64_t seed, unsigned percent) : seed_(mix(seed)), percent_(percent) {}

    /// Whether channel `channel` of the pins called `pins`, any number, is held up in `cycle`.
    bool hold(unsigned pins, unsigned channel, Cycle cycle) const {
        return percent_ != 0 && mix(mix(mix(seed_ + pins) ^ channel) ^ cycle) % 100 < percent_;
    }

  private:
    /// One output of splitmix64.
    static std::uint64_t mix(std::uint64_t z) {
        z += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

    std::uint64_t seed_ = 0;
    unsigned percent_ = 0;
};

} // namespace smsim::cosim
