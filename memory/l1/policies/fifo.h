// First in, first out: the line that has been in its set for longest is replaced, whether it is used or not.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "memory/l1/replacement.h"

namespace smsim::memory::l1::policies {

class Fifo final : public Replacement {
  public:
    Fifo(std::uint32_t sets, std::uint32_t ways) : ways_(ways), since_(std::size_t{sets} * ways, 0) {}

    void used(const LinePlace &) override {}
    void installed(const LinePlace &place) override {
        since_[std::size_t{place.set} * ways_ + place.way] = ++installed_;
    }
    std::uint32_t victim(std::uint32_t set, std::uint64_t) override {
        const auto first = since_.begin() + static_cast<std::ptrdiff_t>(std::size_t{set} * ways_);
        return static_cast<std::uint32_t>(std::min_element(first, first + ways_) - first);
    }

  private:
    std::uint32_t ways_;
    std::vector<std::uint64_t> since_; ///< set by set: when the line of each way came, in lines installed
    std::uint64_t installed_ = 0;
};

} // namespace smsim::memory::l1::policies
