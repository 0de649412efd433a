// How warps start and what may happen to them after an instruction: plain data shared by all parts.
#pragma once

#include <array>
#include <cstdint>

#include "model/types.h"

namespace smsim {

struct LaunchContext;
struct WarpResume;

/// What happens to a warp after an instruction that a unit has executed.
enum class Outcome : std::uint8_t {
    kContinue, ///< continues at the next PC with the next active mask
    kSleep,    ///< the same, but only after a wake (bru.md Elect 4)
    kBlocked,  ///< waits for a wake (CTA barrier)
    kExited,   ///< no valid thread left
};

/// Everything a part must know about a warp that starts.
struct WarpStart {
    SmId sm;       ///< the SM that it starts on
    WarpSlot warp; ///< of that SM
    CtaSlot cta;
    std::uint64_t cta_number = 0;          ///< linear CTA index in the grid
    std::array<std::uint32_t, 3> cta_id{}; ///< x, y, z
    std::uint32_t warp_in_cta = 0;
    std::uint32_t warps_in_cta = 0;
    Pc entry = 0;                  ///< address of its first instruction; for a resumed warp: of the next one
    LaneMask valid;                ///< from the block size
    std::uint64_t age = 0;         ///< start order over the launch
    std::uint32_t registers = 0;   ///< per thread
    std::uint64_t shared_base = 0; ///< base of the CTA's window in shared memory
    std::uint32_t shared_bytes = 0;
    Pc code_bytes = 0;                     ///< size of the program: the limit of every jump target
    std::uint64_t code_base = 0;           ///< address of the program in instruction memory
    const LaunchContext *launch = nullptr; ///< common data of the launch's warps; null in benches of parts that do not
                                           ///< need it
    const WarpResume *resume = nullptr;    ///< the state from which it resumes in mid-flight; null: it starts at the
                                           ///< beginning
};

} // namespace smsim
