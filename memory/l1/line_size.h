// Arithmetic of addresses and cache lines. Plain C++; nothing overflows at the end of the addresses.
#pragma once

#include <bit>
#include <cstdint>

namespace smsim::memory::l1 {

/// The size of a line. A line is named by the address of its first byte.
class LineSize {
  public:
    /// `bytes` is a power of two from 2.
    explicit LineSize(std::uint32_t bytes) : bytes_(bytes) {}

    std::uint32_t bytes() const { return bytes_; }
    /// The line that holds `address`.
    std::uint64_t line_of(std::uint64_t address) const { return address & ~std::uint64_t{bytes_ - 1}; }
    /// Position of a line among all lines.
    std::uint64_t number_of(std::uint64_t line) const {
        return line >> static_cast<unsigned>(std::countr_zero(bytes_));
    }
    /// `line` holds some byte of the `span` bytes from `address` on; of none of 0 bytes.
    bool touches(std::uint64_t line, std::uint64_t address, std::uint64_t span) const {
        return span != 0 && (address - line < bytes_ || line - address < span);
    }
    /// One line holds the `span` (at least 1) bytes from `address` on.
    bool in_one_line(std::uint64_t address, std::uint64_t span) const {
        return address + (span - 1) - line_of(address) < bytes_;
    }

  private:
    std::uint32_t bytes_;
};

} // namespace smsim::memory::l1
