// Moves 8x8 matrices between the words of their rows and lanes. Transposed, two rows are the halves of the same lanes.
#include "sm/datapath/compute/matrix/exchange.h"

#include <cstring>

namespace smsim::sm::compute::matrix {

namespace {

constexpr std::uint32_t kLower = 0xffff;

/// The lane with elements `row` and `row + 1` of column `column`.
constexpr unsigned lane_of_pair(unsigned row, unsigned column) {
    return place_of_element(row, column, true).lane;
}

} // namespace

void put_matrix(const ExchangeWords &words, bool transposed, Row &destination) {
    if (!transposed) {
        std::memcpy(destination.lane, words.data(), sizeof words);
        return;
    }
    for (unsigned row = 0; row < kExchangeRows; row += 2) {
        for (unsigned word = 0; word < words[row].size(); ++word) {
            const std::uint32_t first = words[row][word];
            const std::uint32_t second = words[row + 1][word];
            destination.lane[lane_of_pair(row, 2 * word)] = (first & kLower) | second << 16;
            destination.lane[lane_of_pair(row, 2 * word + 1)] = first >> 16 | (second & ~kLower);
        }
    }
}

ExchangeWords take_matrix(const Row &source, bool transposed) {
    ExchangeWords words;
    if (!transposed) {
        std::memcpy(words.data(), source.lane, sizeof words);
        return words;
    }
    for (unsigned row = 0; row < kExchangeRows; row += 2) {
        for (unsigned word = 0; word < words[row].size(); ++word) {
            const std::uint32_t even = source.lane[lane_of_pair(row, 2 * word)];
            const std::uint32_t odd = source.lane[lane_of_pair(row, 2 * word + 1)];
            words[row][word] = (even & kLower) | odd << 16;
            words[row + 1][word] = even >> 16 | (odd & ~kLower);
        }
    }
    return words;
}

void transpose8x8(const Row &from, Row &to) {
    Row result{};
    for (unsigned row = 0; row < kExchangeRows; ++row) {
        for (unsigned i = 0; i < kExchangeRows; ++i) {
            const RegisterHalf source = place_of_element(row, i, false);
            const RegisterHalf place = place_of_element(row, i, true);
            result.lane[place.lane] |= (from.lane[source.lane] >> source.shift & 0xffffU) << place.shift;
        }
    }
    to = result;
}

} // namespace smsim::sm::compute::matrix
