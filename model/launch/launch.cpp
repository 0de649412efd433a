// Types of elements and the argument block. Contents of buffers and their checks are in other files (contents.h,
// check.cpp).
#include "model/launch/launch.h"

#include <array>
#include <stdexcept>
#include <type_traits>

#include <fmt/format.h>

#include "model/launch/elements.h"

namespace smsim::launch {

namespace {

constexpr std::array<std::string_view, kElementTypes> kNames = {"u8",  "u16", "u32", "u64", "s8",
                                                                "s16", "s32", "s64", "f32", "f64"};
constexpr std::array<unsigned, kElementTypes> kBytes = {1, 2, 4, 8, 1, 2, 4, 8, 4, 8};

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

} // namespace smsim::launch
