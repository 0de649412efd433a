// The 128-bit instruction word as bits (encoding.md), without any knowledge of what the bits mean.
#pragma once

#include <cstdint>

namespace smsim::isa {

/// One instruction word: bits 0..63 in `lo`, 64..127 in `hi`; little-endian in memory.
struct Word {
    std::uint64_t lo = 0;
    std::uint64_t hi = 0;

    /// The field `<lsb, width>`, zero-extended; width 1..64, lsb + width <= 128.
    constexpr std::uint64_t get(unsigned lsb, unsigned width) const {
        std::uint64_t value = 0;
        if (lsb >= 64) {
            value = hi >> (lsb - 64);
        } else {
            value = lo >> lsb;
            if (lsb != 0 && lsb + width > 64) {
                value |= hi << (64 - lsb);
            }
        }
        return value & mask(width);
    }

    /// Writes the low `width` bits of `value` into the field `<lsb, width>`.
    constexpr void set(unsigned lsb, unsigned width, std::uint64_t value) {
        value &= mask(width);
        if (lsb >= 64) {
            hi = (hi & ~(mask(width) << (lsb - 64))) | (value << (lsb - 64));
            return;
        }
        lo = (lo & ~(mask(width) << lsb)) | (value << lsb);
        if (lsb != 0 && lsb + width > 64) {
            const unsigned low_bits = 64 - lsb;
            hi = (hi & ~mask(width - low_bits)) | (value >> low_bits);
        }
    }

    friend constexpr bool operator==(const Word &, const Word &) = default;

  private:
    static constexpr std::uint64_t mask(unsigned width) {
        return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    }
};

/// Sign-extends the low `width` bits of `value`; width 1..64.
constexpr std::int64_t sign_extend(std::uint64_t value, unsigned width) {
    const unsigned shift = 64 - width;
    return static_cast<std::int64_t>(value << shift) >> shift;
}

} // namespace smsim::isa
