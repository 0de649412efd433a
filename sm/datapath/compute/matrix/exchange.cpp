// Moves rows of 8x8 matrices between bytes and lanes.
#include "sm/datapath/compute/matrix/exchange.h"

namespace smsim::sm::compute::matrix {

void put_row(const std::uint8_t *bytes, unsigned row, bool transposed, Row &destination) {
    for (unsigned i = 0; i < kExchangeRows; ++i) {
        const RegisterHalf place = place_of_element(row, i, transposed);
        const std::uint32_t element = bytes[2 * i] | static_cast<std::uint32_t>(bytes[2 * i + 1]) << 8;
        std::uint32_t &lane = destination.lane[place.lane];
        lane = (lane & ~(0xffffU << place.shift)) | element << place.shift;
    }
}

void take_row(const Row &source, unsigned row, bool transposed, std::uint8_t *bytes) {
    for (unsigned i = 0; i < kExchangeRows; ++i) {
        const RegisterHalf place = place_of_element(row, i, transposed);
        const std::uint32_t element = source.lane[place.lane] >> place.shift;
        bytes[2 * i] = static_cast<std::uint8_t>(element);
        bytes[2 * i + 1] = static_cast<std::uint8_t>(element >> 8);
    }
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
