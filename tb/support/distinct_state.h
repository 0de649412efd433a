// A control state whose masks are all different, for tests of code that displays it.
#pragma once

#include "bru/engines/convergence_barrier/control_state.h"

namespace smsim::tb {

/// At 0x30; no two masks are equal, the convergence barriers are empty.
inline bru::convergence_barrier::ControlState distinct_state() {
    bru::convergence_barrier::ControlState state;
    state.active_pc = 0x30;
    state.active = LaneMask(0x1);
    state.valid = LaneMask(0xff);
    state.yield = LaneMask(0x2);
    state.sleep = LaneMask(0x4);
    state.switch_set = LaneMask(0x8);
    state.wait = LaneMask(0x10);
    state.wait_bar = LaneMask(0x20);
    state.turn = LaneMask(0x40);
    return state;
}

} // namespace smsim::tb
