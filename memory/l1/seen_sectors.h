// Which sectors have been fetched before: so that a miss of what had been there can be told from a first one. Plain
// C++.
#pragma once

#include <cstdint>
#include <vector>

namespace smsim::memory::l1 {

/// A set that knows everything that was put in, and now and then something more: of a million different sectors one in
/// six is taken for known, of a hundred thousand one in six hundred. Its memory does not grow.
class SeenSectors {
  public:
    /// Puts a sector in; true when it was in already.
    bool add(std::uint64_t address) {
        if (bits_.empty()) {
            bits_.resize(kBits / 64);
        }
        // Bits of one product: the upper ones depend on all of the address.
        const std::uint64_t mixed = address * 0x9e3779b97f4a7c15;
        const bool first = test_and_set(mixed >> (64 - kLog));
        const bool second = test_and_set((mixed ^ mixed << 23) >> (64 - kLog));
        return first && second;
    }
    /// Forgets everything.
    void clear() { bits_.clear(); }

  private:
    static constexpr unsigned kLog = 22;
    static constexpr std::uint64_t kBits = std::uint64_t{1} << kLog;

    bool test_and_set(std::uint64_t bit) {
        std::uint64_t &word = bits_[bit / 64];
        const std::uint64_t mask = std::uint64_t{1} << bit % 64;
        const bool was_set = (word & mask) != 0;
        word |= mask;
        return was_set;
    }

    std::vector<std::uint64_t> bits_; ///< empty as long as nothing is in
};

} // namespace smsim::memory::l1
