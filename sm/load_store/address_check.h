// Whether the addresses of a memory instruction are legal, as far as the instruction itself decides it: alignment, and
// the windows of shared and local memory. Plain C++; decided before the access starts, so that its exceptions are
// precise.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "model/error.h"
#include "model/isa/instruction.h"
#include "model/types.h"

namespace smsim::sm {

/// The fault of the lowest thread of `lanes` whose access of `bytes` (a power of two) at its address is not allowed:
/// MisalignedAddress when the address is not a multiple of `bytes`; IllegalAddress when the access is not entirely
/// inside the `window_bytes` (below 2^32) of shared or local memory, as given by `spec`. None when all are legal; only
/// the memory knows whether a global address exists.
std::optional<FaultReport> address_fault(const isa::OpSpec &spec, std::uint32_t bytes, LaneMask lanes,
                                         const std::array<std::uint64_t, kLanes> &address, std::uint64_t window_bytes);

} // namespace smsim::sm
