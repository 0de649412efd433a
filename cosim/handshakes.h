// Decides whether an adapter holds up a handshake: in that cycle it then offers no request, or takes no response. By
// default it never does. Random hold-ups show whether a block obeys the rules of its channels however late anything
// arrives.
#pragma once

#include <cstdint>

#include "model/types.h"

namespace smsim::cosim {

class Handshakes {
  public:
    /// Nothing is held up.
    Handshakes() = default;
    /// Holds up each channel in each cycle with a probability of `percent` in 100, at random by `seed`.
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
