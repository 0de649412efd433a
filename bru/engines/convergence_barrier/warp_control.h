// What the convergence-barrier engine keeps for one warp, and the few queries and changes that all its rules share.
//
// The architectural part is `ControlState`. The rules also need state that the specification does not define as masks:
// whether the last switch was a turn, the trap in progress, the order in which threads began to wait, and the threads
// that each blocked thread waits for.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "bru/engines/common/traps.h"
#include "bru/engines/convergence_barrier/control_state.h"
#include "model/types.h"

namespace smsim::bru::convergence_barrier {

struct WarpControl {
    ControlState state;
    /// The next instruction is the first after a YIELD or NANOSLEEP that switched to it (bru.md BSYNC 3).
    bool turn_given = false;
    TrapState trap;
    /// bru.election oldest and from libraries: each waiting thread's place in the order in which threads left
    /// ActiveMask, 0 the earliest. Those that left together share a place; places have no gaps, so that equal
    /// situations are equal states. 0 for active and exited threads, and for all under the other policies.
    std::array<std::uint8_t, kLanes> waiting_place{};
    /// For a thread of WaitMask: the threads it waits for. Only reports read it.
    std::array<LaneMask, kLanes> awaited{};
};

/// A warp at its start: all of `valid` active at `entry`, every other mask empty (bru.md "State of a warp").
WarpControl started(Pc entry, LaneMask valid);

/// Threads of `among` whose RPC is `pc`. The RPC of an active thread is undefined: callers exclude active threads.
LaneMask with_rpc(const ControlState &state, Pc pc, LaneMask among);

/// Updates `waiting_place` after an instruction before which `active_before` were active: valid threads that it removed
/// from ActiveMask are the last to have begun to wait.
void update_waiting_places(WarpControl &warp, LaneMask active_before);

/// bru.md Notation, `at(pc)`: valid, inactive threads at `pc`.
LaneMask standing_at(const ControlState &state, Pc pc);

/// The threads at ActivePC that can run: those that have arrived at a sync there without executing it [D-6].
LaneMask arriving(const ControlState &state);

/// RPC[lanes] = pc.
void park(ControlState &state, LaneMask lanes, Pc pc);

/// ActivePC += INST.
inline void next_instruction(ControlState &state) {
    state.active_pc += kInstructionBytes;
}

/// Some thread has made progress: no thread counts as tried without success any more (bru.md Progress).
inline void make_progress(ControlState &state) {
    state.wait = LaneMask();
    state.wait_bar = LaneMask();
}

/// Brings the state to the address of the control instruction about to be executed. The engine sees only control
/// instructions; an address other than ActivePC means that the active threads have executed other instructions since,
/// which is progress, and that this is no longer the first instruction after a switch.
void catch_up(WarpControl &warp, Pc pc);

/// Removes `lanes` from ValidMask and from every mask, including the B registers [D-2].
void remove_threads(ControlState &state, LaneMask lanes);

/// The warp's one timer has fired: SleepMask, WaitMask and WaitBarMask are cleared (bru.md NANOSLEEP, Progress).
void clear_sleep(ControlState &state);

/// The waiting threads, grouped by address and the threads they wait for: "threads 0x00000003 at 0x0040 wait for
/// 0x0000000c; ...". Active threads count as being at ActivePC. Lists the threads of `lanes`.
std::string wait_relation(const WarpControl &warp, LaneMask lanes);

/// Which threads are where and why, in one line for reports.
std::string description_of(const ControlState &state);

} // namespace smsim::bru::convergence_barrier
