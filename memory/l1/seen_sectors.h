// The sectors that have been fetched before: distinguishes a first miss from a miss of something that had been there.
// Plain C++.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace smsim::memory::l1 {

/// A set that contains everything that was added, and occasionally something more: while a hundred thousand different
/// sectors are added, one in a thousand is taken for known; with a million, one in twenty. Its memory does not grow.
class SeenSectors {
  public:
    /// `sector_bytes` is a power of two.
    explicit SeenSectors(std::uint32_t sector_bytes) : shift_(static_cast<unsigned>(std::countr_zero(sector_bytes))) {}

    /// Adds the sector at `address`; true when it was in already.
    bool add(std::uint64_t address) {
        if (words_.empty()) {
            words_.resize(std::size_t{1} << kLog);
        }
        // 64 neighbours share two words. The upper bits of a product depend on all bits of a factor.
        const std::uint64_t number = address >> shift_;
        const std::uint64_t one = (number / 64) * 0x9e3779b97f4a7c15;
        const std::uint64_t other = (one ^ one >> 32) * 0xd6e8feb86659fd93;
        const bool first = test_and_set(one >> (64 - kLog), number + (one >> 40));
        const bool second = test_and_set(other >> (64 - kLog), number + (other >> 40));
        return first && second;
    }
    /// Forgets everything.
    void clear() { words_.clear(); }

  private:
    static constexpr unsigned kLog = 16;

    bool test_and_set(std::uint64_t place, std::uint64_t bit) {
        std::uint64_t &word = words_[place];
        const std::uint64_t mask = std::uint64_t{1} << bit % 64;
        const bool was_set = (word & mask) != 0;
        word |= mask;
        return was_set;
    }

    unsigned shift_;
    std::vector<std::uint64_t> words_; ///< empty as long as the set is
};

} // namespace smsim::memory::l1
