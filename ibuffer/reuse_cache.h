// The reuse cache of the registers of one sub-partition (timing.md 3 "Reuse cache"): for each bank and operand slot the
// register that was read there last, if its reader said so. Plain C++.
#pragma once

#include <array>
#include <cstdint>

#include "model/isa/instruction.h"

namespace smsim::ibuffer {

class ReuseCache {
  public:
    static constexpr unsigned kMaxBanks = 8;

    /// `banks` is a power of two up to kMaxBanks.
    explicit ReuseCache(unsigned banks) : bank_mask_(banks - 1) {}

    /// `warp` reads register `index`, which is not RZ, as operand `slot` (0 to 2: a, b, c). Returns whether it is kept
    /// there; afterwards it is kept if `keep`, otherwise nothing is.
    bool read(unsigned warp, unsigned slot, std::uint8_t index, bool keep) {
        std::uint32_t &kept = kept_[slot][index & bank_mask_];
        const std::uint32_t read = (warp + 1) << kIndexBits | index;
        const bool hit = kept == read;
        count_ += unsigned{keep} - unsigned{kept != 0};
        kept = keep ? read : 0;
        return hit;
    }
    /// Whether nothing is kept: then reads without `keep` change nothing.
    bool is_empty() const { return count_ == 0; }
    /// Drops everything.
    void clear() {
        kept_ = {};
        count_ = 0;
    }

  private:
    static constexpr unsigned kIndexBits = 8;

    unsigned bank_mask_;
    std::array<std::array<std::uint32_t, kMaxBanks>, isa::kReuseSlots>
        kept_{};         ///< number of a warp + 1, and register; 0: nothing
    unsigned count_ = 0; ///< number of non-zero entries
};

} // namespace smsim::ibuffer
