#include "memory/l1/lines.h"

#include <algorithm>
#include <cstring>

namespace smsim::memory::l1 {

Lines::Lines(std::uint64_t capacity, LineSize size, std::uint32_t ways)
    : size_(size), ways_(ways), sets_(capacity / size.bytes() / ways), tags_(sets_ * ways),
      bytes_(sets_ * ways * size.bytes()) {}

void Lines::install(std::uint64_t line, const std::uint8_t *data) {
    const auto set = tags_.begin() + static_cast<std::ptrdiff_t>(set_of(line));
    const auto victim = std::min_element(set, set + static_cast<std::ptrdiff_t>(ways_),
                                         [](const Tag &a, const Tag &b) { return a.used < b.used; });
    *victim = {line, ++uses_};
    const auto slot = static_cast<std::uint64_t>(victim - tags_.begin());
    std::memcpy(bytes_.data() + slot * size_.bytes(), data, size_.bytes());
}

void Lines::update(std::uint64_t address, const std::uint8_t *from, std::uint64_t count) {
    while (count != 0) {
        const std::uint64_t line = size_.line_of(address);
        const std::uint64_t part = std::min(count, line + size_.bytes() - address);
        if (const std::uint64_t slot = find(line); slot != kAbsent) {
            std::memcpy(bytes_.data() + slot * size_.bytes() + (address - line), from, part);
        }
        address += part;
        from += part;
        count -= part;
    }
}

void Lines::drop(std::uint64_t address, std::uint64_t span) {
    if (span > bytes_.size()) { // longer than the cache: cheaper to look at every line
        for (Tag &tag : tags_) {
            if (size_.touches(tag.line, address, span)) {
                tag = Tag{};
            }
        }
        return;
    }
    for (std::uint64_t done = 0; done < span;) {
        const std::uint64_t line = size_.line_of(address + done);
        if (const std::uint64_t slot = find(line); slot != kAbsent) {
            tags_[slot] = Tag{};
        }
        done += line + size_.bytes() - (address + done);
    }
}

void Lines::drop_all() {
    std::ranges::fill(tags_, Tag{});
}

} // namespace smsim::memory::l1
