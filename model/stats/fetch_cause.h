// What a warp waits for while its next instruction is not in its buffer: the breakdown of the stall reason
// no_instruction.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "model/types.h"

namespace smsim {

enum class FetchCause : std::uint8_t {
    kFetch,     ///< its turn of the fetch, the fetch from L0, decoding
    kRedirect,  ///< the same, for the first instruction after a jump
    kL1Request, ///< it is requested, and the L1 has not taken the request yet
    kL1,        ///< an L0 miss that the L1 serves
    kBehindL1,  ///< an L0 miss that is served by the level below the L1
    kStream,    ///< a prefetched line on its way
};
inline constexpr unsigned kFetchCauses = 6;

/// "l1_request" and so on.
constexpr std::string_view fetch_cause_name(FetchCause cause) {
    constexpr std::array<std::string_view, kFetchCauses> kNames = {"fetch", "redirect",  "l1_request",
                                                                   "l1",    "behind_l1", "stream"};
    return kNames[static_cast<std::size_t>(cause)];
}

/// Warp-cycles by cause; they add up to those of no_instruction.
using FetchCauseCycles = std::array<Cycle, kFetchCauses>;

} // namespace smsim
