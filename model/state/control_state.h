// The control state of one warp under the convergence-barrier engine (bru.md "State of a warp"): plain data, shared by
// the BRU, traces, snapshots and test benches.
#pragma once

#include <array>

#include "model/types.h"

namespace smsim {

struct ControlState {
    Pc active_pc = 0;                               ///< ActivePC
    std::array<Pc, kLanes> rpc{};                   ///< RPC; undefined for active threads
    LaneMask valid;                                 ///< ValidMask
    LaneMask active;                                ///< ActiveMask
    LaneMask yield;                                 ///< YieldMask
    LaneMask sleep;                                 ///< SleepMask
    LaneMask switch_set;                            ///< SwitchMask
    LaneMask wait;                                  ///< WaitMask [D-1]
    LaneMask wait_bar;                              ///< WaitBarMask
    LaneMask turn;                                  ///< TurnMask [D-14]
    std::array<LaneMask, kConvergenceBarriers> b{}; ///< B0..B15

    friend bool operator==(const ControlState &, const ControlState &) = default;
};

} // namespace smsim
