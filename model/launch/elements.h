// Elements of buffers as values of C++ types, for generating and comparing their bytes. Not part of the library's
// public interface.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <variant>

#include "model/launch/launch.h"

namespace smsim::launch {

static_assert(std::endian::native == std::endian::little, "buffers and files are little endian");

/// Calls `body` with a value of the C++ type that corresponds to `type`.
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

/// `value` as an element of type T.
template <typename T> T element_from(const Value &value) {
    return std::visit([](auto held) { return static_cast<T>(held); }, value);
}

/// Stores `value` at `to`, aligned or not.
template <typename T> void store(std::uint8_t *to, T value) {
    std::memcpy(to, &value, sizeof value);
}

/// The value at `from`, aligned or not.
template <typename T> T load(const std::uint8_t *from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

} // namespace smsim::launch
