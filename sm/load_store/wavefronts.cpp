#include "sm/load_store/wavefronts.h"

#include <algorithm>

namespace smsim::sm {
namespace {

/// The banks of the words of a piece, one bit each.
std::uint32_t banks_of(const Piece &piece) {
    return ((1U << (piece.bytes + 3U) / 4U) - 1U) << (piece.address / 4 % 32);
}

} // namespace

std::uint32_t TagBanks::other_bank(std::uint64_t line) const {
    if (fold_ == 0) {
        return static_cast<std::uint32_t>(line % banks_);
    }
    std::uint64_t bank = 0;
    for (; line != 0; line >>= fold_) {
        bank ^= line;
    }
    return static_cast<std::uint32_t>(bank) & (banks_ - 1);
}

std::uint32_t TagBanks::wavefronts(std::span<const Transaction> transactions) const {
    if (banks_ == 1) {
        return std::max(static_cast<std::uint32_t>(transactions.size()), 1U);
    }
    std::array<std::uint8_t, 32> lines{};
    std::uint8_t most = 1;
    for (const Transaction &transaction : transactions) {
        most = std::max(most, ++lines[bank_of(transaction.address)]);
    }
    return most;
}

void DataWavefronts::add(const Transaction &transaction) {
    if (phases_ == 1) [[likely]] {
        std::uint32_t banks = 0;
        for (const Piece &piece : transaction.pieces) {
            banks |= banks_of(piece);
        }
        add(counts_[0], banks);
        return;
    }
    std::array<std::uint32_t, 4> banks{};
    for (const Piece &piece : transaction.pieces) {
        banks[piece.lane >> phase_shift_] |= banks_of(piece);
    }
    for (std::uint32_t phase = 0; phase < phases_; ++phase) {
        add(counts_[phase], banks[phase]);
    }
}

/// Adds 1 to the numbers of `banks`.
void DataWavefronts::add(Counts &counts, std::uint32_t banks) {
    for (std::size_t i = 0; banks != 0 && i < counts.size(); ++i) {
        const std::uint32_t carry = counts[i] & banks;
        counts[i] ^= banks;
        banks = carry;
    }
}

std::uint32_t DataWavefronts::most(const Counts &counts) {
    std::uint32_t most = 0;
    std::uint32_t having = ~0U; // the banks that have the bits of `most` so far
    for (unsigned bit = kBits; bit-- > 0;) {
        if ((counts[bit] & having) != 0) {
            having &= counts[bit];
            most |= 1U << bit;
        }
    }
    return most;
}

Wavefronts DataWavefronts::total() const {
    Wavefronts total{.phases = phases_};
    for (std::uint32_t phase = 0; phase < phases_; ++phase) {
        const std::uint32_t wavefronts = most(counts_[phase]);
        total.data += wavefronts;
        total.ideal += wavefronts != 0 ? 1 : 0;
    }
    return total;
}

Wavefronts wavefronts_of_row(LaneMask lanes, std::uint32_t phases) {
    std::uint32_t served = 1; // those with a thread
    if (phases > 1) [[unlikely]] {
        const unsigned threads = kLanes / phases;
        served = 0;
        for (std::uint32_t phase = 0; phase < phases; ++phase) {
            served += (lanes.bits() >> phase * threads & ((1U << threads) - 1)) != 0 ? 1 : 0;
        }
    }
    return {.tags = 1, .data = served, .ideal = served, .phases = phases};
}

Wavefronts wavefronts_of(std::span<const Transaction> transactions, std::uint32_t phases, const TagBanks &tags) {
    DataWavefronts data(phases);
    for (const Transaction &transaction : transactions) {
        data.add(transaction);
    }
    Wavefronts total = data.total();
    total.tags = tags.wavefronts(transactions);
    return total;
}

} // namespace smsim::sm
