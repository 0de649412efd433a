// The sectors and lines that a set-associative cache holds, and their bytes: look-up, replacement (the least
// recently used line, or a policy's choice), invalidation. Plain C++.
//
// Neighbouring lines are in neighbouring sets, round after round. With `hash_sets` each round begins a set later than
// the one before, so that lines at a distance of whole rounds, as a column of a matrix has them, do not share a set;
// neighbouring lines still fill the sets evenly.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "memory/l1/line_size.h"
#include "memory/l1/replacement.h"
#include "model/copy_bytes.h"

namespace smsim::memory::l1 {

class Lines {
  public:
    /// What the cache holds of a line.
    struct Line {
        Sectors present;          ///< 0: nothing
        const std::uint8_t *data; ///< a line, valid in its present sectors; null when there is none
    };

    /// Room for `capacity` bytes in sets of `ways` lines (at least one set); initially empty. Bytes beyond the last
    /// whole set are not used. `replacement`: decides which line is replaced; null: the least recently used one.
    Lines(std::uint64_t capacity, LineSize size, std::uint32_t ways, std::unique_ptr<Replacement> replacement = nullptr,
          bool hash_sets = false);

    /// The number of these sets.
    static std::uint64_t sets_of(std::uint64_t capacity, LineSize size, std::uint32_t ways) {
        return capacity / size.bytes() / ways;
    }

    /// Looks up a line, which becomes the most recently used one of its set when some of it is present.
    Line use(std::uint64_t line) {
        const std::uint64_t slot = find(line);
        if (slot == kAbsent) {
            return {0, nullptr};
        }
        note_use(slot);
        return {tags_[slot].present, bytes_.data() + slot * size_.bytes()};
    }
    /// The same, returning its bytes, if all of `sectors` (at least one) are present; otherwise null, and no use is
    /// counted.
    const std::uint8_t *use_all(std::uint64_t line, Sectors sectors) {
        const std::uint64_t slot = find(line);
        if (slot == kAbsent || (sectors & ~tags_[slot].present) != 0) {
            return nullptr;
        }
        note_use(slot);
        return bytes_.data() + slot * size_.bytes();
    }
    /// The sectors of a line that are present. Does not count as a use.
    Sectors present(std::uint64_t line) const {
        const std::uint64_t slot = find(line);
        return slot == kAbsent ? 0 : tags_[slot].present;
    }
    /// Makes `sectors` of a line present, and the line the most recently used of its set. When nothing of it is
    /// present, it takes a free place or replaces a line of the set. `data` is a line long and read in `sectors` only;
    /// without sectors nothing happens. Throws InputError for a policy that chooses a place that does not exist.
    void install(std::uint64_t line, Sectors sectors, const std::uint8_t *data);
    /// Writes `count` bytes from `address` on where their sectors are present; skips the others. Not counted as a use.
    void update(std::uint64_t address, const std::uint8_t *from, std::uint64_t count) {
        const std::uint64_t line = size_.line_of(address);
        if (count == 0 || !size_.in_one_line(address, count)) [[unlikely]] {
            update_across(address, from, count);
        } else if (const std::uint64_t slot = find(line); slot != kAbsent) {
            update_in(slot, address, from, count);
        }
    }
    /// Drops each sector that holds some of the `span` bytes from `address` on.
    void drop(std::uint64_t address, std::uint64_t span);
    /// Drops everything.
    void drop_all();
    /// Uses only `capacity` bytes from now on, at least a set and at most what there has been at the beginning.
    /// Precondition: nothing is present.
    void limit(std::uint64_t capacity);

  private:
    static constexpr std::uint64_t kAbsent = ~std::uint64_t{0};
    static constexpr std::uint32_t kEnd = ~std::uint32_t{0};
    struct Tag {
        std::uint64_t line = ~std::uint64_t{0}; ///< no line has an odd address
        std::uint64_t used = 0;                 ///< order of last use; 0: free
        std::uint32_t next = kEnd;              ///< slot of the next line with the same head
        Sectors present = 0;                    ///< none if the slot is free
    };

    /// The first slot of the set of a line.
    std::uint64_t set_of(std::uint64_t line) const {
        const std::uint64_t number = size_.number_of(line);
        const std::uint64_t begin = hash_sets_ ? number / sets_ : 0;
        return (number + begin) % sets_ * ways_;
    }
    std::uint32_t &head_of(std::uint64_t line) { return heads_[size_.number_of(line) & head_mask_]; }
    std::uint64_t find(std::uint64_t line) const {
        std::uint32_t slot = heads_[size_.number_of(line) & head_mask_];
        while (slot != kEnd && tags_[slot].line != line) {
            slot = tags_[slot].next;
        }
        return slot == kEnd ? kAbsent : slot;
    }
    /// The line that has this slot is the most recently used of its set.
    void note_use(std::uint64_t slot) {
        tags_[slot].used = ++uses_;
        if (replacement_ != nullptr) [[unlikely]] {
            replacement_->used(place_of(slot));
        }
    }
    LinePlace place_of(std::uint64_t slot) const {
        return {static_cast<std::uint32_t>(slot / ways_), static_cast<std::uint32_t>(slot % ways_), tags_[slot].line};
    }
    std::uint64_t room_for(std::uint64_t line);
    void give(std::uint64_t slot, std::uint64_t line);
    void take(std::uint64_t slot);
    void update_across(std::uint64_t address, const std::uint8_t *from, std::uint64_t count);
    /// Writes all of the `count` (at least 1) bytes to the present line that has this slot.
    void update_in(std::uint64_t slot, std::uint64_t address, const std::uint8_t *from, std::uint64_t count) {
        const std::uint64_t line = tags_[slot].line;
        std::uint8_t *to = bytes_.data() + slot * size_.bytes();
        const Sectors touched = size_.touched_in_line(address, count);
        if ((touched & ~tags_[slot].present) == 0) [[likely]] {
            copy_bytes(to + (address - line), from, count);
            return;
        }
        size_.for_each_part(line, tags_[slot].present, address, count, [&](std::uint64_t at, std::uint64_t bytes) {
            copy_bytes(to + (at - line), from + (at - address), bytes);
        });
    }
    void drop_in(std::uint64_t slot, std::uint64_t address, std::uint64_t span);
    void tell_dropped(std::uint64_t slot);

    LineSize size_;
    std::uint64_t ways_;
    std::uint64_t sets_; ///< in use
    bool hash_sets_;
    std::vector<Tag> tags_; ///< set by set
    std::uint64_t head_mask_;
    std::vector<std::uint32_t> heads_; ///< finds a line in any way: a list of slots for each head
    std::vector<std::uint8_t> bytes_;
    std::uint64_t uses_ = 0;
    std::unique_ptr<Replacement> replacement_; ///< null: least recently used
};

} // namespace smsim::memory::l1
