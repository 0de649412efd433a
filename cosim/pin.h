// Reading and writing the pins of a block by field: a vector pin holds a field of equal width for each sub-partition,
// warp, lane or slot (docs/pins.md "Vectors").
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cosim/block.h"
#include "model/config/config.h"
#include "model/error.h"

namespace smsim::cosim {

static_assert(std::endian::native == std::endian::little, "values of ports are little-endian numbers");

/// The longest latency that the straps of a block hold, in cycles.
inline constexpr std::uint32_t kMostStrapCycles = 0xffff;

/// One pin of `fields` fields of `width` bits each.
class Pin {
  public:
    Pin() = default;
    Pin(unsigned char *data, unsigned width, unsigned fields) : data_(data), width_(width), fields_(fields) {}

    unsigned fields() const { return fields_; }
    unsigned width() const { return width_; }

    /// The value of field `index`, whose width is at most 64 bits.
    std::uint64_t get(unsigned index = 0) const {
        const unsigned lsb = index * width_;
        std::uint64_t value = 0;
        if (width_ % 8 == 0) {
            std::memcpy(&value, data_ + lsb / 8, width_ / 8);
            return value;
        }
        for (unsigned bit = 0; bit < width_; ++bit) {
            const unsigned at = lsb + bit;
            value |= static_cast<std::uint64_t>((data_[at / 8] >> (at % 8)) & 1U) << bit;
        }
        return value;
    }
    /// Sets field `index`, whose width is at most 64 bits; excess bits are dropped.
    void put(std::uint64_t value, unsigned index = 0) const {
        const unsigned lsb = index * width_;
        if (width_ % 8 == 0) {
            std::memcpy(data_ + lsb / 8, &value, width_ / 8);
            return;
        }
        for (unsigned bit = 0; bit < width_; ++bit) {
            const unsigned at = lsb + bit;
            const auto one = static_cast<unsigned char>(1U << (at % 8));
            data_[at / 8] =
                static_cast<unsigned char>(((value >> bit) & 1U) != 0 ? data_[at / 8] | one : data_[at / 8] & ~one);
        }
    }
    /// The bytes of field `index`, whose width is a multiple of 8.
    unsigned char *bytes(unsigned index = 0) const { return data_ + std::size_t{index} * width_ / 8; }
    /// Whether some bit of the whole pin is set.
    bool any() const {
        const unsigned bytes = (width_ * fields_ + 7) / 8;
        for (unsigned i = 0; i < bytes; ++i) {
            if (data_[i] != 0) {
                return true;
            }
        }
        return false;
    }
    /// Clears the whole pin.
    void clear() const { std::memset(data_, 0, (std::size_t{width_} * fields_ + 7) / 8); }
    /// Sets all bits of the whole pin.
    void fill() const {
        for (unsigned i = 0; i < width_ * fields_; ++i) {
            data_[i / 8] = static_cast<unsigned char>(data_[i / 8] | 1U << (i % 8));
        }
    }

  private:
    unsigned char *data_ = nullptr;
    unsigned width_ = 0;
    unsigned fields_ = 0;
};

/// The number of warp slots of `block`, whose input `per_warp` has one bit for each. InputError when the configuration
/// has more, or when the block has a different number of sub-partitions (`req_valid`).
inline unsigned warps_of(const Block &block, std::string_view what, std::string_view per_warp, const Config &config) {
    unsigned warps = 0;
    unsigned subs = 0;
    for (const Port &port : block.ports()) {
        warps = port.name == per_warp ? port.bits : warps;
        subs = port.name == "req_valid" ? port.bits : subs;
    }
    if (subs != config.sm.sub_partitions) {
        throw InputError(
            fmt::format("sm.sub_partitions: {}; the block {} was built for {}", config.sm.sub_partitions, what, subs));
    }
    if (warps < config.warps()) {
        throw InputError(fmt::format("sm.warps_per_sub_partition: {} warps in all; the block {} was built for {}",
                                     config.warps(), what, warps));
    }
    return warps;
}

/// Finds the pins of a block by name. `what` names the block in messages: "bru".
class PinFinder {
  public:
    PinFinder(const Block &block, std::string what) : block_(block), what_(std::move(what)) {}

    /// The input `name` of `fields` fields of `width` bits. InputError when it is missing or has another width.
    Pin input(std::string_view name, unsigned width, unsigned fields = 1) const {
        return find(name, width, fields, true);
    }
    /// The same for an output.
    Pin output(std::string_view name, unsigned width, unsigned fields = 1) const {
        return find(name, width, fields, false);
    }

  private:
    Pin find(std::string_view name, unsigned width, unsigned fields, bool input) const {
        const char *const direction = input ? "input" : "output";
        for (const Port &port : block_.ports()) {
            if (port.name == name && port.input == input) {
                if (port.bits != width * fields) {
                    throw InputError(fmt::format("block {}: {} {} has {} bits; expected {}", what_, direction, name,
                                                 port.bits, width * fields));
                }
                return {port.data, width, fields};
            }
        }
        throw InputError(fmt::format("block {}: there is no {} {}; docs/pins.md has the pins", what_, direction, name));
    }

    const Block &block_;
    std::string what_;
};

} // namespace smsim::cosim
