// The control state of one warp under a stack of masks (engines.md simt_stack), and its presentation.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/state/control_snapshot.h"
#include "model/types.h"

namespace smsim::bru::simt_stack {

/// What continues when the JOIN at `rpc` is reached: `mask` at `pc`. With `pc == rpc` these threads have nothing to do
/// before that JOIN.
struct Entry {
    Pc rpc = 0;
    Pc pc = 0;
    LaneMask mask;
    friend bool operator==(const Entry &, const Entry &) = default;
};

struct State {
    Pc pc = 0;                ///< of the threads in `mask`
    LaneMask mask;            ///< threads that execute
    Pc rpc = 0;               ///< where the next divergent branch reconverges; one for the warp
    std::vector<Entry> stack; ///< the top is the last
    friend bool operator==(const State &, const State &) = default;
};

/// A warp at its start: all of `valid` at `entry`, `rpc` 0, the stack empty.
State started(Pc entry, LaneMask valid);

/// Whether a side of a branch that waits for its turn has something to do before its JOIN: an entry whose `pc` differs
/// from `rpc` [E-3].
bool has_waiting_side(const State &state);

/// The fields of this engine: pc, mask, rpc, stack.
std::span<const ControlField> control_fields();
/// `state` as values of those fields.
ControlSnapshot snapshot_of(const State &state);
/// Which threads are where and what waits on the stack, in one line for reports.
std::string description_of(const State &state);

/// Which threads wait in which entries for the running ones, and why this does not end by itself; empty when all run.
std::string held_back_in(const State &state);

} // namespace smsim::bru::simt_stack
