// Bits of a word, counted without the instruction that a host need not have.
#pragma once

#include <cstdint>

namespace smsim {

/// How many bits of `bits` are set. std::popcount is a call where the host need not have an instruction for it.
constexpr unsigned bit_count(std::uint32_t bits) {
    std::uint32_t sums = bits - (bits >> 1U & 0x5555'5555U);    // of pairs of bits
    sums = (sums & 0x3333'3333U) + (sums >> 2U & 0x3333'3333U); // of four
    sums = (sums + (sums >> 4U)) & 0x0f0f'0f0fU;                // of eight
    return sums * 0x0101'0101U >> 24U;
}

} // namespace smsim
