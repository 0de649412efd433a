// The checks of WARPSYNC.
#include "bru/engines/token_stack/warpsync.h"

#include <fmt/format.h>

namespace smsim::bru::token_stack {

Effect warpsync(ControlState &state, LaneMask arriving, const std::array<LaneMask, kLanes> &members) {
    Effect effect;
    for (LaneMask rest = arriving; rest.any(); rest &= ~LaneMask::lane(rest.lowest())) {
        const unsigned lane = rest.lowest();
        if (!members[lane].test(lane)) {
            effect.violation =
                Violation{Fault::kWarpSyncMembership,
                          fmt::format("thread {} executes WARPSYNC with member mask {:#010x}, which does not name it",
                                      lane, members[lane].bits()),
                          lane};
            return effect;
        }
    }
    for (LaneMask rest = arriving; rest.any(); rest &= ~LaneMask::lane(rest.lowest())) {
        const unsigned lane = rest.lowest();
        const LaneMask missing = members[lane] & state.valid & ~arriving;
        if (missing.any()) {
            effect.violation = Violation{
                Fault::kWarpSyncDiverged,
                fmt::format("thread {} names threads {:#010x}, which are not here; threads of one warp that have gone "
                            "different ways meet at the end of their region only",
                            lane, missing.bits()),
                lane};
            return effect;
        }
    }
    next_instruction(state);
    return effect;
}

} // namespace smsim::bru::token_stack
