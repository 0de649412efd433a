// Predicts when each line will be read again, and replaces one that will be read in the distant future. After Jaleel et
// al., "High Performance Cache Replacement Using Re-Reference Interval Prediction (RRIP)", ISCA 2010, with predictions
// of two bits that a hit resets (hit priority).
//
// SRRIP predicts a long interval for a new line, so that lines which are read once leave before those with hits. BRRIP
// predicts the distant future for all new lines but every 32nd: part of a working set that is larger than the cache
// stays. The authors draw these lines at random; here they are counted.
#pragma once

#include <cstddef>
#include <vector>

#include "memory/l1/replacement.h"

namespace smsim::memory::l1::policies {

class Rrip final : public Replacement {
  public:
    /// What is predicted for a new line: SRRIP, BRRIP.
    enum class Insertion : std::uint8_t { kLong, kMostlyDistant };

    Rrip(std::uint32_t sets, std::uint32_t ways, Insertion insertion)
        : ways_(ways), insertion_(insertion), predicted_(std::size_t{sets} * ways, kDistant) {}

    void used(const LinePlace &place) override { at(place.set, place.way) = kSoon; }
    void installed(const LinePlace &place) override {
        const bool is_long = insertion_ == Insertion::kLong || installed_++ % kBimodal == 0;
        at(place.set, place.way) = is_long ? kLong : kDistant;
    }
    std::uint32_t victim(std::uint32_t set, std::uint64_t) override {
        while (true) {
            for (std::uint32_t way = 0; way < ways_; ++way) {
                if (at(set, way) == kDistant) {
                    return way;
                }
            }
            for (std::uint32_t way = 0; way < ways_; ++way) {
                ++at(set, way);
            }
        }
    }

  private:
    static constexpr std::uint8_t kSoon = 0;
    static constexpr std::uint8_t kLong = 2;
    static constexpr std::uint8_t kDistant = 3;
    static constexpr std::uint32_t kBimodal = 32;

    std::uint8_t &at(std::uint32_t set, std::uint32_t way) { return predicted_[std::size_t{set} * ways_ + way]; }

    std::uint32_t ways_;
    Insertion insertion_;
    std::vector<std::uint8_t> predicted_; ///< re-reference interval of the line of each way, set by set
    std::uint32_t installed_ = 0;
};

} // namespace smsim::memory::l1::policies
