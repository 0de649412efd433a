// How a run treats accesses to global memory outside every buffer, and what it found of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/types.h"

namespace smsim {

/// Treatment of an access that leaves the buffers but stays in a page that contains a part of one. Every other access
/// outside is an IllegalAddress.
enum class MemoryCheck : std::uint8_t {
    kStrict, ///< IllegalAddress
    kReport, ///< performed and counted
    kOff,    ///< performed
};

/// "strict", "report" or "off".
constexpr std::string_view memory_check_name(MemoryCheck check) {
    return check == MemoryCheck::kStrict ? "strict" : check == MemoryCheck::kReport ? "report" : "off";
}

/// An instruction that accessed bytes outside every buffer, with its first such access.
struct OutsidePlace {
    Pc pc = 0;
    std::uint64_t count = 0; ///< accesses of threads
    // the first one
    Cycle cycle = 0;
    std::uint64_t cta = 0;     ///< linear number
    std::uint32_t warp = 0;    ///< in the CTA
    std::uint32_t thread = 0;  ///< in the warp
    std::uint64_t address = 0; ///< of its first byte outside
    std::string buffer{};      ///< the nearest buffer
    std::int64_t distance = 0; ///< bytes past its end, 0 for the first one there; negative: bytes before its start
};

/// Results of the check of one run; everything except `mode` stays empty unless that is kReport.
struct OutsideAccesses {
    MemoryCheck mode = MemoryCheck::kStrict;
    std::uint64_t count = 0;            ///< accesses of threads
    std::vector<OutsidePlace> places{}; ///< in order of their first access
};

} // namespace smsim
