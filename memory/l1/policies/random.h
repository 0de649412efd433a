// A random line of the set is replaced. The numbers (splitmix64) begin with a constant, so that equal runs are equal.
#pragma once

#include "memory/l1/replacement.h"

namespace smsim::memory::l1::policies {

class Random final : public Replacement {
  public:
    explicit Random(std::uint32_t ways) : ways_(ways) {}

    void used(const LinePlace &) override {}
    void installed(const LinePlace &) override {}
    std::uint32_t victim(std::uint32_t, std::uint64_t) override { return static_cast<std::uint32_t>(next() % ways_); }

  private:
    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
        return mixed ^ (mixed >> 31);
    }

    std::uint32_t ways_;
    std::uint64_t state_ = 0;
};

} // namespace smsim::memory::l1::policies
