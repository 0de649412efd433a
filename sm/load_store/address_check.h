// Whether the addresses of a memory instruction are legal, as far as the instruction itself decides it: alignment, and
// the windows of shared and local memory. Plain C++; known before the access starts, so its exceptions are precise.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "model/error.h"
#include "model/isa/instruction.h"
#include "model/types.h"

namespace smsim::sm {

/// The fault of the lowest thread of `lanes` whose access of `bytes` (a power of two) at its address is not allowed:
/// MisalignedAddress when it is not a multiple of `bytes`; IllegalAddress when shared or local memory, which `spec`
/// says whether it is, does not hold all of it in its `window_bytes` (below 2^32). Nothing when all are legal; whether
/// a global address exists is known to the memory alone.
std::optional<FaultReport> address_fault(const isa::OpSpec &spec, std::uint32_t bytes, LaneMask lanes,
                                         const std::array<std::uint64_t, kLanes> &address, std::uint64_t window_bytes);

} // namespace smsim::sm
