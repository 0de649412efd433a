// Contents of buffers, the argument block and checks: everything about a launch but reading its file.
#include "model/launch/launch.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <type_traits>

#include <fmt/format.h>

#include "model/error.h"
#include "model/text/input_file.h"

namespace smsim::launch {

static_assert(std::endian::native == std::endian::little, "buffers and files are little endian");

namespace {

constexpr std::array<std::string_view, kElementTypes> kNames = {"u8",  "u16", "u32", "u64", "s8",
                                                                "s16", "s32", "s64", "f32", "f64"};
constexpr std::array<unsigned, kElementTypes> kBytes = {1, 2, 4, 8, 1, 2, 4, 8, 4, 8};

/// Calls `body` with a value of the C++ type that stands for `type`.
template <typename Body> decltype(auto) with_type(ElementType type, Body &&body) {
    switch (type) {
    case ElementType::kU8:
        return body(std::uint8_t{});
    case ElementType::kU16:
        return body(std::uint16_t{});
    case ElementType::kU32:
        return body(std::uint32_t{});
    case ElementType::kU64:
        return body(std::uint64_t{});
    case ElementType::kS8:
        return body(std::int8_t{});
    case ElementType::kS16:
        return body(std::int16_t{});
    case ElementType::kS32:
        return body(std::int32_t{});
    case ElementType::kS64:
        return body(std::int64_t{});
    case ElementType::kF32:
        return body(float{});
    case ElementType::kF64:
        break;
    }
    return body(double{});
}

template <typename T> T element_from(const Value &value) {
    return std::visit([](auto held) { return static_cast<T>(held); }, value);
}

template <typename T> void store(std::uint8_t *to, T value) {
    std::memcpy(to, &value, sizeof value);
}

template <typename T> T load(const std::uint8_t *from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

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

std::vector<std::uint8_t> read_exactly(const std::string &path, std::uint64_t bytes, const std::string &place) {
    std::vector<std::uint8_t> data;
    try {
        data = text::read_bytes(path, kMaxBufferBytes);
    } catch (const InputError &error) {
        throw InputError(fmt::format("{}: file {}", place, error.what()));
    }
    if (data.size() != bytes) {
        throw InputError(fmt::format("{}: file '{}' no longer has {} bytes", place, path, bytes));
    }
    return data;
}

/// `count` elements of `type` from values written out.
std::vector<std::uint8_t> encode(ElementType type, const std::vector<Value> &values) {
    const unsigned size = element_bytes(type);
    std::vector<std::uint8_t> data(values.size() * size);
    with_type(type, [&](auto sample) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            store(&data[i * size], element_from<decltype(sample)>(values[i]));
        }
    });
    return data;
}

bool same_bits(float a, float b) {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}
bool same_bits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

template <typename T> bool agrees(T got, T expected, const Check &check) {
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(got) || std::isnan(expected)) {
            switch (check.nan) {
            case NanRule::kAny:
                return std::isnan(got) && std::isnan(expected);
            case NanRule::kBits:
                return same_bits(got, expected);
            case NanRule::kNever:
                return false;
            }
        }
        if (got == expected) {
            return true;
        }
        if (std::isinf(got) || std::isinf(expected)) {
            return false;
        }
    } else {
        if (got == expected) {
            return true;
        }
        if (check.absolute == 0 && check.relative == 0) {
            return false; // 64-bit integers that differ can be the same double
        }
    }
    const double want = static_cast<double>(expected);
    return std::fabs(static_cast<double>(got) - want) <= check.absolute + check.relative * std::fabs(want);
}

} // namespace

std::string_view element_name(ElementType type) {
    return kNames.at(static_cast<std::size_t>(type));
}

unsigned element_bytes(ElementType type) {
    return kBytes.at(static_cast<std::size_t>(type));
}

bool is_float(ElementType type) {
    return type == ElementType::kF32 || type == ElementType::kF64;
}

std::uint64_t random_word(std::uint64_t seed, std::uint64_t index) {
    std::uint64_t word = seed + (index + 1) * 0x9e3779b97f4a7c15ULL;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ULL;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebULL;
    return word ^ (word >> 31);
}

