// L0 instruction cache: misses, stream and replacement.
#include "memory/l0_cache.h"

#include <algorithm>

namespace smsim::memory {

L0Cache::L0Cache(const Shape &shape) : shape_(shape) {
    // A stream longer than the cache would push out the line that it follows.
    shape_.prefetch = std::min(shape_.prefetch, shape_.capacity - 1);
}

std::uint64_t L0Cache::add_program(std::uint64_t lines) {
    const std::uint64_t first = lines_.size();
    lines_.resize(first + lines, Line{kAbsent, 0, false, first + lines});
    return first;
}

L0Cache::Answer L0Cache::fetch_slow(std::uint64_t line, Time at) {
    Line &entry = lines_[line];
    if (entry.ready == kAbsent) {
        bring(line, at + shape_.miss, false);
        for (std::uint64_t k = 1; k <= shape_.prefetch && line + k < entry.end; ++k) {
            if (lines_[line + k].ready == kAbsent) {
                bring(line + k, at + shape_.miss + k * shape_.period, true);
            }
        }
        return {at + shape_.miss, false};
    }
    entry.used = ++uses_;
    const bool is_hit = entry.ready <= at;
    const Time done = std::max(entry.ready, at + shape_.hit);
    if (entry.ahead) {
        entry.ahead = false;
        const std::uint64_t tail = line + shape_.prefetch;
        if (tail < entry.end && lines_[tail].ready == kAbsent) {
            bring(tail, at + shape_.miss, true);
        }
    }
    return {done, is_hit};
}

void L0Cache::bring(std::uint64_t line, Time ready, bool ahead) {
    if (resident_.size() >= shape_.capacity) {
        const auto oldest = std::ranges::min_element(
            resident_, [this](std::uint64_t a, std::uint64_t b) { return lines_[a].used < lines_[b].used; });
        lines_[*oldest].ready = kAbsent;
        *oldest = line;
    } else {
        resident_.push_back(line);
    }
    lines_[line] = {ready, ++uses_, ahead, lines_[line].end};
}

} // namespace smsim::memory
