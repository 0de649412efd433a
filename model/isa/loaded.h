// The value of a register after a load of less than a word: one rule for constant, shared, global and local memory.
#pragma once

#include <cstdint>

#include "model/isa/isa.h"

namespace smsim::isa {

/// A loaded byte or half word, zero-extended in `value`, as stored in the register: sign-extended for S8 and S16.
constexpr std::uint32_t loaded(std::uint32_t value, Access size) {
    switch (size) {
    case Access::kS8:
        return static_cast<std::uint32_t>(std::int32_t{static_cast<std::int8_t>(value)});
    case Access::kS16:
        return static_cast<std::uint32_t>(std::int32_t{static_cast<std::int16_t>(value)});
    default:
        return value;
    }
}

} // namespace smsim::isa