std::vector<std::uint8_t> parameter_bytes(const Launch &launch, std::span<const std::uint64_t> addresses) {
    if (addresses.size() != launch.arguments.size()) {
        throw std::invalid_argument("parameter_bytes: one address per argument is needed");
    }
    std::vector<std::uint8_t> block;
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
        const Argument &argument = launch.arguments[i];
        const std::size_t size = argument.is_buffer ? sizeof(std::uint64_t) : element_bytes(argument.type);
        const std::size_t offset = (block.size() + size - 1) / size * size;
        block.resize(offset + size);
        if (argument.is_buffer) {
            store(&block[offset], addresses[i]);
        } else {
            with_type(argument.type,
                      [&](auto sample) { store(&block[offset], element_from<decltype(sample)>(argument.value)); });
        }
    }
    return block;
}

std::vector<std::uint8_t> initial_bytes(const Argument &argument) {
    return contents(argument.type, argument.is_buffer ? argument.count : 0, argument.init, argument.place);
}

std::vector<std::uint8_t> contents(ElementType type, std::uint64_t count, const Init &init, const std::string &place) {
    const unsigned size = element_bytes(type);
    if (const auto *file = std::get_if<FileData>(&init)) {
        return read_exactly(file->path, count * size, place);
    }
    if (const auto *values = std::get_if<Values>(&init)) {
        if (values->values.size() != count) {
            throw std::invalid_argument("contents: another number of values than elements");
        }
        return encode(type, values->values);
    }
    std::vector<std::uint8_t> data(count * size);
    with_type(type, [&](auto sample) {
        using T = decltype(sample);
        const auto fill = [&](auto element) {
            for (std::uint64_t i = 0; i < count; ++i) {
                store(&data[i * size], element(i));
            }
        };
        if (const auto *constant = std::get_if<Constant>(&init)) {
            fill([value = element_from<T>(constant->value)](std::uint64_t) { return value; });
        } else if (const auto *random = std::get_if<Random>(&init)) {
            fill([random](std::uint64_t i) { return random_element<T>(*random, i); });
        } else if (const auto *pattern = std::get_if<Pattern>(&init)) {
            fill([pattern](std::uint64_t i) { return pattern_element<T>(*pattern, i); });
        }
    });
    return data;
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

std::string element_text(ElementType type, const std::uint8_t *bytes) {
    return with_type(type, [&](auto sample) {
        using T = decltype(sample);
        const T value = load<T>(bytes);
        if constexpr (std::is_floating_point_v<T>) {
            return fmt::format("{}", value);
        } else if constexpr (std::is_signed_v<T>) {
            return fmt::format("{}", static_cast<std::int64_t>(value));
        } else {
            return fmt::format("{}", static_cast<std::uint64_t>(value));
        }
    });
}

CheckResult check_buffer(const Launch &launch, const Check &check, std::span<const std::uint8_t> bytes,
                         std::size_t keep) {
    return check_buffer(launch.arguments.at(check.argument), check, bytes, keep);
}

CheckResult check_buffer(const Argument &buffer, const Check &check, std::span<const std::uint8_t> bytes,
                         std::size_t keep) {
    if (bytes.size() != buffer.bytes()) {
        throw std::invalid_argument("check_buffer: the bytes of the whole buffer are needed");
    }
    const unsigned size = element_bytes(buffer.type);
    const auto *file = std::get_if<FileData>(&check.expected);
    const std::vector<std::uint8_t> expected = file != nullptr
                                                   ? read_exactly(file->path, check.count * size, check.place)
                                                   : encode(buffer.type, std::get<Values>(check.expected).values);
    CheckResult result;
    result.buffer = buffer.name;
    result.compared = check.count;
    with_type(buffer.type, [&](auto sample) {
        using T = decltype(sample);
        for (std::uint64_t i = 0; i < check.count; ++i) {
            const std::uint8_t *got = &bytes[(check.offset + i) * size];
            const std::uint8_t *want = &expected[i * size];
            if (agrees(load<T>(got), load<T>(want), check)) {
                continue;
            }
            if (result.mismatches++ < keep) {
                result.first.push_back(
                    Mismatch{check.offset + i, element_text(buffer.type, got), element_text(buffer.type, want)});
            }
        }
    });
    return result;
}

} // namespace smsim::launch
