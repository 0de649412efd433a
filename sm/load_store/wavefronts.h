// How long an access to global or local memory takes each stage of an L1: the tags, and the banks of its data. Plain
// C++.
//
// The unit of both is the wavefront: what a stage does in one cycle. The tags look up one line per bank and cycle, so
// that an access takes as many cycles as its busiest bank of tags has lines. The data is banked as shared memory is: a
// wavefront reads one word of each of 32 banks. Accesses of 8 and 16 bytes per thread are served in phases of 16 and 8
// threads, each of which takes as many wavefronts as its busiest bank has different words (memory.md "L1 wavefronts").
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "model/types.h"
#include "sm/load_store/coalescer.h"

namespace smsim::sm {

/// Wavefronts of one access, in cycles.
struct Wavefronts {
    std::uint32_t tags = 1;
    std::uint32_t data = 0;   ///< 0: not known
    std::uint32_t ideal = 0;  ///< those of `data` that as many words take without conflicts: phases that have a thread
    std::uint32_t phases = 1; ///< all of them
};

/// The banks of the tags: which lines of an access are looked up in the same cycle.
class TagBanks {
  public:
    /// `banks` (1 to 32) lines can be looked up per cycle; `line_bytes` is a power of two. Four banks, which are all
    /// that is known of silicon, take their number from a hash that agrees with every access that was counted; other
    /// powers of two from a fold of the line's number, others from its remainder.
    TagBanks(std::uint32_t banks, std::uint32_t line_bytes)
        : banks_(banks), shift_(static_cast<unsigned>(std::countr_zero(line_bytes))),
          fold_(std::has_single_bit(banks) ? static_cast<unsigned>(std::countr_zero(banks)) : 0) {}

    /// The bank of the line that holds `address`.
    std::uint32_t bank_of(std::uint64_t address) const {
        const std::uint64_t line = address >> shift_;
        if (banks_ == 4) [[likely]] {
            return kBankOfFour[line % kBankOfFour.size()];
        }
        return other_bank(line);
    }
    /// Cycles of the tags for transactions in different lines; at least 1.
    std::uint32_t wavefronts(std::span<const Transaction> transactions) const;

  private:
    // Bits of the number of a line whose parity is a bit of the number of its bank, and the banks that follow.
    static constexpr std::uint64_t kLower = 0b100'1010'0101;
    static constexpr std::uint64_t kUpper = 0b001'1001'1010;

    static constexpr std::array<std::uint8_t, 2048> kBankOfFour = [] {
        std::array<std::uint8_t, 2048> banks{};
        for (std::uint64_t line = 0; line < banks.size(); ++line) {
            const int upper = std::popcount(line & kUpper) % 2;
            banks[line] = static_cast<std::uint8_t>(2 * upper + std::popcount(line & kLower) % 2);
        }
        return banks;
    }();
    std::uint32_t other_bank(std::uint64_t line) const;

    std::uint32_t banks_;
    unsigned shift_;
    unsigned fold_; ///< bits of the number of a bank if their number is a power of two, else 0
};

/// Counts the wavefronts of the data of one access. Its words are added line by line.
class DataWavefronts {
  public:
    /// `phases`: 1, 2 or 4, in which threads are served one after the other.
    explicit DataWavefronts(std::uint32_t phases)
        : phases_(phases), phase_shift_(static_cast<unsigned>(std::countr_zero(kLanes) - std::countr_zero(phases))) {}

    /// The words of a transaction, whose line no other transaction has.
    void add(const Transaction &transaction);
    /// Wavefronts of what has been added; `ideal`: phases that have a thread.
    Wavefronts total() const;

  private:
    static constexpr unsigned kBits = 6; ///< of a number of words in one bank: 0 to 32

    /// A number for each of 32 banks; element i holds the bits of value 2^i.
    using Counts = std::array<std::uint32_t, kBits>;
    static void add(Counts &counts, std::uint32_t banks);
    static std::uint32_t most(const Counts &counts);

    std::uint32_t phases_;
    unsigned phase_shift_;           ///< of the number of a thread, to that of its phase
    std::array<Counts, 4> counts_{}; ///< by phase
};

/// Phases in which the data of `bytes` (1 to 16) per thread is served: 1, 2 or 4.
inline std::uint32_t data_phases_of(unsigned bytes) {
    return bytes <= 4 ? 1 : bytes / 4;
}
/// Wavefronts of `lanes` that access one line together.
Wavefronts wavefronts_of_row(LaneMask lanes, std::uint32_t phases);
/// Wavefronts of an access with these transactions, each in another line.
Wavefronts wavefronts_of(std::span<const Transaction> transactions, std::uint32_t phases, const TagBanks &tags);

} // namespace smsim::sm
