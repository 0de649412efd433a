// A launch that is already under way when timing begins: the CTAs on the SM at that time, and the rest of the grid.
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
        std::vector<std::optional<WarpResume>> warps; ///< by number in the CTA; none: it has ended and its slot is free
    };

    CtaAllocator allocator;  ///< with these CTAs placed, for the configuration of the SM
    std::vector<Cta> ctas;   ///< in the order of their starts
    std::uint64_t next = 0;  ///< the first CTA that has not started
    std::uint64_t ended = 0; ///< number of ended CTAs
};

} // namespace smsim::sm
