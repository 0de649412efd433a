#include "model/transactions/bytes.h"

#include <fmt/format.h>

#include "model/error.h"

namespace smsim::transactions {

void ByteWriter::number(std::uint64_t value) {
    constexpr unsigned kBits = 7;
    for (; value >= 0x80; value >>= kBits) {
        byte(static_cast<std::uint8_t>(value | 0x80));
    }
    byte(static_cast<std::uint8_t>(value));
}

void ByteWriter::fixed(std::uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
        byte(static_cast<std::uint8_t>(value >> (8 * i)));
    }
}

void ByteWriter::text(std::string_view value) {
    number(value.size());
    bytes_.insert(bytes_.end(), value.begin(), value.end());
}

void ByteReader::refuse(const std::string &reason) const {
    fail_(at_, reason);
    throw InputError(reason); // never reached: `fail` throws
}

std::span<const std::uint8_t> ByteReader::raw(std::uint64_t count) {
    if (count > bytes_.size() - at_) {
        refuse(fmt::format("{} bytes are needed, {} are left", count, bytes_.size() - at_));
    }
    const auto part = bytes_.subspan(at_, count);
    at_ += count;
    return part;
}

std::uint8_t ByteReader::below(std::uint8_t limit, const char *what) {
    const std::uint8_t value = byte();
    if (value >= limit) {
        refuse(fmt::format("{} is no {}", value, what));
    }
    return value;
}

std::uint64_t ByteReader::number() {
    constexpr unsigned kBits = 7;
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += kBits) {
        const std::uint8_t next = byte();
        const std::uint64_t bits = next & 0x7fU;
        if ((bits << shift) >> shift != bits) {
            break;
        }
        value |= bits << shift;
        if ((next & 0x80U) == 0) {
            return value;
        }
    }
    refuse("a number of more than 64 bits");
}

std::uint32_t ByteReader::number32() {
    const std::uint64_t value = number();
    if (value > 0xffffffffU) {
        refuse(fmt::format("{} is not a 32-bit number", value));
    }
    return static_cast<std::uint32_t>(value);
}

std::uint64_t ByteReader::fixed(unsigned count) {
    const auto bytes = raw(count);
    std::uint64_t value = 0;
    for (unsigned i = 0; i < count; ++i) {
        value |= std::uint64_t{bytes[i]} << (8 * i);
    }
    return value;
}

std::string ByteReader::text() {
    const auto bytes = raw(number());
    return {bytes.begin(), bytes.end()};
}

} // namespace smsim::transactions
