// A sorted set of address ranges, looked up for every access; the range found last is tried first. Plain C++.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace smsim::memory {

/// Ranges that share no address. Two adjacent ranges stay separate: an access that spans both is in neither.
class AddressRanges {
  public:
    struct Range {
        std::uint64_t first = 0;
        std::uint64_t last = 0; ///< inclusive, so that a range may end with the address space
    };

    /// Adds `first .. last`, merged with the ranges that overlap it.
    void add(std::uint64_t first, std::uint64_t last) {
        auto begin = std::ranges::lower_bound(ranges_, first, {}, &Range::last);
        auto end = begin;
        while (end != ranges_.end() && end->first <= last) {
            first = std::min(first, end->first);
            last = std::max(last, end->last);
            ++end;
        }
        ranges_.insert(ranges_.erase(begin, end), {first, last});
        recent_ = 0;
    }
    /// The range that holds `address`, or null.
    const Range *find(std::uint64_t address) const {
        if (ranges_.empty()) {
            return nullptr;
        }
        const Range &recent = ranges_[recent_];
        if (address - recent.first <= recent.last - recent.first) { // an address below the range wraps to a huge
                                                                    // difference
            return &recent;
        }
        const auto found = std::ranges::lower_bound(ranges_, address, {}, &Range::last);
        if (found == ranges_.end() || address < found->first) {
            return nullptr;
        }
        recent_ = static_cast<std::size_t>(found - ranges_.begin());
        return &*found;
    }
    /// Whether `bytes` from `address` on lie in one range.
    bool holds(std::uint64_t address, std::uint64_t bytes) const {
        const Range *range = find(address);
        return range != nullptr && (bytes == 0 || bytes - 1 <= range->last - address);
    }

  private:
    std::vector<Range> ranges_;
    mutable std::size_t recent_ = 0;
};

} // namespace smsim::memory
