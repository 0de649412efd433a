// Extents and indices of grids and CTAs.
#pragma once

#include <cstdint>

namespace smsim {

/// Extent or index in the three dimensions of a grid or CTA.
struct Dim3 {
    std::uint32_t x = 1;
    std::uint32_t y = 1;
    std::uint32_t z = 1;
    friend bool operator==(const Dim3 &, const Dim3 &) = default;
};

} // namespace smsim
