// Contents of buffers, generated in pieces: a buffer may be too large to hold twice.
#include "model/launch/contents.h"

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "model/error.h"
#include "model/launch/elements.h"

namespace smsim::launch {
namespace {

template <typename T> T random_element(const Random &random, std::uint64_t index) {
    const std::uint64_t word = random_word(random.seed, index);
    if constexpr (std::is_floating_point_v<T>) {
        const double low = std::get<double>(random.low);
        const double high = std::get<double>(random.high);
        const double unit = std::is_same_v<T, float> ? static_cast<double>(word >> 40) * 0x1p-24
                                                     : static_cast<double>(word >> 11) * 0x1p-53;
        return static_cast<T>(low + (high - low) * unit);
    } else {
        // Modulo 2^64 the same sum serves signed and unsigned types; a span of 0 means all 2^64 values.
        const auto low = element_from<std::uint64_t>(random.low);
        const std::uint64_t span = element_from<std::uint64_t>(random.high) - low + 1;
        return static_cast<T>(low + (span == 0 ? word : word % span));
    }
}

template <typename T> T pattern_element(const Pattern &pattern, std::uint64_t index) {
    const std::uint64_t factor = pattern.modulo == 0 ? index : index % pattern.modulo;
    if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(std::get<double>(pattern.start) +
                              std::get<double>(pattern.step) * static_cast<double>(factor));
    } else {
        return static_cast<T>(element_from<std::uint64_t>(pattern.start) +
                              element_from<std::uint64_t>(pattern.step) * factor);
    }
}

} // namespace

std::uint64_t random_word(std::uint64_t seed, std::uint64_t index) {
    std::uint64_t word = seed + (index + 1) * 0x9e3779b97f4a7c15ULL;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ULL;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebULL;
    return word ^ (word >> 31);
}

Value pattern_value(ElementType type, const Pattern &pattern, std::uint64_t index) {
    return with_type(type, [&](auto sample) -> Value {
        using T = decltype(sample);
        const T element = pattern_element<T>(pattern, index);
        if constexpr (std::is_floating_point_v<T>) {
            return static_cast<double>(element);
        } else if constexpr (std::is_signed_v<T>) {
            return static_cast<std::int64_t>(element);
        } else {
            return static_cast<std::uint64_t>(element);
        }
    });
}

Contents::Contents(ElementType type, std::uint64_t count, const Init &init, std::string place)
    : type_(type), init_(init), place_(std::move(place)), bytes_(count * element_bytes(type)) {
    if (const auto *file = std::get_if<FileData>(&init)) {
        try {
            file_.emplace(file->path);
        } catch (const InputError &error) {
            throw InputError(fmt::format("{}: file {}", place_, error.what()));
        }
    } else if (const auto *values = std::get_if<Values>(&init); values != nullptr && values->values.size() != count) {
        throw std::invalid_argument("Contents: another number of values than elements");
    }
}

std::span<const std::uint8_t> Contents::next() {
    piece_.resize(std::min(kPieceBytes, bytes_ - given_));
    if (file_) {
        read();
    } else {
        make();
    }
    given_ += piece_.size();
    return piece_;
}

/// The next bytes of the file, which must end or continue as it did when the launch file was read.
void Contents::read() {
    const std::string &path = std::get<FileData>(init_).path;
    try {
        std::uint8_t behind = 0;
        if (file_->read(piece_) != piece_.size() ||
            (given_ + piece_.size() == bytes_ && file_->read({&behind, 1}) != 0)) {
            throw InputError(fmt::format("'{}' no longer has {} bytes", path, bytes_));
        }
    } catch (const InputError &error) {
        throw InputError(fmt::format("{}: file {}", place_, error.what()));
    }
}

void Contents::make() {
    with_type(type_, [this](auto sample) {
        using T = decltype(sample);
        const auto fill = [this](auto element) {
            const std::uint64_t first = given_ / sizeof(T);
            for (std::size_t i = 0; i * sizeof(T) < piece_.size(); ++i) {
                store<T>(&piece_[i * sizeof(T)], element(first + i));
            }
        };
        if (const auto *constant = std::get_if<Constant>(&init_)) {
            fill([value = element_from<T>(constant->value)](std::uint64_t) { return value; });
        } else if (const auto *random = std::get_if<Random>(&init_)) {
            fill([random](std::uint64_t i) { return random_element<T>(*random, i); });
        } else if (const auto *pattern = std::get_if<Pattern>(&init_)) {
            fill([pattern](std::uint64_t i) { return pattern_element<T>(*pattern, i); });
        } else if (const auto *values = std::get_if<Values>(&init_)) {
            fill([values](std::uint64_t i) { return element_from<T>(values->values[i]); });
        } // otherwise zeros, which have not been overwritten
    });
}

std::vector<std::uint8_t> contents(ElementType type, std::uint64_t count, const Init &init, const std::string &place) {
    Contents made(type, count, init, place);
    std::vector<std::uint8_t> all;
    all.reserve(count * element_bytes(type));
    for (std::span<const std::uint8_t> piece = made.next(); !piece.empty(); piece = made.next()) {
        all.insert(all.end(), piece.begin(), piece.end());
    }
    return all;
}

std::vector<std::uint8_t> initial_bytes(const Argument &argument) {
    return contents(argument.type, argument.is_buffer ? argument.count : 0, argument.init, argument.place);
}

} // namespace smsim::launch
