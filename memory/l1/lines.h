// Which lines a set-associative cache holds, and their bytes: look-up, replacement (least recently used), invalidation.
// Plain C++.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/l1/line_size.h"

namespace smsim::memory::l1 {

class Lines {
  public:
    /// Room for `capacity` bytes in sets of `ways` lines (at least one set); no line is present. Bytes that make no
    /// whole set are not used.
    Lines(std::uint64_t capacity, LineSize size, std::uint32_t ways);

    /// The bytes of a present line, which becomes the most recently used one; null when it is absent.
    const std::uint8_t *use(std::uint64_t line) {
        const std::uint64_t slot = find(line);
        if (slot == kAbsent) {
            return nullptr;
        }
        tags_[slot].used = ++uses_;
        return bytes_.data() + slot * size_.bytes();
    }
    /// The line is present. Does not count as a use.
    bool holds(std::uint64_t line) const { return find(line) != kAbsent; }
    /// Makes an absent line present, as the most recently used one of its set; a free place, or else the line of the
    /// set that was used longest ago, goes. `data` is a line long.
    void install(std::uint64_t line, const std::uint8_t *data);
    /// Writes `count` bytes from `address` on where their lines are present; the others are left out. No use.
    void update(std::uint64_t address, const std::uint8_t *from, std::uint64_t count);
    /// Drops each line that holds some of the `span` bytes from `address` on.
    void drop(std::uint64_t address, std::uint64_t span);
    /// Drops every line.
    void drop_all();

  private:
    static constexpr std::uint64_t kAbsent = ~std::uint64_t{0};
    struct Tag {
        std::uint64_t line = ~std::uint64_t{0}; ///< no line has an odd address
        std::uint64_t used = 0;                 ///< order of last use; 0: free
    };

    std::uint64_t set_of(std::uint64_t line) const { return size_.number_of(line) % sets_ * ways_; }
    std::uint64_t find(std::uint64_t line) const {
        const std::uint64_t first = set_of(line);
        for (std::uint64_t slot = first; slot < first + ways_; ++slot) {
            if (tags_[slot].line == line) {
                return slot;
            }
        }
        return kAbsent;
    }

    LineSize size_;
    std::uint64_t ways_;
    std::uint64_t sets_;
    std::vector<Tag> tags_; ///< set by set
    std::vector<std::uint8_t> bytes_;
    std::uint64_t uses_ = 0;
};

} // namespace smsim::memory::l1
