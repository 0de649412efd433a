// A launch that is under way when its time begins: the CTAs that are on the SM then, and what is left of the grid.
// Plain C++.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/state/warp_resume.h"
#include "sm/dispatch/cta_allocator.h"

namespace smsim::sm {

struct MidFlight {
    struct Cta {
        std::uint64_t number = 0; ///< in the grid
        CtaPlace place;
        std::vector<std::optional<WarpResume>>
            warps; ///< by number in the CTA; none: it has ended, and its slot is free
    };

    CtaAllocator allocator;  ///< with these CTAs placed, of the configuration of the SM
    std::vector<Cta> ctas;   ///< in the order of their start
    std::uint64_t next = 0;  ///< the first CTA that has not begun
    std::uint64_t ended = 0; ///< CTAs
};

} // namespace smsim::sm
