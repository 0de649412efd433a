// The constant banks that instructions read.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace smsim {

/// Contents of the constant banks; a bank that does not exist is empty.
using ConstantBanks = std::array<std::span<const std::uint8_t>, 32>;

} // namespace smsim
