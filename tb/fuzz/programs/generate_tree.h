// Grows random program trees.
#pragma once

#include <cstdint>

#include "tb/fuzz/programs/tree.h"

namespace smsim::fuzz {

/// The tree of a seed; the same on every host. Most are small (one or two warps, a dozen statements), so that many run
/// per second; some have up to 32 warps, several CTAs, a partial last warp.
Tree grow(std::uint64_t seed);

} // namespace smsim::fuzz
