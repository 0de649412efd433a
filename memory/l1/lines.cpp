#include "memory/l1/lines.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "model/copy_bytes.h"

namespace smsim::memory::l1 {

Lines::Lines(std::uint64_t capacity, LineSize size, std::uint32_t ways, std::unique_ptr<Replacement> replacement,
             bool hash_sets)
    : size_(size), ways_(ways), sets_(sets_of(capacity, size, ways)), hash_sets_(hash_sets), tags_(sets_ * ways),
      head_mask_(std::bit_ceil(tags_.size()) - 1), heads_(head_mask_ + 1, kEnd), bytes_(tags_.size() * size.bytes()),
      replacement_(std::move(replacement)) {}

/// Assigns `line` to slot `slot`, which is free.
void Lines::give(std::uint64_t slot, std::uint64_t line) {
    tags_[slot].line = line;
    tags_[slot].next = head_of(line);
    head_of(line) = static_cast<std::uint32_t>(slot);
}

/// Frees slot `slot`.
void Lines::take(std::uint64_t slot) {
    std::uint32_t *link = &head_of(tags_[slot].line);
    while (*link != slot) {
        link = &tags_[*link].next;
    }
    *link = tags_[slot].next;
    tags_[slot] = Tag{};
}

/// The slot for a line that is not there: a free one of its set, or that of the line to be replaced.
std::uint64_t Lines::room_for(std::uint64_t line) {
    const std::uint64_t set = set_of(line);
    const auto first = tags_.begin() + static_cast<std::ptrdiff_t>(set);
    const auto oldest = std::ranges::min_element(first, first + static_cast<std::ptrdiff_t>(ways_), {}, &Tag::used);
    if (replacement_ == nullptr || oldest->used == 0) [[likely]] {
        return static_cast<std::uint64_t>(oldest - tags_.begin());
    }
    const std::uint32_t way = replacement_->victim(static_cast<std::uint32_t>(set / ways_), line);
    if (way >= ways_) {
        fail_for_policy("l1.replacement", fmt::format("chosen way {} of a set of {} ways", way, ways_));
    }
    return set + way;
}

void Lines::install(std::uint64_t line, Sectors sectors, const std::uint8_t *data) {
    if (sectors == 0) {
        return;
    }
    std::uint64_t slot = find(line);
    const bool is_new = slot == kAbsent;
    if (is_new) {
        slot = room_for(line);
        if (tags_[slot].used != 0) {
            take(slot);
        }
        give(slot, line);
    }
    tags_[slot].used = ++uses_;
    if (replacement_ != nullptr) [[unlikely]] {
        is_new ? replacement_->installed(place_of(slot)) : replacement_->extended(place_of(slot));
    }
    tags_[slot].present |= sectors;
    std::uint8_t *to = bytes_.data() + slot * size_.bytes();
    if (sectors == size_.touched_in_line(line, size_.bytes())) { // as in most cases
        copy_bytes(to, data, size_.bytes());
        return;
    }
    size_.for_each_part(line, sectors, line, size_.bytes(), [&](std::uint64_t address, std::uint64_t bytes) {
        copy_bytes(to + (address - line), data + (address - line), bytes);
    });
}

void Lines::update_across(std::uint64_t address, const std::uint8_t *from, std::uint64_t count) {
    while (count != 0) {
        const std::uint64_t line = size_.line_of(address);
        const std::uint64_t part = std::min(count, line + size_.bytes() - address);
        if (const std::uint64_t slot = find(line); slot != kAbsent) {
            update_in(slot, address, from, part);
        }
        address += part;
        from += part;
        count -= part;
    }
}

/// Drops the sectors of one present line.
void Lines::drop_in(std::uint64_t slot, std::uint64_t address, std::uint64_t span) {
    tags_[slot].present &= ~size_.touched(tags_[slot].line, address, span);
    if (tags_[slot].present == 0) {
        tell_dropped(slot);
        take(slot);
    }
}

/// The line that has this slot is about to leave it without a victim having been asked for.
void Lines::tell_dropped(std::uint64_t slot) {
    if (replacement_ != nullptr) {
        replacement_->dropped(place_of(slot));
    }
}

void Lines::drop(std::uint64_t address, std::uint64_t span) {
    if (span > bytes_.size()) { // longer than the cache: cheaper to check every line
        for (std::uint64_t slot = 0; slot < tags_.size(); ++slot) {
            if (tags_[slot].present != 0) {
                drop_in(slot, address, span);
            }
        }
        return;
    }
    for (std::uint64_t done = 0; done < span;) {
        const std::uint64_t line = size_.line_of(address + done);
        if (const std::uint64_t slot = find(line); slot != kAbsent) {
            drop_in(slot, address, span);
        }
        done += line + size_.bytes() - (address + done);
    }
}

void Lines::drop_all() {
    for (std::uint64_t slot = 0; replacement_ != nullptr && slot < tags_.size(); ++slot) {
        if (tags_[slot].present != 0) {
            tell_dropped(slot);
        }
    }
    std::ranges::fill(tags_, Tag{});
    std::ranges::fill(heads_, kEnd);
}

void Lines::limit(std::uint64_t capacity) {
    sets_ =
        std::clamp<std::uint64_t>(sets_of(capacity, size_, static_cast<std::uint32_t>(ways_)), 1, tags_.size() / ways_);
}

} // namespace smsim::memory::l1
