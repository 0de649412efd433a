// How many passes one warp access to a banked memory takes, and in which of them each word is served.
//
// A word lives in bank `word mod banks`. In one pass each bank serves one word to all lanes that want it (broadcast).
// An access therefore takes as many passes as the busiest bank has distinct words. Plain C++.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace smsim::memory {

/// Bank bookkeeping of one access at a time. Passes count from 1.
class BankConflicts {
  public:
    /// `banks` and `bank_bytes` (bytes of a word) are at least 1; anything else is an InputError. `never`: every access
    /// takes the fewest passes possible.
    BankConflicts(std::uint32_t banks, std::uint32_t bank_bytes, bool never = false);

    /// Starts a new access: no word is placed yet.
    void begin() {
        ++access_;
        passes_ = 0;
        placed_ = 0;
        ranges_.clear();
        in_ranges_ = 0;
        taken_banks_ = 0;
    }

    /// Adds the words that the bytes `address .. address + bytes - 1` touch; a word that is already part of the access
    /// shares its pass. Returns the pass in which the last of these words is served. `bytes` is at least 1.
    ///
    /// Calls are cheap as long as no two have words in the same bank; only then individual banks are examined.
    std::uint32_t add(std::uint64_t address, std::uint64_t bytes) {
        const std::uint64_t first = word_of(address);
        const std::uint64_t count = word_of(address + bytes - 1) - first + 1;
        if (count <= banks_.size() && keep_range(first, count)) {
            return passes_ = 1;
        }
        return add_words(first, count);
    }

    /// As `add`, for an operation that shares its passes with no other operation on the same banks (atomics: lanes that
    /// access the same word take a pass each). All its words are served in the one pass that is returned.
    std::uint32_t add_exclusive(std::uint64_t address, std::uint64_t bytes);

    /// Passes of the access so far.
    std::uint32_t passes() const { return passes_; }
    /// The passes that as many words would take if they were spread evenly over the banks: any more are conflicts.
    std::uint32_t least_passes() const {
        const std::uint64_t words = placed_ + in_ranges_;
        if (words <= banks_.size()) [[likely]] {
            return words != 0 ? 1 : 0;
        }
        return static_cast<std::uint32_t>((words + banks_.size() - 1) / banks_.size());
    }

  private:
    static constexpr std::uint64_t kMaskBits = 64;

    struct Word {
        std::uint64_t word;
        std::uint32_t pass;
    };
    struct Range {
        std::uint64_t first;
        std::uint64_t count;
    };
    struct Bank {
        std::uint64_t access = 0; ///< the access that the contents belong to
        std::uint32_t used = 0;   ///< passes taken
        std::vector<Word> words;
    };

    std::uint64_t word_of(std::uint64_t address) const {
        return shift_ >= 0 ? address >> shift_ : address / bank_bytes_;
    }
    /// Keeps a range of words if all that was added is ranges, and this one has no bank in common with them. Returns
    /// whether it did.
    bool keep_range(std::uint64_t first, std::uint64_t count) {
        if (mask_ == 0 || mask_ >= kMaskBits) {
            return passes_ == 0 && push_range(first, count);
        }
        const std::uint64_t ones = count == kMaskBits ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
        const std::uint64_t at = first & mask_;
        const std::uint64_t wrapped = at != 0 ? ones >> (mask_ + 1 - at) : 0;
        const std::uint64_t wanted = ones << at | wrapped; // bits beyond the banks say nothing
        if ((taken_banks_ & wanted) != 0 || placed_ != 0) {
            return false;
        }
        taken_banks_ |= wanted & (~std::uint64_t{0} >> (kMaskBits - 1 - mask_));
        return push_range(first, count);
    }
    bool push_range(std::uint64_t first, std::uint64_t count) {
        ranges_.push_back({first, count});
        in_ranges_ += count;
        return true;
    }
    /// As `add`, whatever was added before.
    std::uint32_t add_words(std::uint64_t first, std::uint64_t count);
    Bank &bank_of(std::uint64_t word);
    std::uint32_t place(std::uint64_t word);
    /// Notes that the access takes `pass`, the pass of some of its words.
    std::uint32_t taken(std::uint32_t pass) {
        passes_ = never_ ? least_passes() : std::max(passes_, pass);
        return std::min(pass, passes_);
    }
    void place_ranges();

    /// The number of the bank of a word.
    std::size_t index_of(std::uint64_t word) const { return mask_ != 0 ? word & mask_ : word % banks_.size(); }

    std::uint32_t bank_bytes_;
    bool never_;
    int shift_ = -1;         ///< log2 of bank_bytes, or -1
    std::uint64_t mask_ = 0; ///< banks - 1 if their number is a power of two above 1, or 0
    std::vector<Bank> banks_;
    std::uint64_t access_ = 0;
    std::uint32_t passes_ = 0;
    std::uint64_t placed_ = 0; ///< words; those of exclusive operations count each time
    // Contiguous rows that share no bank take one pass. They are kept as ranges until a word shares a bank with them.
    std::vector<Range> ranges_;
    std::uint64_t in_ranges_ = 0;   ///< words
    std::uint64_t taken_banks_ = 0; ///< a bit for each bank of the ranges, if there are at most kMaskBits banks
};

} // namespace smsim::memory
