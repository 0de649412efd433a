#include "memory/l1/lines.h"

#include <algorithm>
#include <cstring>

namespace smsim::memory::l1 {

Lines::Lines(std::uint64_t capacity, LineSize size, std::uint32_t ways)
    : size_(size), ways_(ways), sets_(capacity / size.bytes() / ways), tags_(sets_ * ways), present_(tags_.size()),
      bytes_(tags_.size() * size.bytes()) {}

void Lines::install(std::uint64_t line, Sectors sectors, const std::uint8_t *data) {
    if (sectors == 0) {
        return;
    }
    const std::uint64_t first = set_of(line);
    std::uint64_t slot = first;
    for (std::uint64_t other = first; other < first + ways_; ++other) {
        if (tags_[other].line == line) {
            slot = other;
            break;
        }
        if (tags_[other].used < tags_[slot].used) {
            slot = other;
        }
    }
    if (tags_[slot].line != line) {
        tags_[slot].line = line;
        present_[slot] = 0;
    }
    tags_[slot].used = ++uses_;
    present_[slot] |= sectors;
    std::uint8_t *to = bytes_.data() + slot * size_.bytes();
    size_.for_each_part(line, sectors, line, size_.bytes(), [&](std::uint64_t address, std::uint64_t bytes) {
        std::memcpy(to + (address - line), data + (address - line), bytes);
    });
}

void Lines::update(std::uint64_t address, const std::uint8_t *from, std::uint64_t count) {
    while (count != 0) {
        const std::uint64_t line = size_.line_of(address);
        const std::uint64_t part = std::min(count, line + size_.bytes() - address);
        if (const std::uint64_t slot = find(line); slot != kAbsent) {
            std::uint8_t *to = bytes_.data() + slot * size_.bytes();
            size_.for_each_part(line, present_[slot], address, part, [&](std::uint64_t at, std::uint64_t bytes) {
                std::memcpy(to + (at - line), from + (at - address), bytes);
            });
        }
        address += part;
        from += part;
        count -= part;
    }
}

/// Drops the sectors of one present line.
void Lines::drop_in(std::uint64_t slot, std::uint64_t address, std::uint64_t span) {
    present_[slot] &= ~size_.touched(tags_[slot].line, address, span);
    if (present_[slot] == 0) {
        tags_[slot] = Tag{};
    }
}

void Lines::drop(std::uint64_t address, std::uint64_t span) {
    if (span > bytes_.size()) { // longer than the cache: cheaper to look at every line
        for (std::uint64_t slot = 0; slot < tags_.size(); ++slot) {
            if (present_[slot] != 0) {
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
    std::ranges::fill(tags_, Tag{});
    std::ranges::fill(present_, Sectors{0});
}

} // namespace smsim::memory::l1
