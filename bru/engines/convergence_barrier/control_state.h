// The control state of one warp under convergence barriers (bru.md "State of a warp"), and its conversion to named
// fields.
#pragma once

#include <array>

#include "model/state/control_snapshot.h"
#include "model/types.h"

namespace smsim::bru::convergence_barrier {

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

/// The fields of this engine: ActivePC, eight masks, B0 to B15, and the addresses of the threads that wait.
std::span<const ControlField> control_fields();
/// `state` as values of those fields.
ControlSnapshot snapshot_of(const ControlState &state);
/// The inverse; requires a snapshot of this engine. RPC of threads that do not wait is as the engine holds it.
ControlState state_of(const ControlSnapshot &snapshot);

} // namespace smsim::bru::convergence_barrier
