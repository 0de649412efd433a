// A line is allocated only when it has missed before not long ago; the first miss of a line bypasses. Streams that are
// read once leave the lines to data that is read again. After Li et al., "Locality-Driven Dynamic GPU Cache Bypassing",
// ICS 2015, who count the reuse of lines in a tag store that is larger than the cache; here a table remembers the last
// line that missed for each hash of a line, with as many entries as the cache has lines.
#pragma once

#include <bit>
#include <cstddef>
#include <vector>

#include "memory/l1/bypass.h"

namespace smsim::memory::l1::policies {

class LowReuse final : public Bypass {
  public:
    /// For a cache of `lines` lines of `line_bytes` bytes, a power of two.
    LowReuse(std::uint64_t lines, std::uint32_t line_bytes)
        : shift_(static_cast<unsigned>(std::countr_zero(line_bytes))), missed_(std::bit_ceil(lines), kNone) {}

    bool bypasses(const Read &read) override {
        std::uint64_t &last = missed_[hash(read.line >> shift_) & (missed_.size() - 1)];
        const bool is_first = last != read.line;
        last = read.line;
        return is_first;
    }

  private:
    static constexpr std::uint64_t kNone = ~std::uint64_t{0}; ///< no line has an odd address

    /// Mixes the upper bits in, as lines with equal lower ones are often read together.
    static std::uint64_t hash(std::uint64_t number) { return number * 0x9e3779b97f4a7c15 >> 32; }

    unsigned shift_;
    std::vector<std::uint64_t> missed_;
};

} // namespace smsim::memory::l1::policies
