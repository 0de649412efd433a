#include "memory/l1_instruction_cache.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/error.h"

namespace smsim::memory {

L1InstructionCache::L1InstructionCache(const ICacheConfig &config)
    : latency_(config.l1_latency), miss_latency_(config.l1_miss_latency), ways_(config.l1_ways), sets_(0),
      per_cycle_(config.l1_requests_per_cycle), returns_(std::max<std::uint32_t>(config.l1_requests_per_cycle, 1)) {
    const std::uint64_t set = std::uint64_t{config.line_bytes} * config.l1_ways;
    if (set == 0 || config.l1_bytes % set != 0) {
        throw InputError(fmt::format("icache.l1_bytes: {} in lines of {} and {} ways; expected whole sets",
                                     config.l1_bytes, config.line_bytes, config.l1_ways));
    }
    sets_ = config.l1_bytes / set;
    lines_.resize(sets_ * ways_);
}

/// Looks up the line and marks it used last; a line that was not there is on its way now.
L1InstructionCache::Line &L1InstructionCache::use(std::uint64_t number, Cycle now) {
    const auto begin = lines_.begin() + static_cast<std::ptrdiff_t>(number % sets_ * ways_);
    const auto end = begin + static_cast<std::ptrdiff_t>(ways_);
    auto found =
        std::find_if(begin, end, [number](const Line &line) { return line.used != 0 && line.number == number; });
    if (found == end) {
        found = std::min_element(begin, end, [](const Line &a, const Line &b) { return a.used < b.used; });
        *found = {number, 0, now + miss_latency_};
    }
    found->used = ++uses_;
    return *found;
}

L1InstructionCache::Answer L1InstructionCache::request(std::uint64_t line, Cycle now) {
    const Cycle there = sets_ == 0 ? 0 : use(line, now).there;
    Answer answer{std::max(there, now) + latency_, there <= now};
    ++(answer.is_hit ? hits_ : misses_);
    if (per_cycle_ != 0) {
        answer.arrives = returns_.reserve(now, answer.arrives, 1);
        returns_.count_last(now, return_use_);
    }
    return answer;
}

void L1InstructionCache::invalidate() {
    std::ranges::fill(lines_, Line{});
}

} // namespace smsim::memory
