// Arithmetic of addresses, cache lines and their sectors. Plain C++; nothing overflows at the end of the addresses.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace smsim::memory::l1 {

/// Some of the sectors of one line: bit i stands for the i-th.
using Sectors = std::uint32_t;

/// The size of a line and of its sectors. A line is identified by the address of its first byte.
class LineSize {
  public:
    static constexpr std::uint32_t kMaxSectors = 32;

    /// `bytes` is a power of two from 2; so is `sector_bytes`, from `bytes / kMaxSectors` to `bytes`.
    LineSize(std::uint32_t bytes, std::uint32_t sector_bytes)
        : bytes_(bytes), shift_(static_cast<unsigned>(std::countr_zero(bytes))),
          sector_shift_(static_cast<unsigned>(std::countr_zero(sector_bytes))) {}
    /// Lines that are one sector.
    explicit LineSize(std::uint32_t bytes) : LineSize(bytes, bytes) {}

    std::uint32_t bytes() const { return bytes_; }
    /// The line that holds `address`.
    std::uint64_t line_of(std::uint64_t address) const { return address & ~std::uint64_t{bytes_ - 1}; }
    /// Position of a line among all lines.
    std::uint64_t number_of(std::uint64_t line) const { return line >> shift_; }
    /// Whether `line` holds some byte of the `span` bytes from `address` on; false for 0 bytes.
    bool touches(std::uint64_t line, std::uint64_t address, std::uint64_t span) const {
        return span != 0 && (address - line < bytes_ || line - address < span);
    }
    /// Whether one line holds the `span` (at least 1) bytes from `address` on.
    bool in_one_line(std::uint64_t address, std::uint64_t span) const {
        return address + (span - 1) - line_of(address) < bytes_;
    }
    /// The sectors of `line` that hold some of the `span` bytes from `address` on.
    Sectors touched(std::uint64_t line, std::uint64_t address, std::uint64_t span) const {
        if (!touches(line, address, span)) {
            return 0;
        }
        const bool begins_here = address - line < bytes_;
        const std::uint64_t first = begins_here ? address - line : 0;
        const std::uint64_t rest = span - 1 - (begins_here ? 0 : line - address); // bytes after the first one
        const std::uint64_t last = first + std::min(rest, bytes_ - 1 - first);
        const std::uint64_t up_to_last = (std::uint64_t{2} << (last >> sector_shift_)) - 1;
        return static_cast<Sectors>(up_to_last >> (first >> sector_shift_) << (first >> sector_shift_));
    }
    /// The same for at least 1 byte, all in one line.
    Sectors touched_in_line(std::uint64_t address, std::uint64_t span) const {
        const std::uint64_t first = address & (bytes_ - 1);
        const std::uint64_t up_to_last = (std::uint64_t{2} << ((first + (span - 1)) >> sector_shift_)) - 1;
        return static_cast<Sectors>(up_to_last >> (first >> sector_shift_) << (first >> sector_shift_));
    }
    /// Calls `use(address, bytes)` for each contiguous stretch of the `span` bytes from `address` on, which lie in
    /// `line`, that `sectors` hold, in order of addresses.
    template <typename Use>
    void for_each_part(std::uint64_t line, Sectors sectors, std::uint64_t address, std::uint64_t span, Use use) const {
        const std::uint64_t first = address - line;
        std::uint64_t left = sectors & touched(line, address, span);
        while (left != 0) {
            const auto from = static_cast<unsigned>(std::countr_zero(left));
            const auto to = from + static_cast<unsigned>(std::countr_one(left >> from));
            const std::uint64_t begin = std::max(std::uint64_t{from} << sector_shift_, first);
            const std::uint64_t end = std::min(std::uint64_t{to} << sector_shift_, first + span);
            use(line + begin, end - begin);
            left = left >> to << to;
        }
    }

  private:
    std::uint32_t bytes_;
    unsigned shift_;
    unsigned sector_shift_;
};

} // namespace smsim::memory::l1
