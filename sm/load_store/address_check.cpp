#include "sm/load_store/address_check.h"

#include <fmt/format.h>

namespace smsim::sm {

std::optional<FaultReport> address_fault(const isa::OpSpec &spec, std::uint32_t bytes, LaneMask lanes,
                                         const std::array<std::uint64_t, kLanes> &address, std::uint64_t window_bytes) {
    const bool in_shared = spec.has(isa::kShared);
    const bool has_window = in_shared || spec.has(isa::kLocal);
    // Addresses and sizes of windows have 32 bits: the difference is negative for addresses past the last legal one.
    const std::uint64_t last = window_bytes - bytes;
    std::uint64_t bits = 0;
    std::uint64_t beyond = 0;
    if (lanes == LaneMask::all()) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            bits |= address[lane];
            beyond |= last - address[lane];
        }
    } else {
        for_each_lane(lanes, [&](unsigned lane) {
            bits |= address[lane];
            beyond |= last - address[lane];
        });
    }
    const bool aligned = (bits & (bytes - 1)) == 0;
    if (aligned && (!has_window || beyond >> 63U == 0)) [[likely]] {
        return std::nullopt;
    }
    std::optional<FaultReport> fault;
    for_each_lane(lanes, [&](unsigned lane) {
        const std::uint64_t at = address[lane];
        if (fault) {
            return;
        }
        if ((at & (bytes - 1)) != 0) {
            fault = FaultReport{
                Fault::kMisalignedAddress,
                fmt::format("thread {} accesses {} bytes at {:#x}, which is not aligned to them", lane, bytes, at)};
        } else if (has_window && (at >= window_bytes || window_bytes - at < bytes)) {
            fault = FaultReport{Fault::kIllegalAddress,
                                fmt::format("thread {} accesses {} bytes at {} address {:#x}; the {} has {} bytes",
                                            lane, bytes, in_shared ? "shared" : "local", at,
                                            in_shared ? "CTA" : "thread", window_bytes)};
        }
    });
    return fault;
}

} // namespace smsim::sm
